// Package primitive is the catalogue of primitives: what each is called, takes,
// gives, does to the page and is run by.
//
// Rules of this package:
//   - One record a primitive, from manifest/primitives; validation, routing,
//     pacing, permission and documentation all come from it.
//   - A name without a handler, or a handler without a name, is a defect that
//     Registry.Missing reports and a test turns red.
package primitive

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/fault"
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
	// Internal marks a part of other primitives that has a record for its
	// schemas and its handler only: no caller can name it.
	Internal bool `json:"internal,omitzero"`
	// BypassesLane lets it run beside the call that has the tab's lane.
	BypassesLane bool `json:"bypasses_lane,omitzero"`

	MaxOutputChars int               `json:"max_output_chars,omitzero"` // 0: the common budget
	Classes        []string          `json:"classes,omitzero"`
	Security       Security          `json:"security,omitzero"`
	Labels         map[string]string `json:"labels,omitzero"`

	input, output func() (*schema.Schema, error)
}

// Adapter tells how far one kind of host supports a primitive.
type Adapter struct {
	Support string `json:"support"` // supported, partial or unsupported
	Reason  string `json:"reason,omitzero"`
}

// Security marks what a reviewer must know of a primitive.
type Security struct {
	ReadsValues         bool     `json:"reads_values,omitzero"`
	Destructive         bool     `json:"destructive,omitzero"`
	InjectableArguments []string `json:"injectable_arguments,omitzero"` // arguments whose text reaches the page
	Unlogged            []string `json:"unlogged,omitzero"`             // members of arguments and output that never reach the log
}

// Acts tells whether the primitive changes more than what is shown: its intent
// must be on disk before it is sent.
func (r *Record) Acts() bool {
	return r.Effect == "input" || r.Effect == "tab" || r.Effect == "code"
}

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

// ofLocator tells that the locator is missing or has another form. Callers who
// know other tools write a selector or a ref in its place.
func ofLocator(v schema.Violation) bool {
	return strings.HasPrefix(v.Path, "/locator") || v.Keyword == "required" && strings.Contains(v.Message, `"locator"`)
}

// CheckOutput validates what a handler gave; the fault is invalid_result.
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

// Catalogue holds all records; it does not change after Load.
type Catalogue struct {
	records map[string]*Record
	names   []string
}

// Load reads the embedded dictionary.
func Load() (*Catalogue, error) {
	c := &Catalogue{records: map[string]*Record{}}
	for name, text := range manifest.Primitives() {
		r := &Record{}
		compact := jsontext.Value(text) // one of our own: nothing hostile is in it
		if err := compact.Compact(); err != nil {
			return nil, fmt.Errorf("primitive record %s: %w", name, err)
		}
		if err := jsonv2.Unmarshal(compact, r, jsonv2.RejectUnknownMembers(true)); err != nil {
			return nil, fmt.Errorf("primitive record %s: %w", name, err)
		}
		if r.Name != name {
			return nil, fmt.Errorf("the file %s.json holds the record of %s", name, r.Name)
		}
		for _, schema := range []*json.RawMessage{&r.InputSchema, &r.OutputSchema} {
			whole, err := manifest.Complete(*schema)
			if err != nil {
				return nil, fmt.Errorf("primitive record %s: %w", name, err)
			}
			*schema = whole
		}
		// Compiled at first use: the host's start stays short.
		r.input = sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(r.InputSchema) })
		r.output = sync.OnceValues(func() (*schema.Schema, error) { return schema.Compile(r.OutputSchema) })
		c.records[name] = r
		c.names = append(c.names, name)
	}
	slices.Sort(c.names)
	return c, nil
}

// Record gives the record of a name.
func (c *Catalogue) Record(name string) (*Record, bool) {
	r, ok := c.records[name]
	return r, ok
}

// Names lists all names, sorted.
func (c *Catalogue) Names() []string { return slices.Clone(c.names) }

// Public gives the record of a name that callers may use.
func (c *Catalogue) Public(name string) (*Record, bool) {
	r, ok := c.records[name]
	return r, ok && !r.Internal
}

// Find gives the public records whose name or summary has all the words, by
// name; all of them for no words.
func (c *Catalogue) Find(words string) []*Record {
	var found []*Record
	for _, name := range c.names {
		r, public := c.Public(name)
		if !public {
			continue
		}
		text, hit := strings.ToLower(name+" "+r.Summary), true
		for word := range strings.FieldsSeq(strings.ToLower(words)) {
			hit = hit && strings.Contains(text, word)
		}
		if hit {
			found = append(found, r)
		}
	}
	return found
}

