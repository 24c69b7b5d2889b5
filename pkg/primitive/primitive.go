// Package primitive is the catalogue of primitives: the name, arguments, output,
// effect and handler of each.
//
// Rules of this package:
//   - One record a primitive, from manifest/primitives; validation, routing,
//     pacing, permission and documentation all come from it.
//   - A name without a handler, or a handler without a name, is a defect that
//     Registry.Missing reports and a test turns red.
package primitive

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paging"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// Route names the first handler of a primitive.
type Route string

// The four routes.
const (
	RouteHost     Route = "host"     // the host alone
	RoutePage     Route = "page"     // the content script
	RouteDebugger Route = "debugger" // chrome.debugger, going on to the page where nothing trusted is asked
	RouteBrowser  Route = "browser"  // the extension's worker
)

// Record is one primitive of the dictionary.
type Record struct {
	Name            string             `json:"name"`
	Version         int                `json:"version"`
	Stage           int                `json:"stage"`
	Summary         string             `json:"summary"`
	CapabilityClass string             `json:"capability_class"`
	Portable        bool               `json:"portable"`
	Capabilities    []string           `json:"capabilities"`
	InputSchema     json.RawMessage    `json:"input_schema"`
	OutputSchema    json.RawMessage    `json:"output_schema"`
	Adapters        map[string]Adapter `json:"adapters"`
	Errors          []string           `json:"errors"`
	Conformance     []string           `json:"conformance"`
	Route           Route              `json:"route"`
	Effect          string             `json:"effect"` // read, view, input, tab, state or code
	Paced           bool               `json:"paced"`
	Workflow        bool               `json:"workflow"`
	// Internal marks a helper of other primitives that has a record for its
	// schemas and its handler only: no caller can name it.
	Internal bool `json:"internal,omitzero"`
	// BypassesLane lets it run beside the call that has the tab's lane.
	BypassesLane bool `json:"bypasses_lane,omitzero"`

	MaxOutputChars int      `json:"max_output_chars,omitzero"` // 0: the common budget
	Classes        []string `json:"classes,omitzero"`
	// URLArgument names the argument that is the address of a page or of a request.
	URLArgument string    `json:"url_argument,omitzero"`
	Security    Security  `json:"security,omitzero"`
	Labels      Labels    `json:"labels,omitzero"`
	Hint        string    `json:"hint,omitzero"`    // for the system prompt, of what a model should know unasked
	Special     []Special `json:"special,omitzero"` // what the handler may hand over beside its output

	// Observes names the arguments that the call path itself answers: what the call is
	// asked to observe after its input. Handlers do not get them.
	Observes []string `json:"-"`

	input, output func() (*schema.Schema, error)
}

// Adapter is how far one browser, or a host embedded in a page, supports a primitive.
type Adapter struct {
	Support string `json:"support"` // supported, partial or unsupported
	Reason  string `json:"reason,omitzero"`
}

// A Special is what a handler hands over beside its output, see [Meta].
type Special string

// The specials.
const (
	SpecialImage    Special = "image"    // a picture to look at
	SpecialDocument Special = "document" // a document to read
	SpecialDone     Special = "done"     // the end of a task
)

// Labels are what a person reads while a primitive runs, in English.
type Labels struct {
	Tool      string `json:"tool"`
	WithParam string `json:"tool.with_param,omitzero"` // with one {argument}
}

// Security is what a reviewer must know of a primitive.
type Security struct {
	ReadsValues         bool     `json:"reads_values,omitzero"`
	Destructive         bool     `json:"destructive,omitzero"`
	PageText            bool     `json:"page_text,omitzero"`            // the output holds words of a page
	ForeignText         bool     `json:"foreign_text,omitzero"`         // it holds other words of strangers, which show nothing of the page
	Note                string   `json:"note,omitzero"`                 // what could go wrong
	InjectableArguments []string `json:"injectable_arguments,omitzero"` // arguments whose text reaches the page
	Unlogged            []string `json:"unlogged,omitzero"`             // members of arguments and output that never reach the log
}

// Acts reports whether the primitive changes more than what is shown: its intent
// must be on disk before it is sent.
func (r *Record) Acts() bool {
	return r.Effect == "input" || r.Effect == "tab" || r.Effect == "code"
}

// IsForeign reports whether the output holds words that neither the host nor the caller
// chose: data, never orders.
func (r *Record) IsForeign() bool { return r.Security.PageText || r.Security.ForeignText }

// IsForTextAgent reports whether the primitive is a tool of the text agent, which no other
// catalogue offers.
func (r *Record) IsForTextAgent() bool { return slices.Contains(r.Classes, "text_agent") }

