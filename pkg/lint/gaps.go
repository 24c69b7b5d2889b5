package lint

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// gapsName is the name of the list of accepted findings. It applies to the maps of its
// folder and below.
const gapsName = "accepted-gaps.json"

// gapList is one such list.
type gapList struct {
	path     string
	text     []byte
	gaps     []gap
	findings []Finding
}

// gap is one accepted finding.
type gap struct {
	id, rationale string
	pointer       string
	used          bool
}

// gapLists reads the lists that apply to the targets, and loads all maps that they
// apply to: an entry for another map is not stale.
func (f *folder) gapLists(targets []string) (list []*gapList) {
	seen := map[string]bool{}
	for _, target := range targets {
		for _, dir := range gapFolders(target) {
			if seen[dir] {
				continue
			}
			seen[dir] = true
			text, err := fs.ReadFile(f.fsys, path.Join(dir, gapsName))
			if err != nil {
				continue // most sites have none
			}
			list = append(list, readGapList(path.Join(dir, gapsName), text))
			below, err := mapsBelow(f.fsys, dir)
			if err != nil {
				continue
			}
			for _, name := range below {
				f.load(name)
			}
		}
	}
	return list
}

// gapFolders returns the folders whose list applies to a map: its own, and those up to
// its site's.
func gapFolders(name string) []string {
	dirs := []string{path.Dir(name)}
	if PlaceOf(name).Host == "" {
		return dirs
	}
	for dir := path.Dir(name); path.Base(path.Dir(dir)) != "sites" && path.Dir(dir) != dir; {
		dir = path.Dir(dir)
		dirs = append(dirs, dir)
	}
	return dirs
}

func readGapList(name string, text []byte) *gapList {
	l := &gapList{path: name, text: text}
	raw, err := strictjson.Canonical(text, strictjson.Limits{MaxBytes: actionmap.MaxBytes})
	if err != nil {
		l.add("invalid_accepted_gap", "", "the list cannot be read: %s", fault.From(err).Message)
		return l
	}
	gaps := jsonnode.Node{Raw: raw}.Get("accepted_gaps")
	if !gaps.IsArray() {
		l.add("invalid_accepted_gap", "", "the list must be an object with the array accepted_gaps")
		return l
	}
	for _, e := range gaps.Elements() {
		g := gap{id: e.Get("finding_id").Text(), rationale: strings.TrimSpace(e.Get("rationale").Text()), pointer: e.Pointer}
		if g.id == "" || g.rationale == "" {
			l.add("invalid_accepted_gap", e.Pointer, "the entry has no finding_id or no rationale")
			continue
		}
		l.gaps = append(l.gaps, g)
	}
	return l
}

func (l *gapList) add(name, pointer, format string, args ...any) {
	f := code(name).at(pointer, format, args...)
	f.ID = name + ":" + path.Base(l.path) + pointer
	l.findings = append(l.findings, f)
}

// accept marks a finding that the list accepts. An error stays one: a list
// accepts advice, not errors.
func (l *gapList) accept(f *Finding) {
	for i := range l.gaps {
		g := &l.gaps[i]
		// A whole code or a whole tool can be accepted as well as one position.
		if f.ID == g.id || strings.HasPrefix(f.ID, g.id+"/") || f.Rule == g.id {
			g.used = true
			if f.Severity != failure {
				f.Accepted, f.Rationale = true, g.rationale
			}
		}
	}
}

// report applies the lists and returns the targets, with one more file for each list
// that has findings of its own.
func (f *folder) report(targets []string, gapLists []*gapList) []File {
	byFolder := map[string]*gapList{}
	for _, l := range gapLists {
		byFolder[path.Dir(l.path)] = l
	}
	for _, m := range f.maps {
		for dir := path.Dir(m.path); ; dir = path.Dir(dir) {
			if l := byFolder[dir]; l != nil {
				for i := range m.findings {
					l.accept(&m.findings[i])
				}
			}
			if dir == "." {
				break
			}
		}
	}
	files := make([]File, 0, len(targets))
	for _, name := range targets {
		files = append(files, File{Path: name, Findings: f.maps[name].findings})
	}
	for _, l := range gapLists {
		for _, g := range l.gaps {
			if !g.used {
				l.add("stale_accepted_gap", g.pointer, "nothing has the finding_id %s any more", strconv.Quote(g.id))
			}
		}
		if len(l.findings) > 0 {
			plain := make([]actionmap.Finding, len(l.findings))
			for i := range l.findings {
				plain[i] = l.findings[i].Finding
			}
			actionmap.Locate(l.text, plain)
			for i := range plain {
				l.findings[i].Finding = plain[i]
			}
			files = append(files, File{Path: l.path, Findings: l.findings})
		}
	}
	slices.SortStableFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files
}
