package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/paths"
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

// starting is an output that starts a host at the first write, and goes on when that runs.
type starting struct {
	bytes.Buffer
	start func()
}

func (s *starting) Write(text []byte) (int, error) {
	if s.start != nil {
		s.start()
		s.start = nil
	}
	return s.Buffer.Write(text)
}

func TestDumpLeavesTheLogToAHost(t *testing.T) {
	// Ensure that a host starts while a dump waits for its reader, and that the dump goes on through it, each record once and none left out.
	mcpHome(t)
	log, err := journal.Open(paths.Database(firstID), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	records := make([]journal.Record, 2500)
	for i := range records {
		records[i] = journal.Record{SessionID: "cli", Type: journal.TypeDOMEvent}
	}
	if err := errors.Join(log.Commit(t.Context(), records...), log.Close()); err != nil {
		t.Fatal(err)
	}
	var b fakes.Browser
	var stop func()
	stdout, stderr := &starting{start: func() { stop = startHost(t, &b, firstID, "Work") }}, new(bytes.Buffer)
	exit := runCommand(t.Context(), []string{"log", "dump", "--json", "--type", journal.TypeDOMEvent}, stdout, stderr)
	if exit != 0 || stderr.Len() > 0 {
		t.Errorf("exit %d, stderr %q", exit, stderr)
	}
	stop()
	want := uint64(1)
	for line := range strings.Lines(stdout.String()) {
		var r journal.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil || r.Seq != want {
			t.Fatalf("record %d has %v, %s", want, err, line)
		}
		want++
	}
	if want != uint64(len(records)+1) {
		t.Errorf("%d records were printed", want-1)
	}
}
