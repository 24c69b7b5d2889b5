package storage

import (
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/actionmap"
)

// declare sets the canonical paths, which storage.read_file takes, of the files
// that a newly parsed map declares. A file that the map may not declare is
// a problem of the map.
func declare(m *actionmap.Map, mapPath string) {
	valid := m.Files[:0]
	for i, f := range m.Files {
		name, problem := declaredPath(mapPath, f.Path)
		if problem != "" {
			m.Problems = append(m.Problems, actionmap.Problem{Pointer: "/x_actions/files/" + strconv.Itoa(i), Message: problem})
			continue
		}
		f.Path = name
		valid = append(valid, f)
	}
	m.Files = valid
	if skill := m.Guidance.Skill; skill != nil && skill.Path != "" {
		name, problem := declaredPath(mapPath, skill.Path)
		if problem != "" {
			m.Problems = append(m.Problems, actionmap.Problem{Pointer: "/skill/path", Message: problem})
		}
		skill.Path = name
	}
}

// declaredPath returns the canonical path of a file that a map declares: relative
// to the map's folder, or from scopes/ on.
func declaredPath(mapPath, name string) (canonical, problem string) {
	if why := unsafePath(name); why != "" {
		return "", fmt.Sprintf("the declared path %.80q is not safe: %s", name, why)
	}
	if !strings.HasPrefix(name, "scopes/") {
		return path.Dir(mapPath) + "/" + name, ""
	}
	from, _, _ := canonicalScope(mapPath)
	to, _, ok := canonicalScope(name)
	switch {
	case !ok:
		return "", fmt.Sprintf("the declared path %.80q names no scope", name)
	case !reaches(from, to):
		return "", fmt.Sprintf("the declared path %.80q lies in a scope that a map of %s cannot reach", name, from)
	}
	return name, ""
}

// declaredFiles returns the files of a map by their canonical paths, the root skill
// last.
func declaredFiles(m *actionmap.Map) []actionmap.File {
	files := m.Files
	if skill := m.Guidance.Skill; skill != nil && skill.Path != "" {
		files = append(files[:len(files):len(files)], actionmap.File{Path: skill.Path, Kind: "skill", ReadWhen: skill.WhenToRead})
	}
	return files
}

// missing reports the declared files of a map that do not exist.
func (l *layout) missing(site *Site, e *Entry) {
	for _, f := range declaredFiles(e.Map) {
		at, found := l.locate(f.Path)
		if found {
			info, err := os.Stat(at.path)
			found = err == nil && info.Mode().IsRegular()
		}
		if !found {
			site.Errors = append(site.Errors, MapError{Path: e.Path, Message: "the declared file " + f.Path + " does not exist"})
		}
	}
}
