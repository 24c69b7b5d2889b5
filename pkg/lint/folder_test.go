package lint_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/lint"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// site is a map with static tools of the names and further root members.
func site(members string, names ...string) *fstest.MapFile {
	var tools []string
	for _, name := range names {
		tools = append(tools, fmt.Sprintf(`{"name":%q,"description":"d","input_schema":{"type":"object"},"x_actions":{"static_output":%q}}`, name, name))
	}
	return &fstest.MapFile{Data: []byte(`{"protocol":"actions.json","version":1,"tools":[` + strings.Join(tools, ",") + `]` + members + `}`)}
}

// found lists path, code and pointer of every finding.
func found(files []lint.File) (list []string) {
	for _, file := range files {
		for _, f := range file.Findings {
			accepted := ""
			if f.Accepted {
				accepted = " accepted: " + f.Rationale
			}
			list = append(list, file.Path+" "+f.Rule+" "+f.Pointer+accepted)
		}
	}
	return list
}

func TestFolder(t *testing.T) {
	// Ensure the checks that need more than one file: shadowed names, copies of
	// imported actions, declared files; and that copies kept as evidence are no
	// maps.
	const public, private = "scopes/public/sites/x.test/", "scopes/private/sites/x.test/"
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  []string
	}{
		"private before public": {fstest.MapFS{public + "a/actions.json": site("", "x.list", "x.open"), private + "b/actions.json": site("", "x.list")},
			[]string{public + "a/actions.json shadowed_name /tools/0/name"}},
		"shared between them": {fstest.MapFS{public + "a/actions.json": site("", "x.list"), "scopes/shared/team/sites/x.test/a/actions.json": site("", "x.list")},
			[]string{public + "a/actions.json shadowed_name /tools/0/name"}},
		"by path within a scope": {fstest.MapFS{public + "a/actions.json": site("", "x.list"), public + "b/actions.json": site("", "x.list")},
			[]string{public + "b/actions.json shadowed_name /tools/0/name"}},
		"a subdomain":    {fstest.MapFS{public + "a/actions.json": site("", "x.list"), "scopes/private/sites/docs.x.test/a/actions.json": site("", "x.list")}, []string{public + "a/actions.json shadowed_name /tools/0/name"}},
		"another site":   {fstest.MapFS{public + "a/actions.json": site("", "x.list"), "scopes/private/sites/y.test/a/actions.json": site("", "x.list")}, nil},
		"other pages":    {fstest.MapFS{public + "a/actions.json": site(`,"scope":{"url_matches":"https://x.test/a/*"}`, "x.list"), public + "b/actions.json": site(`,"scope":{"url_matches":"https://x.test/b/*"}`, "x.list")}, nil},
		"evidence":       {fstest.MapFS{public + "a/actions.json": site("", "x.list"), public + "a/proof/actions.json": site("", "x.list"), public + ".old/actions.json": {Data: []byte("{")}}, nil},
		"declared files": {fstest.MapFS{public + "a/actions.json": site(`,"skill":{"path":"SKILL.md"},"x_actions":{"files":[{"path":"here.md"},{"path":"gone.md"},{"path":"scopes/public/gone.md"},{"path":"../../../../../etc/passwd"}]}`, "x.list"), public + "a/here.md": {}}, []string{public + "a/actions.json missing_declared_file /x_actions/files/2/path", public + "a/actions.json missing_declared_file /skill/path", public + "a/actions.json missing_declared_file /x_actions/files/1/path"}},
		"imported by name": {fstest.MapFS{public + "a/actions.json": site(`,"imports":[{"id":"base","uri":"../base"}]`, "x.list"), "scopes/public/sites/x.test/base/actions.json": site(`,"scope":{"url_matches":"https://x.test/base"}`, "x.other"), private + "z/README": {}},
			nil},
		"a copy of an import": {fstest.MapFS{public + "a/actions.json": site(`,"scope":{"url_matches":"https://x.test/a"},"imports":[{"id":"base","uri":"../base/actions.json"},{"id":"far","uri":"https://y.test/actions.json"},{"id":"up","uri":"../../../../../../secret"}]`, "x.list"), public + "base/actions.json": site(`,"scope":{"url_matches":"https://x.test/base"}`, "x.list")},
			[]string{public + "a/actions.json copied_import /tools/0/name"}},
		"a disabled import": {fstest.MapFS{public + "a/actions.json": site(`,"scope":{"url_matches":"https://x.test/a"},"imports":[{"id":"base","uri":"../base","enabled":false}]`, "x.list"), public + "base/actions.json": site(`,"scope":{"url_matches":"https://x.test/base"}`, "x.list")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := lint.Folder(t.Context(), c.files, []string{"."}, primitive.Load())
			if err != nil {
				t.Fatal(err)
			}
			got := found(files)
			slices.Sort(got)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAcceptedGaps(t *testing.T) {
	// Ensure accepted findings are shown as accepted, errors stay errors, and
	// entries that nothing needs or that say too little are reported.
	const dir = "scopes/public/sites/x.test/"
	files := fstest.MapFS{
		dir + "a/actions.json": site(`,"prompt":"see /u/0/ of /home/ada/x"`, "x.click_button_1", "x.click_button_2", "x.list"),
		dir + "b/actions.json": site(`,"skill":"token ghp_0123456789abcdefgh","scope":{"url_matches":"https://x.test/b"}`, "x.tab_3"),
		dir + "accepted-gaps.json": {Data: []byte(`{"accepted_gaps":[
			{"finding_id":"layout_bound_name:/tools/x.click_button_1/name","rationale":"The button has no label."},
			{"finding_id":"account_identifier","rationale":"The first account of everyone."},
			{"finding_id":"layout_bound_name:/tools/x.tab_3","rationale":"Known by this name."},
			{"finding_id":"secret_in_map","rationale":"A test token."},
			{"finding_id":"broad_selector:/tools/x.list","rationale":"Repaired long ago."},
			{"finding_id":"shadowed_name"}]}`)},
	}
	got, err := lint.Folder(t.Context(), files, []string{dir + "a"}, primitive.Load())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		dir + "a/actions.json layout_bound_name /tools/0/name accepted: The button has no label.",
		dir + "a/actions.json layout_bound_name /tools/1/name",
		dir + "a/actions.json absolute_local_path /prompt",
		dir + "a/actions.json account_identifier /prompt accepted: The first account of everyone.",
		dir + "accepted-gaps.json invalid_accepted_gap /accepted_gaps/5",
		dir + "accepted-gaps.json stale_accepted_gap /accepted_gaps/4",
	}
	if diff := cmp.Diff(want, found(got)); diff != "" {
		t.Error(diff)
	}
	got, err = lint.Folder(t.Context(), files, []string{dir + "b/actions.json"}, primitive.Load())
	if err != nil {
		t.Fatal(err)
	}
	if list := found(got); !slices.Contains(list, dir+"b/actions.json secret_in_map /skill") {
		t.Errorf("an error was accepted: %v", list)
	}
	for _, text := range []string{`{`, `[]`, `{"accepted_gaps":{}}`} {
		files[dir+"accepted-gaps.json"] = &fstest.MapFile{Data: []byte(text)}
		got, err := lint.Folder(t.Context(), files, []string{"."}, primitive.Load())
		if list := found(got); err != nil || !slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, "invalid_accepted_gap") }) {
			t.Errorf("%s gives %v %v", text, list, err)
		}
	}
}

