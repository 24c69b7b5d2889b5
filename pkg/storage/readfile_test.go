package storage_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/storage"
)

const folder = "scopes/private/sites/example.com/board/"

// declaring is a map that declares files by id and path.
func declaring(files ...string) string {
	var list []string
	for i := 0; i+1 < len(files); i += 2 {
		list = append(list, fmt.Sprintf(`{"id":%s,"path":%s}`, quote(files[i]), quote(files[i+1])))
	}
	return mapText(`,"x_actions":{"files":[`+strings.Join(list, ",")+`]}`, "tool")
}

func read(t *testing.T, s *storage.Store, id, path string, limit int) storage.File {
	t.Helper()
	f, err := s.ReadFile(page, id, path, limit)
	if err != nil {
		t.Fatalf("%s%s: %v", id, path, err)
	}
	return f
}

func TestReadFile(t *testing.T) {
	// Ensure declared files are read by id and by canonical path, with their
	// kind, type and front matter.
	root := t.TempDir()
	write(t, root, folder+"actions.json", mapText(`,"skill":{"path":"docs/HOW.md","when_to_read":"first"},"x_actions":{"files":[
		{"id":"skill","path":"SKILL.md","kind":"skill"},{"id":"notes","path":"context/notes.txt"},
		{"id":"own","path":"scopes/private/agents/me.MD"}]}`, "tool"))
	write(t, root, folder+"SKILL.md", "---\r\ntitle: \"A board\"\r\nempty:\r\n  nested: no\r\nurl: http://x.test:80/\r\ntitle: again\r\nbad key: x\r\n---\r\n# Text\r\n")
	write(t, root, folder+"context/notes.txt", "plain")
	write(t, root, folder+"docs/HOW.md", "---\nnever: closed\n")
	write(t, root, "scopes/private/agents/me.MD", "# me")
	s := open(t, root)
	want := storage.File{
		Path: folder + "SKILL.md", RelativePath: "SKILL.md", ID: "skill", Kind: "skill", MimeType: "text/markdown", Bytes: 117,
		FrontMatter: map[string]string{"title": "A board", "url": "http://x.test:80/"},
	}
	got := read(t, s, "skill", "", 0)
	want.Text, want.Bytes = got.Text, int64(len(got.Text))
	if diff := cmp.Diff(want, got); diff != "" || !strings.HasSuffix(got.Text, "# Text\r\n") {
		t.Fatal(diff, got.Text)
	}
	if diff := cmp.Diff(got, read(t, s, "", folder+"SKILL.md", 0)); diff != "" {
		t.Fatal(diff)
	}
	if f := read(t, s, "notes", "", 0); f.Kind != "reference" || f.MimeType != "text/plain" || f.RelativePath != "context/notes.txt" || len(f.FrontMatter) != 0 {
		t.Fatalf("%+v", f)
	}
	if f := read(t, s, "own", "", 0); f.RelativePath != f.Path || f.MimeType != "text/markdown" {
		t.Fatalf("%+v", f)
	}
	if f := read(t, s, "", folder+"docs/HOW.md", 0); f.Kind != "skill" || len(f.FrontMatter) != 0 {
		t.Fatalf("%+v", f)
	}
	// What a list shows is what may be asked for.
	if files := s.Match(page).Maps[0].Map.Files; files[0].Path != folder+"SKILL.md" {
		t.Fatalf("the list shows %+v", files)
	}
	write(t, root, folder+"SKILL.md", "changed")
	if f := read(t, s, "skill", "", 0); f.Text != "changed" {
		t.Fatalf("a changed file gave %q", f.Text)
	}
}

func TestReadFileLimits(t *testing.T) {
	// Ensure a text is cut between code points, that its front matter is whole
	// all the same, and that bytes is the size of the whole file.
	root := t.TempDir()
	write(t, root, folder+"actions.json", declaring("f", "f.md"))
	s := open(t, root)
	for _, unit := range []string{"x", "é", "漢", "😀"} {
		for _, size := range []int{1, 5, 99, 100, 101, 64_000, 64_001, 70_000, 260_000} {
			text := "---\nk: v\n---\n" + strings.Repeat(unit, size)
			write(t, root, folder+"f.md", text)
			for _, limit := range []int{0, 1, 2, 3, 14, 15, 16, 99, 100, 20_000, 256_000} {
				f := read(t, s, "f", "", limit)
				allowed := limit
				if limit == 0 {
					allowed = storage.DefaultReadBytes
				}
				if len(f.Text) > allowed || len(f.Text) < min(len(text), allowed-3) || !strings.HasPrefix(text, f.Text) || !utf8.ValidString(f.Text) {
					t.Fatalf("%s × %d, limit %d: %d bytes of text", unit, size, limit, len(f.Text))
				}
				if f.Bytes != int64(len(text)) || f.Truncated != (len(f.Text) < len(text)) || f.FrontMatter["k"] != "v" {
					t.Fatalf("%s × %d, limit %d: %d bytes, truncated %t, %v", unit, size, limit, f.Bytes, f.Truncated, f.FrontMatter)
				}
			}
		}
	}
	for _, limit := range []int{-1, 256_001, 1 << 40} {
		if _, err := s.ReadFile(page, "f", "", limit); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("limit %d gave %v", limit, err)
		}
	}
}

