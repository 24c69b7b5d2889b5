package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/test/fakes"
)

func TestStopAllSaysWhatItStopped(t *testing.T) {
	// Ensure that stop --all names the profiles that it stopped, with the codes that let their agents go on, also where another one cannot be stopped.
	mcpHome(t)
	var b fakes.Browser
	startHost(t, &b, firstID, "Work", "https://one.test/")
	broken, err := net.Listen("unix", filepath.Join(paths.Sockets(), "broken.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer broken.Close()
	go func() {
		for {
			conn, err := broken.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("\x02\x00\x00\x00[]")) // no message of the protocol
		}
	}()
	for _, asJSON := range []bool{false, true} {
		var stdout, stderr bytes.Buffer
		args := []string{"stop", "--all"}
		if asJSON {
			args = append(args, "--json")
		}
		if exit := runCommand(t.Context(), args, &stdout, &stderr); exit == exitDone {
			t.Errorf("it exits with %d", exit)
		}
		if !asJSON {
			if !strings.Contains(stdout.String(), "Work: stopped") || !strings.Contains(stdout.String(), "actions-host resume ") || stderr.Len() == 0 {
				t.Errorf("stdout %q, stderr %q", &stdout, &stderr)
			}
			continue
		}
		var got struct {
			OK       bool
			Profiles []struct{ Code string }
			Error    struct{ Code string }
		}
		if err := json.Unmarshal(stdout.Bytes(), &got); err != nil || got.OK || len(got.Profiles) != 1 || got.Profiles[0].Code == "" || got.Error.Code == "" {
			t.Errorf("%v: %s", err, &stdout)
		}
	}
}

func TestStopAllPastOneThatHangs(t *testing.T) {
	// Ensure that stop --all stops each host without waiting for one before it that does not answer.
	mcpHome(t)
	if err := paths.MakePrivate(paths.Sockets()); err != nil {
		t.Fatal(err)
	}
	var hosts [2]net.Listener
	for i, name := range []string{"a.sock", "b.sock"} {
		var err error
		if hosts[i], err = net.Listen("unix", filepath.Join(paths.Sockets(), name)); err != nil {
			t.Fatal(err)
		}
		defer hosts[i].Close()
	}
	ctx, interrupt := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() { ended <- runCommand(ctx, []string{"stop", "--all"}, io.Discard, io.Discard) }()
	hanging, err := hosts[0].Accept()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hosts[1].Accept(); err != nil {
		t.Fatal(err)
	}
	// One that was given up before the second was dialled ends at once.
	if err := hanging.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, hanging); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the second was stopped only when the first was given up: %v", err)
	}
	interrupt()
	<-ended
}
