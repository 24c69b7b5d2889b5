package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/test/fakes"
)

// screen is what a command that still runs has printed.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) count(text string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Count(s.text.String(), text)
}

// until waits for a condition. The harness, which has it too, is too large for this package: see start_test.go.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for !condition() {
		if pause(ctx, 20*time.Millisecond); ctx.Err() != nil {
			t.Fatalf("it did not happen: %s", what)
		}
	}
}

func TestLogFollowWhenTheClockGoesBack(t *testing.T) {
	// Ensure that following from now on shows what is written from then on, whatever its date: begun while no browser was there, by the label of its profile too, and beside a host.
	for name, args := range map[string][]string{"waiting": nil, "by label": {"--profile", "Work"}, "beside a host": {"--limit", "0"}} {
		t.Run(name, func(t *testing.T) {
			mcpHome(t)
			hourAgo := func(name string) {
				t.Helper()
				log, err := journal.Open(paths.Database(firstID), journal.Options{})
				if err != nil {
					t.Fatal(err)
				}
				err = log.Commit(t.Context(), journal.Record{At: time.Now().Add(-time.Hour), Type: journal.TypeDOMEvent, Name: name})
				if err := errors.Join(err, log.Close()); err != nil {
					t.Fatal(err)
				}
			}
			var browser, next fakes.Browser
			hourAgo("early")
			stop := func() {}
			if name == "beside a host" {
				stop = startHost(t, &browser, firstID, "Work")
			}
			ctx, end := context.WithCancel(t.Context())
			var stdout, stderr screen
			ended := make(chan int)
			go func() {
				ended <- runCommand(ctx, append([]string{"log", "follow", "--json"}, args...), &stdout, &stderr)
			}()
			if name == "beside a host" {
				tab := 0
				until(t, "it follows", func() bool {
					tab++
					if err := browser.Claim(t.Context(), tab, "https://one.test/"); err != nil {
						t.Fatal(err)
					}
					return stdout.count(`"type":"claim"`) > 0
				})
			}
			stop()
			until(t, "it waits", func() bool { return stderr.count("waiting for a browser") == 1 })
			hourAgo("late")
			startHost(t, &next, firstID, "Work")
			until(t, "what was written meanwhile is shown", func() bool { return stdout.count(`"name":"late"`) == 1 })
			end()
			if exit := <-ended; exit != exitDone || stdout.count(`"name":"early"`) != 0 {
				t.Errorf("exit %d: %s", exit, stdout.text.String())
			}
		})
	}
}