// Step tells whether the name may be a workflow step.
func (c *Catalogue) Step(name string) bool {
	r, ok := c.records[name]
	return ok && r.Workflow
}

// Effect gives the name's effect, "" for a name that is no primitive.
func (c *Catalogue) Effect(name string) string {
	if r, ok := c.records[name]; ok {
		return r.Effect
	}
	return ""
}

// Session is what a handler may know of the caller.
type Session interface {
	// Current is the id of the session's current tab, 0 for none.
	Current() int
	// SetCurrent changes it.
	SetCurrent(tabID int)
	// Kind is cli, mcp, voice or agent.
	Kind() string
	// SessionID names it in the log and keys what the host keeps for it.
	SessionID() string
	// Sees tells whether it may know the address and title of a page.
	Sees(url string) bool
	// Name and SetName are the name that the caller gave it, for people.
	Name() string
	SetName(name string)
	// Pace sets the least time between two paced primitives.
	Pace(every time.Duration)
}

// Call is one call as a handler sees it: looked up, validated, allowed.
type Call struct {
	ID        string
	Record    *Record
	Arguments json.RawMessage
	TabID     int    // 0 where no tab is involved
	RuntimeID string // set only when the caller named a document
	Origin    string // the origin that policy decided for; the page refuses another
	// FrameOrigins are further origins that policy decided for: the call may go
	// on into frames of theirs.
	FrameOrigins []string
	// Permit decides for one more origin, for what can go on without it.
	Permit func(origin string) error
	// Confirm has the user asked, whatever the settings say: for a grant of the
	// effect on the origin, or where fresh for this very call. Name is what the
	// user is asked about.
	Confirm    func(name, origin string, fresh bool) error
	URL        string // of the tab when the call was decided
	Stored     bool   // a step of a stored action, whose author knows what follows
	Authorized bool   // a step of a stored action that was decided as a whole
	Session    Session
	Shown      string // what a person reads in the page meanwhile; empty: nothing is shown
	Meta       *Meta  // where the handler puts what belongs to the run
}

// Meta is what an envelope tells of the run, apart from the output.
type Meta struct {
	DurationMS      float64 `json:"duration_ms"`
	Tab             *TabRef `json:"tab,omitzero"`
	RateLimitWaitMS float64 `json:"rate_limit_wait_ms,omitzero"`
	Map             string  `json:"map,omitzero"`        // path of the map whose action ran
	MapErrors       any     `json:"map_errors,omitzero"` // maps of this page that do not load
	Steps           any     `json:"steps,omitzero"`      // summaries of the workflow's steps
	Postcondition   any     `json:"postcondition,omitzero"`
	// Announcements are what live regions said, where the session asked for them:
	// the page's own words.
	Announcements any `json:"announcements,omitzero"`
	// OpenedTabs are the tabs and windows that the page opened during the call.
	OpenedTabs []OpenedTab `json:"opened_tabs,omitzero"`
}

// OpenedTab is a tab that a claimed tab's page opened; the call stays on its own.
type OpenedTab struct {
	TabID   int    `json:"tab_id"`
	URL     string `json:"url"` // where it is going: the page's word
	Claimed bool   `json:"claimed"`
}

// TabRef names the tab and the document that a call met.
type TabRef struct {
	TabID     int    `json:"tab_id"`
	RuntimeID string `json:"runtime_id"`
	URL       string `json:"url"`
}

// Handler runs a primitive. Its context carries the deadline.
type Handler func(ctx context.Context, call Call) (json.RawMessage, error)

// Registry maps names to handlers; routes page share one.
type Registry struct {
	Page  Handler
	Named map[string]Handler
}

// Handler gives the handler of a record.
func (g *Registry) Handler(r *Record) (Handler, error) {
	if h, ok := g.Named[r.Name]; ok {
		return h, nil
	}
	if r.Route == RoutePage && g.Page != nil {
		return g.Page, nil
	}
	return nil, fault.New(fault.MissingHandler, "nothing runs %s", r.Name).WithDispatched(fault.NotDispatched)
}

// Missing lists names without a handler and handlers without a name.
func (g *Registry) Missing(c *Catalogue) (unhandled, unnamed []string) {
	for _, name := range c.names {
		if _, err := g.Handler(c.records[name]); err != nil {
			unhandled = append(unhandled, name)
		}
	}
	for name := range g.Named {
		if _, ok := c.records[name]; !ok {
			unnamed = append(unnamed, name)
		}
	}
	slices.Sort(unnamed)
	return unhandled, unnamed
}
