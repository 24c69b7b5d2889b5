package hostproc

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
)

// In the output of strace -y: the folder that a rename goes to, and the one of an fsync.
var (
	renamedTo    = regexp.MustCompile(`renameat2?\(.*<([^>]+)>, "[^"]+"[^"]*\) = 0`)
	syncedFolder = regexp.MustCompile(`fsync\(\d+<([^>]+)>`)
)

func TestImportIsOnDisk(t *testing.T) {
	// Ensure that an import is reported only after the folders of its files have been synced: before that a power cut can take the names.
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not there, which shows the system calls")
	}
	from, to := harness.NewHome(t), harness.NewHome(t)
	from.Map(t, "public", "desk.example.com", "inbox", `{"protocol":"actions.json","version":1,"tools":[]}`)
	bundle, calls := filepath.Join(from.Dir, "bundle.json"), filepath.Join(to.Dir, "calls")
	if r := from.Run(t, "storage", "export", "--out", bundle); r.Exit != 0 {
		t.Fatal(r)
	}
	command := to.Command(t.Context(), "storage", "import", bundle)
	traced := exec.CommandContext(t.Context(), "strace", append([]string{"-f", "-y", "-e", "trace=/^rename,fsync,write", "-e", "status=successful", "-o", calls, "--"}, command.Args...)...)
	traced.Env, traced.Dir = command.Env, command.Dir
	if out, err := traced.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	renamed, open := 0, map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if m := renamedTo.FindStringSubmatch(line); m != nil {
			renamed++
			open[m[1]] = true
		} else if m := syncedFolder.FindStringSubmatch(line); m != nil {
			delete(open, m[1])
		} else if strings.Contains(line, "write(1<") && len(open) > 0 {
			t.Errorf("reported before %v was synced", open)
		}
	}
	if renamed == 0 || len(open) > 0 {
		t.Errorf("%d files were renamed, and %v was not synced:\n%s", renamed, open, text)
	}
}