// CheckInput validates arguments (a JSON object); the fault is invalid_input
// and names every violation.
func (r *Record) CheckInput(args json.RawMessage) error {
	violations, err := check(r.input, args)
	if err != nil || len(violations) == 0 {
		return err
	}
	first := strings.TrimSpace(violations[0].Path + " " + violations[0].Message)
	invalid := fault.New(fault.InvalidInput, "the arguments of %s are not valid: %s", r.Name, first).
		With("violations", violations).WithDispatched(fault.NotDispatched)
	if slices.ContainsFunc(violations, ofLocator) {
		return invalid.WithNextStep(`Name the target in locator, as an object: {"ref":…} from page.snapshot, {"role":"button","name":"Send"}, {"label":"Email"} or {"selector":"h1"}.`)
	}
	return invalid
}

// ofLocator reports whether the locator is missing or malformed. Callers who
// know other tools write a selector or a ref in its place.
func ofLocator(v schema.Violation) bool {
	return strings.HasPrefix(v.Path, "/locator") || v.Keyword == "required" && strings.Contains(v.Message, `"locator"`)
}

// CheckOutput validates a handler's output; the fault is invalid_result.
func (r *Record) CheckOutput(output json.RawMessage) error {
	violations, err := check(r.output, output)
	if err != nil || len(violations) == 0 {
		return err
	}
	return fault.New(fault.InvalidResult, "the output of %s does not match its schema: %s", r.Name, violations[0].Message).
		With("violations", violations)
}

func check(compiled func() (*schema.Schema, error), doc json.RawMessage) ([]schema.Violation, error) {
	s, err := compiled()
	if err != nil {
		return nil, err
	}
	return s.Validate(doc), nil
}

// Catalogue holds all records; it does not change after Load. A record is read when it is first
// asked for: a command line needs one of them, and the host's start none.
type Catalogue struct {
	records map[string]func() *Record
	names   []string
}

// Load returns the catalogue of the embedded dictionary.
var Load = sync.OnceValue(func() *Catalogue {
	c := &Catalogue{records: map[string]func() *Record{}, names: manifest.PrimitiveNames()}
	for _, name := range c.names {
		c.records[name] = sync.OnceValue(func() *Record {
			r, err := read(name)
			if err != nil {
				panic(fmt.Errorf("primitive record %s: %w", name, err)) // it is embedded, and a test reads them all
			}
			return r
		})
	}
	return c
})

func read(name string) (*Record, error) {
	r := &Record{}
	compact := jsontext.Value(manifest.Primitive(name)) // one of our own: nothing hostile is in it
	if err := compact.Compact(); err != nil {
		return nil, err
	}
	if err := jsonv2.Unmarshal(compact, r, jsonv2.RejectUnknownMembers(true)); err != nil {
		return nil, err
	}
	if r.Name != name {
		return nil, fmt.Errorf("it is called %s", r.Name)
	}
	if err := r.addByEffect(); err != nil {
		return nil, err
	}
	for _, schema := range []*json.RawMessage{&r.InputSchema, &r.OutputSchema} {
		whole, err := manifest.Complete(*schema)
		if err != nil {
			return nil, err
		}
		*schema = whole
	}
	r.input = sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(r.InputSchema) })
	r.output = sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(r.OutputSchema) })
	return r, nil
}

// addByEffect adds what all public records of the effect take, give and fail with.
func (r *Record) addByEffect() error {
	if r.Internal {
		return nil
	}
	more, err := manifest.ByEffect(r.Effect)
	if err != nil {
		return err
	}
	if r.InputSchema, r.Observes, err = manifest.AddProperties(r.InputSchema, more.Input); err != nil {
		return err
	}
	r.OutputSchema, _, err = manifest.AddProperties(r.OutputSchema, more.Output)
	r.Errors = append(r.Errors, more.Errors...)
	return err
}

// Record returns the record of a name.
func (c *Catalogue) Record(name string) (*Record, bool) {
	read, ok := c.records[name]
	if !ok {
		return nil, false
	}
	return read(), true
}

// Names lists all names, sorted.
func (c *Catalogue) Names() []string { return slices.Clone(c.names) }

// Public returns the record of a name that callers may use.
func (c *Catalogue) Public(name string) (*Record, bool) {
	r, ok := c.Record(name)
	return r, ok && !r.Internal
}

// Find returns the public records whose name or summary has all the words, by
// name; all of them for no words.
func (c *Catalogue) Find(words string) []*Record {
	var found []*Record
	for _, name := range c.names {
		if r, public := c.Public(name); public && paging.Matches(words, name, r.Summary) {
			found = append(found, r)
		}
	}
	return found
}

// Step reports whether the name may be a workflow step.
func (c *Catalogue) Step(name string) bool {
	r, ok := c.Record(name)
	return ok && r.Workflow
}

// Typed returns the arguments of a primitive whose text is typed, or stays out of
// the log for another reason.
func (c *Catalogue) Typed(name string) []string {
	r, ok := c.Record(name)
	if !ok {
		return nil
	}
	return slices.Concat(r.Security.InjectableArguments, r.Security.Unlogged)
}

// Effect returns the effect of a primitive, "" for an unknown name.
func (c *Catalogue) Effect(name string) string {
	if r, ok := c.Record(name); ok {
		return r.Effect
	}
	return ""
}
