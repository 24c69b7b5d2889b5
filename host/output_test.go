package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/fakes"
)

// full is an output without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("no space left")

func TestOutputThatCannotBeWritten(t *testing.T) {
	// Ensure that a command whose output could not be written says so and fails.
	mcpHome(t)
	for _, args := range [][]string{{"log", "dump"}, {"log", "dump", "--json"}, {"primitives"}, {"version"}, {"version", "--json"}} {
		var stderr bytes.Buffer
		var b fakes.Browser
		stop := startHost(t, &b, firstID, "Work", "https://one.test/") // so that the log has records
		if exit := runCommand(t.Context(), args, full{}, &stderr); exit != exitFailed || !strings.Contains(stderr.String(), "no space left") || strings.Count(stderr.String(), "\n") > 2 {
			t.Errorf("%v: exit %d, stderr %q", args, exit, &stderr)
		}
		stop()
	}
}
