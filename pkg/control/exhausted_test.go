//go:build unix

package control_test

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
)

// envExhausted marks the process of its own in which descriptors run out.
const envExhausted = "CONTROL_TEST_EXHAUSTED"

func TestDescriptorsRunOut(t *testing.T) {
	// Ensure that a host without free descriptors, which cannot take a connection, takes connections again as soon as some are free.
	if os.Getenv(envExhausted) == "" {
		cmd := exec.CommandContext(limited(t), os.Args[0], "-test.run=^TestDescriptorsRunOut$", "-test.v")
		cmd.Env = append(os.Environ(), envExhausted+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	path := filepath.Join(folder(t), "run", "h.sock")
	serve(t, path, newHost(t, "0123456789abcdef"))
	limit := syscall.Rlimit{Cur: 64, Max: 64}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Skipf("no limit can be set here: %v", err)
	}
	var taken []*os.File
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			if !errors.Is(err, syscall.EMFILE) {
				t.Fatal(err)
			}
			break
		}
		taken = append(taken, f)
	}
	// The last one goes to the client, so that the host finds none.
	taken[len(taken)-1].Close()
	client, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.SetReadDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the host took the connection or dropped it: %v", err)
	}
	client.Close()
	for _, f := range taken[:len(taken)-1] {
		f.Close()
	}
	c := dial(t, path)
	if c.Status.ProfileID != "0123456789abcdef" {
		t.Errorf("status %+v", c.Status)
	}
	var out control.Pong
	if err := c.Call(limited(t), control.MethodPing, control.Empty{}, &out); err != nil || out.ExtensionVersion == "" {
		t.Errorf("ping gave %+v, %v", out, err)
	}
}