func TestUnreadable(t *testing.T) {
	// Ensure a path that is not there is an error, and a file that cannot be
	// read a finding that does not keep others from being checked.
	files := fstest.MapFS{"big/actions.json": {Data: make([]byte, 5<<20)}, "good/actions.json": site("", "x.tab_1")}
	if _, err := lint.Folder(t.Context(), files, []string{"gone.json"}, primitive.Load()); err == nil {
		t.Error("a missing path is no error")
	}
	got, err := lint.Folder(t.Context(), files, []string{"."}, primitive.Load())
	want := []string{"big/actions.json map_unreadable ", "good/actions.json layout_bound_name /tools/0/name"}
	if diff := cmp.Diff(want, found(got)); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestPlaceOf(t *testing.T) {
	// Ensure scope and host are read from the path, wherever the folder lies.
	for path, want := range map[string]lint.Place{
		"scopes/public/sites/X.com/app/actions.json":              {Scope: "public", Host: "x.com"},
		"home/ada/scopes/private/sites/x.com/actions.json":        {Scope: "private", Host: "x.com"},
		"scopes/shared/team/sites/x.com/sites/notes/actions.json": {Scope: "shared:team", Host: "x.com"},
		"sites/x.com/actions.json":                                {},
		"actions.json":                                            {},
	} {
		if got := lint.PlaceOf(path); got != want {
			t.Errorf("%s gives %+v", path, got)
		}
	}
}

// hook calls a function before each file is opened.
type hook struct {
	fstest.MapFS
	before func(name string)
}

func (h hook) Open(name string) (fs.File, error) {
	h.before(name)
	return h.MapFS.Open(name)
}

func (h hook) ReadFile(name string) ([]byte, error) {
	h.before(name)
	return h.MapFS.ReadFile(name)
}

func TestFolderCancelled(t *testing.T) {
	// Ensure that a check that is no longer wanted ends with the reason, whether its own maps are read or the others.
	files := fstest.MapFS{}
	for i := range 5 {
		files[fmt.Sprintf("scopes/private/sites/x%d.test/actions.json", i)] = site("", "x.list")
	}
	for paths, at := range map[string]string{"scopes": "x2", "scopes/private/sites/x0.test": "x3"} {
		ctx, cancel := context.WithCancel(t.Context())
		after := 0
		watched := hook{files, func(name string) {
			if path.Base(name) != "actions.json" {
				return
			}
			if ctx.Err() != nil {
				after++
			}
			if strings.Contains(name, at) {
				cancel()
			}
		}}
		if got, err := lint.Folder(ctx, watched, []string{paths}, primitive.Load()); !errors.Is(err, context.Canceled) || after > 0 {
			t.Errorf("%s: %d maps were read after it was cancelled; %v, %v", paths, after, got, err)
		}
		cancel()
	}
}

func TestFolderDescendants(t *testing.T) {
	// Ensure that the map of a site is compared with those of the hosts above and below it and with no others,
	// in the order of the folder, once for each.
	files := fstest.MapFS{"scopes/public/sites/b.test/actions.json": site("", "x.list")}
	for _, host := range []string{"test", "a.b.test", "c.a.b.test", "xb.test", "other.test", "B.test"} {
		files["scopes/private/sites/"+host+"/actions.json"] = site("", "x.list", "x.more")
	}
	files["scopes/private/sites/b.test/z/actions.json"] = site("", "x.list", "x.list")
	got, err := lint.Folder(t.Context(), files, []string{"scopes/public"}, primitive.Load())
	if err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	var by []string
	for _, f := range got[0].Findings {
		if f.Rule == "shadowed_name" {
			by = append(by, strings.TrimPrefix(strings.Fields(f.Message)[0], "scopes/private/sites/"))
		}
	}
	if want := []string{"B.test/actions.json", "a.b.test/actions.json", "b.test/z/actions.json", "c.a.b.test/actions.json", "test/actions.json"}; !slices.Equal(by, want) {
		t.Errorf("shadowed by %q, not %q", by, want)
	}
}
