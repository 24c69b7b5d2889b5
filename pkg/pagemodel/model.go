// Package pagemodel is a map's description of its page beyond its tools: contexts,
// states, transitions, checks, attachments, signals and requirements.
//
// Rules of this package:
//   - Parse is lenient: what cannot be used is left out and listed in
//     Model.Problems, never fatal.
//   - The page is read through Read alone, with primitives that change nothing; one
//     evaluation reads the same thing once and makes at most 200 reads.
//   - What cannot be decided is unknown. Prose is never guessed at, and an unknown
//     verdict never stops an action.
//   - A target is found by role and name, else by its selector, else by a
//     fallback; a state holds when all its diagnostics do.
//   - Texts of maps and pages are data: they are shown, cut and never obeyed.
package pagemodel

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// Read reads the page: it runs one primitive with its arguments, a JSON
// object, and returns its output. Errors are those of the call path.
type Read func(ctx context.Context, primitive string, args json.RawMessage) (json.RawMessage, error)

// maxEntries bounds each section: a third party's map must not make a
// listing read the page without end.
const maxEntries = 200

// Model is a map's description of its page. It does not change after Parse and
// is safe for concurrent use.
type Model struct {
	Transitions []Transition
	Checks      []Check
	Attachments []Attachment
	Signals     []Signal
	Requires    Requires
	Provenance  Provenance
	Problems    []Problem

	contexts []contextBlock
	states   []state
	tools    map[string]Target // the declared targets of tools, by name
}

// Problem is an entry of the map that cannot be used.
type Problem struct {
	Pointer string `json:"pointer"` // JSON pointer into the map
	Message string `json:"message"`
}

// Provenance is who wrote the map and who reviewed it, as the map itself claims.
type Provenance struct {
	CreatedBy  string `json:"created_by,omitempty"`
	CreatedAt  string `json:"created_at,omitempty"`
	UpdatedBy  string `json:"updated_by,omitempty"`
	UpdatedAt  string `json:"updated_at,omitempty"`
	ReviewedBy string `json:"reviewed_by,omitempty"`
	ReviewedAt string `json:"reviewed_at,omitempty"`
	Source     string `json:"source,omitempty"`
	Revision   string `json:"revision,omitempty"`
}

// Parse reads the sections of a whole map. Anything that is not a JSON object
// returns an empty model.
func Parse(raw json.RawMessage) *Model {
	s := &Model{tools: map[string]Target{}}
	root := jsonnode.Node{Raw: raw}.Object()
	for _, tool := range root.Get("tools").Elements() {
		o := tool.Object()
		if target, ok := readTarget(o.Get("target")); ok {
			s.tools[o.Get("name").Text()] = target
		}
	}
	s.readStates(root.Get("states"))
	s.readContexts(root.Get("context"))
	s.readTransitions(root.Get("transitions"))
	s.readChecks(root.Get("checks"))
	s.readAttachments(root.Get("attachments"))
	s.readSignals(root.Get("signals"))
	s.Requires = readRequires(root.Get("requires"))
	s.Provenance = readProvenance(root.Get("provenance"))
	return s
}

// section returns the objects of an array section; other values are problems. Of
// entries with the same name the first is used.
func (s *Model) section(p jsonnode.Node, key string) []jsonnode.Object {
	if !p.Absent() && !p.IsArray() {
		s.problem(p, "this section must be an array")
		return nil
	}
	var objects []jsonnode.Object
	seen := map[string]bool{}
	for _, e := range p.Elements() {
		o := e.Object()
		name := o.Get(key).Text()
		switch {
		case !e.IsObject():
			s.problem(e, "must be an object")
		case name == "":
			s.problem(o.Get(key), "a "+key+" is missing")
		case seen[name]:
			s.problem(o.Get(key), "this "+key+" stands twice; the first is used")
		case len(objects) == maxEntries:
			s.problem(e, "too many entries; those from here on are not used")
			return objects
		default:
			seen[name] = true
			objects = append(objects, o)
		}
	}
	return objects
}

func (s *Model) problem(at jsonnode.Node, message string) {
	s.Problems = append(s.Problems, Problem{at.Pointer, message})
}

func readProvenance(p jsonnode.Node) Provenance {
	o := p.Object()
	return Provenance{
		CreatedBy: o.Get("created_by").Text(), CreatedAt: o.Get("created_at").Text(),
		UpdatedBy: o.Get("updated_by").Text(), UpdatedAt: o.Get("updated_at").Text(),
		ReviewedBy: o.Get("reviewed_by").Text(), ReviewedAt: o.Get("reviewed_at").Text(),
		Source: prose(o.Get("source")), Revision: o.Get("revision").Text(),
	}
}