func TestReadFileRefuses(t *testing.T) {
	// Ensure each reason why a file is not read has its code.
	root, outside := t.TempDir(), t.TempDir()
	write(t, outside, "secret.md", "secret")
	write(t, root, folder+"actions.json", declaring("here", "here.md", "twice", "a.md", "twice", "b.md", "gone", "gone.md", "dir", "dir",
		"latin", "latin.md", "zero", "zero.md", "link", "link.md", "deep", "away/secret.md", "same", "here.md", "proof", "proof/p.md"))
	write(t, root, "scopes/public/sites/example.com/board/actions.json", declaring("public", "p.md", "same", "p.md"))
	write(t, root, "scopes/private/sites/other.test/x/actions.json", declaring("other", "o.md"))
	write(t, root, "scopes/private/sites/other.test/x/o.md", "other")
	for name, text := range map[string]string{
		"here.md": "here", "a.md": "a", "b.md": "b", "dir/x": "", "latin.md": "caf\xe9 au lait", "zero.md": "a\x00b", "undeclared.md": "x", "proof/p.md": "evidence",
	} {
		write(t, root, folder+name, text)
	}
	write(t, root, "scopes/public/sites/example.com/board/p.md", "public")
	for name, target := range map[string]string{"link.md": filepath.Join(outside, "secret.md"), "away": outside} {
		if err := os.Symlink(target, filepath.Join(root, folder, name)); err != nil {
			t.Skip("this system makes no links:", err)
		}
	}
	s := open(t, root)
	for _, c := range []struct {
		id, path string
		want     fault.Code
	}{
		{"", "", fault.InvalidInput},
		{"here", folder + "here.md", fault.InvalidInput},
		{"none", "", fault.StorageFileNotFound},
		{"HERE", "", fault.StorageFileNotFound},
		{"other", "", fault.StorageFileNotFound},
		{"gone", "", fault.StorageFileNotFound},
		{"twice", "", fault.StorageFileAmbiguousID},
		{"same", "", fault.StorageFileAmbiguousID},
		{"dir", "", fault.StorageFileNotText},
		{"latin", "", fault.StorageFileNotText},
		{"zero", "", fault.StorageFileNotText},
		{"link", "", fault.StorageFilePathUnauthorized},
		{"deep", "", fault.StorageFilePathUnauthorized},
		{"", "here.md", fault.StorageFileNotFound},
		{"", folder + "undeclared.md", fault.StorageFileNotFound},
		{"", folder + "actions.json", fault.StorageFileNotFound},
		{"", "scopes/private/sites/other.test/x/o.md", fault.StorageFileNotFound},
		{"", strings.ToUpper(folder) + "here.md", fault.StorageFileNotFound},
		{"here", "/etc/passwd", fault.InvalidInput},
	} {
		if f, err := s.ReadFile(page, c.id, c.path, 0); !fault.Is(err, c.want) {
			t.Errorf("%s%s gave %+v, %v; want %s", c.id, c.path, f, err, c.want)
		}
	}
	if f := read(t, s, "", folder+"a.md", 0); f.Text != "a" {
		t.Errorf("the path of an ambiguous id gave %q", f.Text)
	}
	if f := read(t, s, "proof", "", 0); f.Text != "evidence" {
		t.Errorf("declared evidence gave %q", f.Text)
	}
	if _, err := s.ReadFile("chrome://settings", "here", "", 0); !fault.Is(err, fault.StorageFileNotFound) {
		t.Errorf("a page that is none gave %v", err)
	}
}

func TestReadFileHostilePaths(t *testing.T) {
	// Ensure no unsafe path is followed, neither one that a caller gives nor one
	// that a map declares.
	if len(hostilePaths) < 60 {
		t.Fatalf("only %d paths", len(hostilePaths))
	}
	root := t.TempDir()
	write(t, root, folder+"actions.json", declaring("here", "here.md"))
	write(t, root, folder+"here.md", "here")
	s := open(t, root)
	for _, path := range hostilePaths {
		want := fault.StorageFilePathUnauthorized
		if path == "" {
			want = fault.InvalidInput // neither id nor path
		}
		if f, err := s.ReadFile(page, "", path, 0); !fault.Is(err, want) {
			t.Errorf("the path %q gave %+v, %v", path, f, err)
		}
		hostile := t.TempDir()
		write(t, hostile, folder+"actions.json", declaring("x", path))
		o := open(t, hostile)
		if f, err := o.ReadFile(page, "x", "", 0); !fault.Is(err, fault.StorageFileNotFound) {
			t.Errorf("the declared path %q gave %+v, %v", path, f, err)
		}
		if site := o.Match(page); len(site.Errors) == 0 || len(site.Maps) != 1 || len(site.Maps[0].Map.Files) != 0 {
			t.Errorf("the declared path %q is reported as %+v", path, site.Errors)
		}
	}
}

func TestDeclaredFilesStayInReach(t *testing.T) {
	// Ensure a map never declares what lies in a more private scope, and that a
	// declared file that is not there is reported.
	root := t.TempDir()
	places := []string{"scopes/private/n.md", "scopes/shared/team/n.md", "scopes/shared/crew/n.md", "scopes/public/n.md", "scopes/other/n.md"}
	for _, p := range places {
		write(t, root, p, "note")
	}
	for scope, want := range map[string][]bool{
		"private": {true, true, true, true, false}, "shared/team": {false, true, false, true, false}, "public": {false, false, false, true, false},
	} {
		for i, p := range places {
			dir := "scopes/" + scope + "/sites/example.com/x/"
			name := write(t, root, dir+"actions.json", declaring("n", p, "m", "missing.md"))
			_, err := open(t, root).ReadFile(page, "n", "", 0)
			if (err == nil) != want[i] {
				t.Errorf("a map of %s reads %s: %v", scope, p, err)
			}
			site := open(t, root).Match(page)
			if !strings.Contains(complaints(site.Errors), dir+"missing.md does not exist") {
				t.Errorf("errors are %s", complaints(site.Errors))
			}
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
}
