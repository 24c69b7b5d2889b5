package storage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestReadAsset(t *testing.T) {
	// Ensure a whole text file of a scope is read by a plain path, and nothing outside of it, hidden, binary or too large.
	root := t.TempDir()
	const dir = "scopes/shared/team/sites/example.com/"
	write(t, root, dir+"report.html", "<h1>é</h1>")
	write(t, root, dir+"big.html", strings.Repeat("é", 60))
	write(t, root, dir+"binary.html", "a\x00b")
	write(t, root, dir+".hidden/x.html", "x")
	outside := t.TempDir()
	write(t, outside, "secret.txt", "secret")
	if err := os.Symlink(filepath.Join(outside, "secret.txt"), filepath.Join(root, filepath.FromSlash(dir+"link.html"))); err != nil {
		t.Fatal(err)
	}
	s := open(t, root)
	path, text, err := s.ReadAsset("shared:team", "sites/example.com/report.html", 100)
	if err != nil || path != dir+"report.html" || text != "<h1>é</h1>" {
		t.Fatalf("%s %q %v", path, text, err)
	}
	for _, row := range []struct {
		scope, name string
		code        fault.Code
	}{
		{"shared:team", "sites/example.com/none.html", fault.AssetNotFound},
		{"shared:team", "sites/example.com", fault.AssetNotFound},
		{"shared:team", "sites/example.com/binary.html", fault.AssetNotFound},
		{"private", "sites/example.com/report.html", fault.AssetNotFound},
		{"shared:team", "sites/example.com/big.html", fault.PayloadTooLarge},
		{"shared:team", "sites/example.com/link.html", fault.UnsafePath},
		{"shared:team", "sites/example.com/.hidden/x.html", fault.UnsafePath},
		{"shared:team", "../../../secret.txt", fault.UnsafePath},
		{"shared:team", "/etc/passwd", fault.UnsafePath},
		{"shared:team", "", fault.UnsafePath},
		{"shared:", "sites/example.com/report.html", fault.UnsafePath},
		{"packages", "x/y.html", fault.UnsafePath},
		{"../x", "sites/x", fault.UnsafePath},
	} {
		if _, text, err := s.ReadAsset(row.scope, row.name, 100); !fault.Is(err, row.code) {
			t.Errorf("%s %s: %q, %v, want %s", row.scope, row.name, text, err, row.code)
		}
	}
}
