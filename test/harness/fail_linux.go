package harness

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// FailingStorage is a host whose system calls on its log fail.
type FailingStorage struct {
	tracer *exec.Cmd
	hits   string // where the tracer notes the calls that failed
	once   sync.Once
}

// FailStorage has one system call (pwrite64, fdatasync) on the log of the running host fail with
// EIO: in each of its threads the nth from now on. It needs strace.
func (h *Home) FailStorage(t testing.TB, p *Process, call string, nth int) *FailingStorage {
	t.Helper()
	f := &FailingStorage{hits: filepath.Join(t.TempDir(), "hits")}
	f.tracer = exec.Command("strace", "-f", "-p", fmt.Sprint(p.Cmd.Process.Pid), "-P", h.Database(),
		"-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:error=EIO:when=%d", call, nth), "-o", f.hits)
	stderr, err := f.tracer.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.tracer.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.End)
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "attached") {
			go func() {
				for lines.Scan() { // of threads to come
				}
			}()
			return f
		}
	}
	f.End()
	t.Fatalf("strace did not attach to the host: %v", lines.Err())
	return nil
}

// Hit reports whether a call has failed.
func (f *FailingStorage) Hit(t testing.TB) bool {
	t.Helper()
	text, err := os.ReadFile(f.hits)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(text), "(INJECTED)")
}

// End lets the calls work again.
func (f *FailingStorage) End() {
	f.once.Do(func() {
		_ = f.tracer.Process.Signal(os.Interrupt) // it ends by it, and the host goes on
		_ = f.tracer.Wait()
	})
}
