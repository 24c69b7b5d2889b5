package e2e

import (
	"bytes"
	"image"
	_ "image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/repo"
)

func TestDemo(t *testing.T) {
	// Ensure that the first command of the README shows what it says: the page's actions, the order at the page's server, a picture of the page, the log; and that it leaves nothing behind.
	t.Parallel()
	harness.TakeTurn(t)
	output := t.TempDir()
	work, err := os.MkdirTemp("", "ah-") // short, as the paths of sockets must be
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(work) })
	cmd := exec.CommandContext(t.Context(), filepath.Join(repo.Root(), "scripts/demo"), "--host", harness.Host(t), "--output", output)
	cmd.Env = append(os.Environ(), "TMPDIR="+work)
	// It ends what it started when it is asked to.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	text, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	rest, picture := string(text), filepath.Join(output, "demo.png")
	for _, want := range []string{
		"1. A browser with the extension", "ready",
		"2. What can you do", "teahouse.search", "teahouse.order",
		"3. Call teahouse.search", "Tie Guan Yin", "Order T-001: Da Hong Pao for Ada",
		"4. What the page's server received", "GET /search?q=oolong", `POST /order {"tea":"Da Hong Pao","name":"Ada","note":"No plastic, please."}`,
		"5. A picture of the page", picture,
		"6. The log", "teahouse.order", "pointer.click", "browser.screenshot",
		"Done.",
	} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("the demo does not say %q where it should:\n%s", want, text)
		}
		rest = after
	}
	png, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	if size, kind, err := image.DecodeConfig(bytes.NewReader(png)); err != nil || kind != "png" || size.Width < 1000 || size.Height < 500 {
		t.Errorf("the picture is %q, %d × %d, %v", kind, size.Width, size.Height, err)
	}
	if left, err := os.ReadDir(work); err != nil || len(left) > 0 {
		t.Errorf("the demo left %v, %v", left, err)
	}
}
