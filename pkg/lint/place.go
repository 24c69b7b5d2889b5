package lint

import (
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/origin"
)

// Place is the position of a map in a storage folder. Empty fields are unknown.
type Place struct {
	Scope string // private, shared:<audience> or public
	Host  string // the site's folder
}

// PlaceOf returns the place for the path of a map, with forward slashes:
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

// public reports whether the map may be public, which includes one that is not in a
// storage folder yet.
func (p Place) public() bool { return p.Scope == "public" || p.Scope == "" }

// rank returns the precedence of the scope, lower first.
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
	surface := l.root.Get("surface", "origin")
	if origin.IsPublicSuffix(host) {
		l.add("public_suffix_folder", l.root.Node, "the folder %q is a public suffix", host)
		return
	}
	if surface.Text() == "" {
		return
	}
	at, err := origin.Parse(surface.Text())
	if err != nil {
		l.add("origin_mismatch", surface, "%q is not the origin of a web page", surface.Text())
		return
	}
	// Either may be the wider one: a map for www.example.com in the folder
	// example.com, and the reverse.
	if !origin.MatchHost(at.Host, host) && !origin.MatchHost(host, at.Host) {
		l.add("origin_mismatch", surface, "the origin's host %q does not belong to the folder %q", at.Host, host)
	}
}

// checkContext reports undeclared names.
func (l *linter) checkContext() {
	declared := func(section, key string) (names []string) {
		for _, e := range l.root.Get(section).Elements() {
			names = append(names, e.Get(key).Text())
		}
		return names
	}
	tools := declared("tools", "name")
	states := declared("states", "name")
	for _, member := range l.root.Get("states").Members() {
		states = append(states, member.Name)
	}
	known := func(kind string, names []string, used ...jsonnode.Node) {
		for _, n := range used {
			if n.IsString() && !slices.Contains(names, n.Text()) && !l.provided(n.Text()) {
				l.add("dangling_reference", n, "unknown %s %q", kind, n.Text())
			}
		}
	}
	for _, block := range l.root.Get("context").Elements() {
		known("tool", tools, block.Get("available_tools").Elements()...)
		known("state", states, block.Get("next_states").Elements()...)
		known("state", states, block.Get("load_when", "states").Elements()...)
	}
	for _, attachment := range l.root.Get("attachments").Elements() {
		known("tool", tools, attachment.Get("affordance", "opens", "tool"))
		known("state", states, attachment.Get("target", "state"))
	}
	for _, t := range l.tools {
		known("state", states, t.Get("target", "state"))
	}
}

// provided reports whether a name is defined outside the map: in an import's namespace
// or the dictionary.
func (l *linter) provided(name string) bool {
	for _, i := range l.root.Get("imports").Elements() {
		namespace := i.Get("namespace").Text()
		if namespace == "" {
			namespace = i.Get("id").Text()
		}
		if strings.HasPrefix(name, namespace+".") {
			return true
		}
	}
	_, ok := l.catalogue.Record(name)
	return ok
}
