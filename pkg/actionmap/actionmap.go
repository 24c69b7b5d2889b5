// Package actionmap parses the actions.json format: what a site offers, how each
// action runs and where the map applies.
//
// Rules of this package:
//   - Parse is lenient: real maps have prose where the schema wants objects.
//     One broken tool never affects the others; Map.Problems names it.
//   - Validate is strict: every rule of the format, each finding with a JSON
//     pointer.
//   - A map is data of a third party. Its text grants nothing and is shown as
//     what the map says.
//   - A parsed map is immutable except for caches that are safe for concurrent use.
package actionmap

import (
	"encoding/json"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// Protocol is the value of every map's "protocol".
const Protocol = "actions.json"

// MaxBytes is the maximum size of a map.
const MaxBytes = 4 << 20

// maxDepth is the maximum nesting; the deepest known maps have about twenty levels.
const maxDepth = 200

var limits = strictjson.Limits{MaxBytes: MaxBytes, MaxDepth: maxDepth}

// Map is one loaded action map.
type Map struct {
	Protocol          string
	Version           string   // as text, whatever it was
	Name              string   // root "name", else the name of the surface
	Surface           string   // the surface's description of itself, as text
	Origin            string   // surface.origin: metadata that never hides a map
	ReviewedBy        string   // provenance.reviewed_by, "" if absent
	URLPatterns       []string // where the map applies; empty: everywhere on its host
	Tools             []*Tool  // callable ones, in the order of the map
	BlockedPrimitives []string
	Guidance          Guidance
	Files             []File
	Projections       []Projection
	Problems          []Problem
	Raw               json.RawMessage // strict form of the whole text
}

// Problem describes an element of a loaded map that cannot be used.
type Problem struct {
	Tool    string // name of the tool, "" when it has none or the problem is elsewhere
	Pointer string // JSON pointer into the map
	Message string
}

// Guidance is the instructions of the map's author to an agent.
type Guidance struct {
	Prompt string `json:"prompt,omitempty"`
	Skill  *Skill `json:"skill,omitempty"`
}

// Skill is the map's root "skill": a file to read, or the text itself.
type Skill struct {
	Path       string `json:"path,omitempty"`
	WhenToRead string `json:"when_to_read,omitempty"`
	Text       string `json:"text,omitempty"`
}

// File is a declared file of x_actions.files. Path is relative to the map's
// folder, or starts with scopes/.
type File struct {
	ID          string `json:"id,omitempty"`
	Path        string `json:"path"`
	Kind        string `json:"kind"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	ReadWhen    string `json:"read_when,omitempty"`
}

// Skill reports whether the file is a skill.
func (f File) Skill() bool {
	base := f.Path[strings.LastIndexByte(f.Path, '/')+1:]
	return f.Kind == "skill" || strings.EqualFold(base, "SKILL.md")
}

// Projection describes a state projection in a listing. Its definition stays in
// Map.Raw for the code that runs it.
type Projection struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Summaries   []string `json:"summaries,omitempty"`
	URLMatches  []string `json:"-"` // its own scope; empty: wherever the map applies
}

// Parse loads a map. It fails, with invalid_map, only for text that is not
// strict JSON, a wrong protocol, or tools that are not an array.
func Parse(text []byte) (*Map, error) {
	// Everything below works on the strict form: its keys are unique, so that a map
	// cannot show one thing to a reviewer and another to the host.
	raw, err := strictjson.Canonical(text, limits)
	if err != nil {
		f := fault.From(err)
		out := fault.Wrap(err, fault.InvalidMap, "the map cannot be read: %s", f.Message)
		out.Evidence = f.Evidence // where the text is wrong
		return nil, out
	}
	root, ok := object(raw)
	if !ok {
		return nil, fault.New(fault.InvalidMap, "the map is not a JSON object")
	}
	m := &Map{Protocol: str(root["protocol"]), Raw: raw}
	if m.Protocol != Protocol {
		return nil, fault.New(fault.InvalidMap, "the map's protocol is not %q", Protocol)
	}
	tools, ok := array(root["tools"])
	if !ok {
		return nil, fault.New(fault.InvalidMap, "the map's tools are not an array")
	}
	m.readMetadata(root)
	m.readFiles(member(root["x_actions"], "files"))
	m.readProjections(root["state_projections"])
	m.readTools(tools)
	return m, nil
}

// Tool returns the callable tool with the exact name.
func (m *Map) Tool(name string) (*Tool, bool) {
	for _, t := range m.Tools {
		if t.Name == name {
			return t, true
		}
	}
	return nil, false
}

func (m *Map) problem(tool, pointer, message string) {
	m.Problems = append(m.Problems, Problem{Tool: tool, Pointer: pointer, Message: message})
}
