package storage

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The scopes, in the order of their precedence. A shared scope is named
// shared:<audience>.
const (
	ScopePrivate = "private"
	ScopePublic  = "public"
	sharedPrefix = "shared:"

	// packageScope ranks loaded packages, which are not a scope of the storage.
	packageScope = "package"
)

// Limits of a path; common file systems allow no longer names.
const (
	maxPathBytes    = 1024
	maxSegmentBytes = 255
	maxSegments     = 32
)

// Place is the scope, the host and the path of a site's file, parsed from its path.
type Place struct {
	Scope string // private, public or shared:<audience>
	Host  string // lower case
	Rest  string // below the host; never ""

	folder string   // the host as it was written
	above  []string // the folders in which the scope's own stands, if it is not at the top
}

// Path returns the canonical path of the place.
func (p Place) Path() string { return scopePath(p.Scope) + "/sites/" + p.Host + "/" + p.Rest }

// written returns the path with the host as written, which a folder created by hand
// may have.
func (p Place) written() string { return scopePath(p.Scope) + "/sites/" + p.folder + "/" + p.Rest }

// scopePath returns the canonical folder of a scope.
func scopePath(scope string) string { return "scopes/" + strings.Replace(scope, ":", "/", 1) }

// ParsePath parses a path in any of the forms of a storage: the canonical one below
// any folders, a repository named actions.json.storage.SCOPE, a folder
// named after its scope, and sites/ alone, which belongs to the given default
// scope. ok is false for a path of another form, and for a copy in a package or in another folder
// of a scope, though its path may end as that of a site's file.
func ParsePath(name, defaultScope string) (place Place, ok bool) {
	if scope, below, ok := canonicalScope(name); ok && (scope == packageScope || !strings.HasPrefix(below, "sites/")) {
		return Place{}, false
	}
	segments := strings.Split(name, "/")
	site := func(scope string, rest []string, above ...string) (Place, bool) {
		if len(rest) < 3 || rest[0] != "sites" || scope == "" {
			return Place{}, false
		}
		return Place{Scope: scope, Host: strings.ToLower(rest[1]), Rest: strings.Join(rest[2:], "/"), folder: rest[1], above: above}, true
	}
	for i, segment := range segments {
		if segment != "scopes" {
			continue
		}
		scope, rest := scopeOf(segments[i+1:])
		if place, ok := site(scope, rest, segments[:i]...); ok {
			return place, true
		}
	}
	for i, segment := range segments {
		scope := repositoryScope(segment)
		for j := i + 1; scope != "" && j < len(segments); j++ {
			if place, ok := site(scope, segments[j:], slices.Concat(segments[:i], segments[i+1:j])...); ok {
				return place, true
			}
		}
	}
	scope, rest := scopeOf(segments)
	if place, ok := site(scope, rest); ok {
		return place, true
	}
	return site(defaultScope, segments)
}

// scopeOf parses private, public or shared, <name> at the front; scope is ""
// when there is none.
func scopeOf(segments []string) (scope string, rest []string) {
	switch {
	case len(segments) > 0 && (segments[0] == ScopePrivate || segments[0] == ScopePublic):
		return segments[0], segments[1:]
	case len(segments) > 1 && segments[0] == "shared" && segments[1] != "":
		return sharedPrefix + segments[1], segments[2:]
	}
	return "", segments
}

// repositoryScope returns the scope in a repository's name, or "".
func repositoryScope(name string) string {
	name, ok := strings.CutPrefix(name, "actions.json.storage.")
	audience, shared := strings.CutPrefix(name, "shared.")
	switch {
	case ok && shared && audience != "":
		return sharedPrefix + audience
	case ok && (name == ScopePrivate || name == ScopePublic):
		return name
	}
	return ""
}

// canonicalScope returns the scope of a canonical path and what is below its
// folder; ok is false for any other path.
func canonicalScope(name string) (scope, below string, ok bool) {
	segments := strings.Split(name, "/")
	if segments[0] == "packages" && len(segments) > 2 {
		return packageScope, strings.Join(segments[1:], "/"), true
	}
	if segments[0] != "scopes" {
		return "", "", false
	}
	scope, rest := scopeOf(segments[1:])
	return scope, strings.Join(rest, "/"), scope != "" && len(rest) > 0
}

// reaches reports whether a map of one scope may use files of another: its own and
// less private ones. A map by others never reads your private files.
func reaches(from, to string) bool {
	rank := func(scope string) int {
		switch scope {
		case ScopePrivate:
			return 0
		case ScopePublic:
			return 2
		case packageScope:
			return 3
		}
		return 1
	}
	return from == to || rank(from) < rank(to)
}

// unsafePath returns why a path is not a plain relative one with the same meaning on
// every system, or "" if it is.
func unsafePath(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case len(name) > maxPathBytes:
		return fmt.Sprintf("it has more than %d bytes", maxPathBytes)
	case !utf8.ValidString(name):
		return "it is not valid UTF-8"
	case strings.ContainsAny(name, "\\:"):
		return "it has a backslash or a colon"
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }):
		return "it has a control character"
	case strings.Count(name, "/") >= maxSegments:
		return fmt.Sprintf("it has more than %d segments", maxSegments)
	}
	for segment := range strings.SplitSeq(name, "/") {
		switch {
		case segment == "":
			return "it is absolute or has an empty segment"
		case segment == "." || segment == "..":
			return "it has the segment " + segment
		case strings.HasPrefix(segment, "."):
			return "it has a hidden segment"
		case strings.TrimRight(segment, ". ") != segment:
			return "a segment ends with a dot or a space" // which Windows drops
		case len(segment) > maxSegmentBytes:
			return fmt.Sprintf("a segment has more than %d bytes", maxSegmentBytes)
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "this system gives it another meaning"
	}
	return ""
}

// executable reports whether a map at this path may be used: copies kept as
// evidence may not.
func executable(name string) bool {
	for segment := range strings.SplitSeq(name, "/") {
		if !followed(segment) {
			return false
		}
	}
	return path.Ext(name) == ".json"
}
