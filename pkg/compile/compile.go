// Package compile makes a stored action of what somebody has just done: the calls of a session,
// or a demonstration by hand.
//
// Rules of this package:
//   - It is pure: what was done comes as a [Run], and the open page is asked by a function of the
//     caller.
//   - What was typed or chosen becomes an input. No typed text is in a map, but as the site's
//     own name, or inside a longer word of an address, and the value of a secret field is never
//     needed.
//   - Each target gets the most durable locator that was seen, or is checked, to find it alone.
//     One that finds several is an error, never a guess.
//   - What the record does not say is a note or an error, never made up.
//   - The same run gives the same map.
package compile

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

// Verdict is what the open page says of a locator.
type Verdict int

const (
	Unchecked Verdict = iota // the page is not open
	One                      // it finds the target and nothing else
	None                     // it finds nothing, or another element
	Several                  // it finds more than the target
)

// Options configures an action.
type Options struct {
	Name      string // of the action; empty: made from the page and the last act
	Catalogue *primitive.Catalogue
	// Check tries a locator on the page of the address, for the target; nil: no page is open.
	Check func(address string, locator json.RawMessage, target *Met) Verdict
}

// Action is a map with one action.
type Action struct {
	Name      string
	URL       string // the page where it begins
	Text      []byte // of the map, indented JSON
	Sentences []string
	Inputs    []string // names, in the order of their use
	Notes     []string
	Findings  []actionmap.Finding // of the strict rules; none as a rule
}

// Details are what a person decides by whether to have the action.
type Details struct {
	InputSchema json.RawMessage `json:"input_schema"`
	Effects     []string        `json:"effects"` // of all its steps, the mildest first
	RunsCode    bool            `json:"runs_code"`
	Map         string          `json:"map"`
}

// Details returns those of the action; the error is that of a map which cannot be read.
func (a Action) Details(catalogue *primitive.Catalogue) (*Details, error) {
	parsed, err := actionmap.Parse(a.Text)
	if err != nil {
		return nil, err
	}
	authority := parsed.Tools[0].Authority(catalogue)
	return &Details{InputSchema: parsed.Tools[0].InputSchema, Effects: authority.Effects, RunsCode: authority.RunsCode, Map: string(a.Text)}, nil
}

var actionName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]*(\.[a-zA-Z][a-zA-Z0-9_-]*)*$`)

// Write makes the action. The errors are invalid_input for a run that cannot become one, and
// multiple_targets for a target that no locator finds alone.
func Write(run Run, opts Options) (Action, error) {
	if err := CheckName(opts.Name); err != nil {
		return Action{}, err
	}
	w := &writer{run: run, Options: opts, ids: map[string]bool{}, taken: map[string]bool{}, notes: slices.Clone(run.Notes)}
	last, err := w.lastAct()
	if err != nil {
		return Action{}, err
	}
	w.last = last
	for i := range run.Steps {
		if err := w.add(i); err != nil {
			return Action{}, err
		}
	}
	w.loop()
	w.await()
	if n := w.count(); n > workflow.MaxSteps {
		return Action{}, invalid("the calls make %d steps, and an action has at most %d", n, workflow.MaxSteps).
			WithNextStep("Save fewer of them: --calls A-B takes those from A to B.")
	}
	return w.finish()
}

// CheckName returns invalid_input for what cannot be the name of an action; empty is one to be made.
func CheckName(name string) error {
	if name == "" || actionName.MatchString(name) {
		return nil
	}
	return invalid("%q cannot be the name of an action", name).
		WithNextStep("Begin with a letter; then letters, digits, _ and -, in parts joined by dots: shop.order.")
}

func invalid(format string, args ...any) *fault.Error {
	return fault.New(fault.InvalidInput, format, args...)
}

// writer collects the action.
type writer struct {
	Options
	run       Run
	last      int // index of the last step that acted
	steps     []*step
	inputs    []*input
	typed     []typed
	constants []string // texts that the user keeps as they are
	notes     []string
	unchecked int
	ids       map[string]bool
	taken     map[string]bool // names of inputs
	result    *step           // the read whose output is the action's
}

// step is a step of the workflow on its way.
type step struct {
	of       *Step
	id       string
	name     string // primitive
	args     []member
	sentence string
	inputs   []*input // that it alone uses
	to       *input   // the one of them that chooses where something is dropped
	settle   []member
	loop     *loop
}

type member struct {
	name  string
	value any
}

func (w *writer) note(format string, args ...any) {
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

// unit returns what the record calls one of its steps.
func (w *writer) unit() string {
	if w.run.Source == SourceRecording {
		return "Step"
	}
	return "Call"
}

// lastAct returns the index of the last step that acted.
func (w *writer) lastAct() (int, error) {
	for i, s := range slices.Backward(w.run.Steps) {
		if w.acts(s.Primitive) {
			return i, nil
		}
	}
	if len(w.run.Steps) == 0 {
		return 0, invalid("none of the calls succeeded and could be repeated").
			WithNextStep("actions-host log dump --session shows what was done; name another session.")
	}
	return -1, nil // it only reads
}

// acts reports whether a step of the primitive changes the page.
func (w *writer) acts(name string) bool {
	switch kindOf(name) {
	case kindAct, kindKey, kindPoint, kindDrag, kindNavigate, kindUnsupported:
		return true
	}
	return false
}

// start returns the page on which the action begins.
func (w *writer) start() string { return w.steps[0].of.URL }

// id returns a free id for a step.
func (w *writer) id(words ...string) string {
	return free(w.ids, slug(strings.Join(words, " ")), "step")
}

// nameOf returns the action's name.
func (w *writer) nameOf() string {
	if w.Name != "" {
		return w.Name
	}
	site := "site"
	if u, err := url.Parse(w.start()); err == nil {
		labels := strings.Split(strings.TrimPrefix(u.Hostname(), "www."), ".")
		if s := slug(labels[0]); len(labels) > 1 && s != "" && s[0] >= 'a' {
			site = s
		}
	}
	for _, s := range slices.Backward(w.steps) {
		if s.of.Target != nil && w.acts(s.name) && !isChoice(s.of, s.of.Target) {
			if words := slug(w.plain(titleOf(s.of.Target))); words != "" && words[0] >= 'a' {
				return site + "." + words
			}
		}
	}
	return site + ".saved"
}

func recordedAt(run Run) string { return run.Steps[len(run.Steps)-1].At.UTC().Format(time.RFC3339) }
