package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/lint"
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
			files, err := lint.Folder(c.files, []string{"."}, catalogue(t))
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
	got, err := lint.Folder(files, []string{dir + "a"}, catalogue(t))
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
	got, err = lint.Folder(files, []string{dir + "b/actions.json"}, catalogue(t))
	if err != nil {
		t.Fatal(err)
	}
	if list := found(got); !slices.Contains(list, dir+"b/actions.json secret_in_map /skill") {
		t.Errorf("an error was accepted: %v", list)
	}
	for _, text := range []string{`{`, `[]`, `{"accepted_gaps":{}}`} {
		files[dir+"accepted-gaps.json"] = &fstest.MapFile{Data: []byte(text)}
		got, err := lint.Folder(files, []string{"."}, catalogue(t))
		if list := found(got); err != nil || !slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, "invalid_accepted_gap") }) {
			t.Errorf("%s gives %v %v", text, list, err)
		}
	}
}

func TestUnreadable(t *testing.T) {
	// Ensure a path that is not there is an error, and a file that cannot be
	// read a finding that does not keep others from being checked.
	files := fstest.MapFS{"big/actions.json": {Data: make([]byte, 5<<20)}, "good/actions.json": site("", "x.tab_1")}
	if _, err := lint.Folder(files, []string{"gone.json"}, catalogue(t)); err == nil {
		t.Error("a missing path is no error")
	}
	got, err := lint.Folder(files, []string{"."}, catalogue(t))
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
