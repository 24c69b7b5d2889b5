package lint

import (
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/origin"
)

// Place says where in a storage folder a map lies. Empty fields are not known.
type Place struct {
	Scope string // private, shared:<audience> or public
	Host  string // the site's folder
}

// PlaceOf reads the place from the path of a map, with forward slashes:
// …/scopes/<scope>/sites/<host>/…
func PlaceOf(path string) Place {
	segments := strings.Split(path, "/")
	for i := len(segments) - 3; i > 0; i-- {
		if segments[i] != "sites" {
			continue
		}
		p := Place{Host: strings.ToLower(segments[i+1])}
		switch scope := segments[i-1]; {
		case scope == "private" || scope == "public":
			p.Scope = scope
		case i > 1 && segments[i-2] == "shared":
			p.Scope = "shared:" + scope
		default:
			continue
		}
		return p
	}
	return Place{}
}

// public tells whether everyone may come to read the map: also a map that is
// not in a storage folder yet.
func (p Place) public() bool { return p.Scope == "public" || p.Scope == "" }

// rank orders scopes: maps of a lower rank go before others.
func (p Place) rank() int {
	switch {
	case p.Scope == "private":
		return 0
	case p.Scope == "public":
		return 2
	default:
		return 1
	}
}

// checkPlace compares the map with its folder.
func (l *linter) checkPlace() {
	host := l.place.Host
	if host == "" {
		return
	}
	surface := l.root.get("surface", "origin")
	if origin.IsPublicSuffix(host) {
		l.add("public_suffix_folder", l.root, "the folder %q is a public suffix", host)
		return
	}
	if surface.text() == "" {
		return
	}
	at, err := origin.Parse(surface.text())
	if err != nil {
		l.add("origin_mismatch", surface, "%q is not the origin of a web page", surface.text())
		return
	}
	// Either may be the wider one: a map for www.example.com in the folder
	// example.com, and the reverse.
	if !origin.MatchHost(at.Host, host) && !origin.MatchHost(host, at.Host) {
		l.add("origin_mismatch", surface, "the origin's host %q does not belong to the folder %q", at.Host, host)
	}
}

// checkContext looks for names that nothing declares.
func (l *linter) checkContext() {
	declared := func(section, key string) (names []string) {
		for _, e := range l.root.get(section).elements() {
			names = append(names, e.get(key).text())
		}
		return names
	}
	tools := declared("tools", "name")
	states := declared("states", "name")
	for _, member := range l.root.get("states").members() {
		states = append(states, member.name)
	}
	known := func(kind string, names []string, used ...node) {
		for _, n := range used {
			if n.isString() && !slices.Contains(names, n.text()) && !l.provided(n.text()) {
				l.add("dangling_reference", n, "unknown %s %q", kind, n.text())
			}
		}
	}
	for _, block := range l.root.get("context").elements() {
		known("tool", tools, block.get("available_tools").elements()...)
		known("state", states, block.get("next_states").elements()...)
		known("state", states, block.get("load_when", "states").elements()...)
	}
	for _, attachment := range l.root.get("attachments").elements() {
		known("tool", tools, attachment.get("affordance", "opens", "tool"))
		known("state", states, attachment.get("target", "state"))
	}
	for _, t := range l.tools {
		known("state", states, t.get("target", "state"))
	}
}

// provided tells whether a name comes from elsewhere: from an import's
// namespace or from the dictionary.
func (l *linter) provided(name string) bool {
	for _, i := range l.root.get("imports").elements() {
		namespace := i.get("namespace").text()
		if namespace == "" {
			namespace = i.get("id").text()
		}
		if strings.HasPrefix(name, namespace+".") {
			return true
		}
	}
	_, ok := l.catalogue.Record(name)
	return ok
}
