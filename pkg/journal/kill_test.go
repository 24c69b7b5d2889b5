package journal

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// childPath is the environment variable that makes the test binary a host that
// writes until it is killed.
const childPath = "JOURNAL_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		writeForever(path)
	}
	os.Exit(m.Run())
}

// writeForever commits intents and outcomes from four goroutines and prints each
// one that was acknowledged.
func writeForever(path string) {
	j, err := Open(path, Options{Retention: Retention{MaxBytes: -1}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("open")
	var out sync.Mutex
	for w := range 4 {
		go func() {
			for i := 0; ; i++ {
				call := fmt.Sprintf("%d-%d-%d", os.Getpid(), w, i)
				for _, kind := range []string{TypeIntent, TypeOutcome} {
					if err := j.Commit(context.Background(), Record{Type: kind, CallID: call, Data: sampleData}); err != nil {
						fmt.Fprintln(os.Stderr, err)
						os.Exit(1)
					}
					out.Lock()
					fmt.Println(kind, call)
					out.Unlock()
				}
			}
		}()
	}
	select {}
}

// Ensure that of a host killed at random moments, 30 times on the same file,
// every acknowledged record is there, the chain is whole, each intent without an
// outcome is closed as interrupted, and opening takes less than a second.
func TestKill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "journal.db")
	acknowledged := map[string]bool{}
	for round := range 30 {
		child := exec.Command(self)
		child.Env = append(os.Environ(), childPath+"="+path)
		child.Stderr = os.Stderr
		stdout, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		// The moment: after some lines, and in the middle of what comes next.
		lines, left := bufio.NewScanner(stdout), 1+rand.IntN(60)
		for lines.Scan() {
			if lines.Text() != "open" {
				acknowledged[lines.Text()] = true
			}
			if left--; left == 0 {
				time.AfterFunc(time.Duration(rand.IntN(2000))*time.Microsecond, func() { child.Process.Kill() })
			}
			if left < -5000 {
				t.Fatal("the child does not end")
			}
		}
		if left > 0 {
			t.Fatalf("round %d: the child ended by itself", round)
		}
		_ = child.Wait() // killed: always an error

		j, err := Open(path, Options{Retention: Retention{MaxBytes: -1}})
		if err != nil {
			t.Fatal(err)
		}
		checkCalls(t, j, acknowledged)
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d acknowledged records", len(acknowledged))
}

func checkCalls(t *testing.T, j *Journal, acknowledged map[string]bool) {
	t.Helper()
	verified(t, &j.Reader)
	stored, open := map[string]bool{}, map[string]bool{}
	for _, r := range all(t, &j.Reader) {
		stored[r.Type+" "+r.CallID] = true
		switch r.Type {
		case TypeIntent:
			open[r.CallID] = true
		case TypeOutcome, TypeInterrupted:
			if !open[r.CallID] {
				t.Fatalf("%s of %s without an open intent", r.Type, r.CallID)
			}
			delete(open, r.CallID)
		default:
			t.Fatalf("a record of type %s", r.Type)
		}
	}
	if len(open) > 0 {
		t.Fatalf("intents are left open: %v", open)
	}
	for line := range acknowledged {
		if !stored[line] {
			t.Fatalf("%s was acknowledged and is lost", line)
		}
	}
}
