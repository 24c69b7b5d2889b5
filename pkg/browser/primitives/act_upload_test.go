package primitives

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestUploadFolders(t *testing.T) {
	// Ensure that only files below a permitted folder are read, whatever links and dots a path has, and that what lies outside is refused alike whether it exists or not.
	base := t.TempDir()
	folder, outside := filepath.Join(base, "uploads"), filepath.Join(base, "uploads-other")
	for _, dir := range []string{filepath.Join(folder, "sub"), outside} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{filepath.Join(folder, "a.txt"), filepath.Join(folder, "sub", "b.csv"), filepath.Join(outside, "c.txt")} {
		if err := os.WriteFile(name, []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	links := map[string]string{
		filepath.Join(folder, "out.txt"):    filepath.Join(outside, "c.txt"),
		filepath.Join(folder, "outdir"):     outside,
		filepath.Join(outside, "in.txt"):    filepath.Join(folder, "a.txt"),
		filepath.Join(base, "linkedfolder"): folder,
	}
	for name, to := range links {
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	for _, folders := range [][]string{{folder}, {filepath.Join(base, "linkedfolder")}, {filepath.Join(base, "none"), folder}} {
		h := &Handlers{UploadFolders: func() []string { return folders }}
		for path, want := range map[string]fault.Code{
			filepath.Join(folder, "a.txt"):            "",
			filepath.Join(folder, "sub", "b.csv"):     "",
			folder + "/sub/../a.txt":                  "",
			filepath.Join(outside, "in.txt"):          "", // it leads to a permitted file
			filepath.Join(folder, "none.txt"):         fault.FileNotFound,
			filepath.Join(folder, "sub"):              fault.FileNotFound,
			filepath.Join(folder, "out.txt"):          fault.FileNotPermitted,
			filepath.Join(folder, "outdir", "c.txt"):  fault.FileNotPermitted,
			filepath.Join(outside, "c.txt"):           fault.FileNotPermitted,
			filepath.Join(outside, "none.txt"):        fault.FileNotPermitted,
			folder + "/../uploads-other/c.txt":        fault.FileNotPermitted,
			folder:                                    fault.FileNotPermitted,
			"a.txt":                                   fault.InvalidInput,
			"":                                        fault.InvalidInput,
			filepath.Join(folder, "a.txt") + "\x00.x": fault.FileNotPermitted,
		} {
			f, err := h.readFile(path, maxUploadBytes)
			if want == "" && (err != nil || string(f.data) != "text") {
				t.Errorf("%v: %q gave %v", folders, path, err)
			}
			if want != "" && !fault.Is(err, want) {
				t.Errorf("%v: %q gave %v, want %s", folders, path, err, want)
			}
		}
	}
}

func TestUploadLimit(t *testing.T) {
	// Ensure that the limit counts all files of a call.
	folder := t.TempDir()
	var paths []string
	for _, name := range []string{"a", "b"} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, make([]byte, maxUploadBytes/2), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	h := &Handlers{UploadFolders: func() []string { return []string{folder} }}
	if files, err := h.readFiles(paths); err != nil || len(files) != 2 {
		t.Errorf("two halves: %d files, %v", len(files), err)
	}
	if err := os.WriteFile(paths[1], make([]byte, maxUploadBytes/2+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := h.readFiles(paths); !fault.Is(err, fault.PayloadTooLarge) {
		t.Errorf("one byte more: %v", err)
	}
}
