package harness

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/launch"
)

// Launched is a browser that actions-host launch started.
type Launched struct {
	ProfileID   string       `json:"profile_id"`
	UserDataDir string       `json:"user_data_dir"`
	Tabs        []launch.Tab `json:"tabs"`

	Cmd  *exec.Cmd
	done chan struct{}
}

// Launch starts a headless browser with the pages open and claimed; it ends
// with the test.
func (h *Home) Launch(t testing.TB, args ...string) *Launched {
	t.Helper()
	TakeTurn(t)
	cmd := h.Command(context.Background(), append([]string{"launch", "--headless", "--json"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l := &Launched{Cmd: cmd, done: make(chan struct{})}
	line := make(chan []byte, 1)
	go func() {
		scanner := bufio.NewScanner(stdout)
		scanner.Buffer(nil, 1<<20)
		scanner.Scan()
		line <- bytes.Clone(scanner.Bytes())
		for scanner.Scan() {
			var printed struct{ Question launch.Question }
			if json.Unmarshal(scanner.Bytes(), &printed) == nil && printed.Question.ID != "" {
				h.codes.putQuestion(printed.Question)
			}
		}
		// Ended by a signal as a rule; what matters is that it ended.
		_ = cmd.Wait()
		close(l.done)
	}()
	t.Cleanup(l.Stop)
	select {
	case text := <-line:
		if err := json.Unmarshal(text, l); err != nil {
			<-l.done
			t.Fatalf("launch printed %q: %v\n%s", text, err, stderr.String())
		}
	case <-time.After(Scaled(60 * time.Second)):
		t.Fatalf("launch did not get ready\n%s", stderr.String())
	}
	return l
}

// Stop ends the launcher and with it the browser.
func (l *Launched) Stop() {
	_ = l.Cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-l.done:
	case <-time.After(10 * time.Second):
		_ = l.Cmd.Process.Kill()
		<-l.done
	}
}

// Done is closed when the launcher has ended.
func (l *Launched) Done() <-chan struct{} { return l.done }
