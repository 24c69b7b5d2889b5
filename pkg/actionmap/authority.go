package actionmap

import (
	"encoding/json"
	"strconv"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Use is one place at which a tool calls a primitive.
type Use struct {
	Step      string          `json:"step,omitempty"` // id of the workflow's step, or its index; "" for a handler
	Primitive string          `json:"primitive"`
	Pointer   string          `json:"-"` // JSON pointer of the name, inside the tool
	Arguments json.RawMessage `json:"-"` // as written, slots unevaluated; nil for none
}

// Need is a use that a kind of host does not support.
type Need struct {
	Use
	Reason string `json:"reason"`
}

// Authority is what a tool can do, derived from what runs it and never from its
// author's description.
type Authority struct {
	Name       string   `json:"name"`
	Kind       Kind     `json:"kind"`
	Effects    []string `json:"effects"`    // of all its primitives, the mildest first
	Privileged []Use    `json:"privileged"` // uses that need more than a page may do
	RunsCode   bool     `json:"runs_code"`  // JavaScript of the map runs in the page
	Portable   bool     `json:"portable"`   // runs in an embedded host too
	Needs      []Need   `json:"needs"`      // why it does not
}

// The kinds of host that the dictionary's adapters name.
const (
	HostChromium = "chromium"
	HostFirefox  = "firefox"
	HostEmbed    = "embed"
)

// Hosts lists the kinds of host.
func Hosts() []string { return []string{HostChromium, HostFirefox, HostEmbed} }

// effects in ascending order of their reach.
var effects = []string{"read", "view", "state", "input", "tab", "code"}

// Uses returns the calls of the tool, in the order of its steps. A static tool calls
// nothing; neither do documented steps, which nothing runs.
func (t *Tool) Uses() []Use {
	switch t.Kind {
	case KindHandler:
		return []Use{{Primitive: t.Handler, Pointer: "/x_actions/handler", Arguments: t.BindingArguments}}
	case KindWorkflow:
		return workflowUses(t.Workflow)
	}
	return nil
}

// workflowUses parses a workflow leniently: what a broken one can do matters to a
// reviewer as well.
func workflowUses(flow json.RawMessage) (uses []Use) {
	return stepUses(jsonnode.Node{Pointer: "/workflow", Raw: flow}.Get("steps"))
}

// stepUses returns the uses of a list of steps, those in groups included.
func stepUses(steps jsonnode.Node) (uses []Use) {
	for i, step := range steps.Elements() {
		id := step.Get("id").Text()
		if id == "" {
			id = strconv.Itoa(i)
		}
		for _, call := range []jsonnode.Node{step, step.Get("after_each")} {
			if name := call.Get("primitive"); name.Text() != "" {
				uses = append(uses, Use{id, name.Text(), name.Pointer, call.Get("args").Raw})
			}
		}
		uses = append(uses, stepUses(step.Get("steps"))...)
		if settle := step.Get("settle_after"); !settle.Get("locator").Absent() {
			uses = append(uses, Use{id, "locator.wait_for", settle.Pointer, settle.Raw})
		}
	}
	return uses
}

// Authority returns what the tool can do.
func (t *Tool) Authority(catalogue *primitive.Catalogue) Authority {
	a := Authority{Name: t.Name, Kind: t.Kind, Effects: []string{}, Privileged: []Use{}, Needs: []Need{}}
	used := map[string]bool{}
	for _, use := range t.Uses() {
		record, ok := catalogue.Record(use.Primitive)
		if !ok {
			continue
		}
		used[record.Effect] = true
		class := record.CapabilityClass
		if class == "privileged" || class == "debug" || class == "mixed" && trusted(use.Arguments) {
			a.Privileged = append(a.Privileged, use)
		}
	}
	if _, ok := array(member(t.Workflow, "steps")); t.Kind == KindWorkflow && ok && len(t.Uses()) == 0 {
		used["read"] = true // a value that is made of the input, or assertions about it
	}
	for _, effect := range effects {
		if used[effect] {
			a.Effects = append(a.Effects, effect)
		}
	}
	a.RunsCode = used["code"]
	a.Portable, a.Needs = Portability(t, catalogue)
	return a
}

// Portability reports whether the tool runs in an embedded host, and the needs that
// prevent it. It is derived from the steps or the handler.
func Portability(t *Tool, catalogue *primitive.Catalogue) (portable bool, needs []Need) {
	needs = Unsupported(t, catalogue, HostEmbed)
	return len(needs) == 0 && t.Kind != KindNone, needs
}

// Unsupported returns the uses that a kind of host does not support. A step that
// tolerates its failure counts as well: an action runs whole or not at all.
func Unsupported(t *Tool, catalogue *primitive.Catalogue, host string) []Need {
	needs := []Need{}
	for _, use := range t.Uses() {
		record, ok := catalogue.Record(use.Primitive)
		if !ok {
			needs = append(needs, Need{use, "The dictionary has no such primitive."})
			continue
		}
		adapter := record.Adapters[host]
		switch {
		case adapter.Support == "supported":
		case adapter.Support == "partial" && !trusted(use.Arguments):
			// A partial adapter lacks only trusted input, through the debugger.
		default:
			needs = append(needs, Need{use, adapter.Reason})
		}
	}
	return needs
}

// trusted reports whether arguments request, or may request, trusted input: the value
// of a slot is known only at run time.
func trusted(args json.RawMessage) bool {
	value := member(args, "trusted")
	return !absent(value) && string(value) != "false"
}

// CheckHost returns findings for the actions of a map that a kind of host cannot run; each
// finding is capability_unavailable and names step and primitive. A map that
// does not load has none: [Validate] reports why.
func CheckHost(text []byte, catalogue *primitive.Catalogue, host string) []Finding {
	m, err := Parse(text)
	if err != nil {
		return nil
	}
	var findings []Finding
	for _, t := range m.Tools {
		for _, need := range Unsupported(t, catalogue, host) {
			if _, ok := catalogue.Record(need.Primitive); !ok {
				continue // Validate reports the unknown primitive
			}
			at := jsonnode.Node{Pointer: t.pointer + need.Pointer}
			where := "the handler"
			if need.Step != "" {
				where = "step " + strconv.Quote(need.Step)
			}
			f := newFinding(string(fault.CapabilityUnavailable), SeverityError, at, "the action %s cannot run in the %s host: %s uses %s. %s",
				[]any{strconv.Quote(t.Name), host, where, need.Primitive, need.Reason})
			f.Hint = hints[f.Rule]
			findings = append(findings, f)
		}
	}
	Locate(text, findings)
	return findings
}
