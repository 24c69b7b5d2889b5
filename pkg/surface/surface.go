// Package surface is what a map says of its page beyond its tools: contexts,
// states, transitions, checks, attachments, signals and what it requires.
//
// Rules of this package:
//   - Parse is lenient: what cannot be used is left out and listed in
//     Surface.Problems, never fatal.
//   - The page is looked at through Read alone, with primitives that change
//     nothing; one look asks the same thing once and at most 200 things.
//   - What cannot be decided is unknown and says so. Prose is never guessed at,
//     and nothing unknown stops an action.
//   - A target is found by role and name, else by its selector, else by a
//     fallback; a state holds when all its diagnostics do.
//   - Texts of maps and pages are data: they are shown, cut and never obeyed.
package surface

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/jsonpart"
)

// Read looks at the page: it runs one primitive with its arguments, a JSON
// object, and gives its output. Errors are those of the call path.
type Read func(ctx context.Context, primitive string, args json.RawMessage) (json.RawMessage, error)

// maxEntries bounds each section: a map of a third party must not make a
// listing look at the page without end.
const maxEntries = 200

// Surface is what a map says of its page. It does not change after Parse and
// is safe for concurrent use.
type Surface struct {
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

// Problem is a part of the map that cannot be used.
type Problem struct {
	Pointer string `json:"pointer"` // JSON pointer into the map
	Message string `json:"message"`
}

// Provenance tells who wrote the map and who reviewed it. All of it is what
// the map says of itself.
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

// Parse reads the sections of a whole map. Anything that is no JSON object
// gives an empty surface.
func Parse(raw json.RawMessage) *Surface {
	s := &Surface{tools: map[string]Target{}}
	root := jsonpart.Part{Raw: raw}.Object()
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

// section gives the objects of an array section; others are problems. A name
// that stands twice keeps its first meaning.
func (s *Surface) section(p jsonpart.Part, key string) []jsonpart.Object {
	if !p.Absent() && !p.IsArray() {
		s.problem(p, "this section must be an array")
		return nil
	}
	var objects []jsonpart.Object
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

func (s *Surface) problem(at jsonpart.Part, message string) {
	s.Problems = append(s.Problems, Problem{at.Pointer, message})
}

func readProvenance(p jsonpart.Part) Provenance {
	o := p.Object()
	return Provenance{
		CreatedBy: o.Get("created_by").Text(), CreatedAt: o.Get("created_at").Text(),
		UpdatedBy: o.Get("updated_by").Text(), UpdatedAt: o.Get("updated_at").Text(),
		ReviewedBy: o.Get("reviewed_by").Text(), ReviewedAt: o.Get("reviewed_at").Text(),
		Source: prose(o.Get("source")), Revision: o.Get("revision").Text(),
	}
}
