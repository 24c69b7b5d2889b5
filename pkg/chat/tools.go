package chat

import (
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/coretools"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// MaxTools is the most that all tools weigh, in bytes: the catalogue of the voice, which is
// several times as large, would drown a small model.
const MaxTools = 14_000

// automationPrefix begins the names of the text agent's own primitives. A model knows the rest.
const automationPrefix = "automation."

// own are the tools of the text agent, in their order.
var own = []string{"navigate", "repl", "ask_user_which_element", "skill", "debugger"}

// beside are the tools between those and the core.
var beside = []coretools.Tool{
	{Name: "page.read", Description: "The text of the page, or of the article in it, page by page.", Arguments: []string{"offset", "max_chars", "version"}},
	{Name: "user.clarify", Description: "Ask the person a question; up to 4 options to choose from.", Arguments: []string{"question", "options"}},
	{Name: "agent.done", Description: "Say that the task is over, how it ended and what was done.", Arguments: []string{"summary", "outcome"}},
}

// reportMember is the argument with the reason for calling a primitive directly, which the
// prompt explains.
var reportMember = jsonnode.Member{Name: "policy_exception_report", Node: jsonnode.Node{Raw: json.RawMessage(`{"type":"object"}`)}}

// Toolset is all tools that a chat model may get.
type Toolset struct{ all []offer }

// offer is a tool and the primitive that it calls.
type offer struct {
	record *primitive.Record
	tool   model.Tool
}

// Tools returns the tools that the dictionary has.
func Tools(c *primitive.Catalogue) (*Toolset, error) {
	core := coretools.List()
	offers := slices.Concat(core[:1], beside, core[1:]) // actions.site comes first
	var dotted []string
	for _, o := range offers {
		dotted = append(dotted, o.Name)
	}
	names := primitive.NewNames(dotted)
	t := &Toolset{}
	for i, o := range offers {
		r, there := c.Public(o.Name)
		if !there {
			continue
		}
		schema, err := coreSchema(o, r)
		if err != nil {
			return nil, fault.Wrap(err, fault.InternalError, "the schema of %s cannot be offered: %v", o.Name, err)
		}
		t.all = append(t.all, offer{r, model.Tool{Name: names.Safe(o.Name), Description: o.Description, Parameters: schema}})
		if i == 0 {
			t.addOwn(c)
		}
	}
	return t, nil
}

// addOwn adds the text agent's own tools.
func (t *Toolset) addOwn(c *primitive.Catalogue) {
	for _, name := range own {
		if r, there := c.Public(automationPrefix + name); there {
			t.all = append(t.all, offer{r, model.Tool{Name: name, Description: r.Summary, Parameters: primitive.Compact(r.InputSchema)}})
		}
	}
}

// coreSchema returns the schema with the arguments of the offer. It stays open: the host checks
// what is not declared, such as the members of a continuation.
func coreSchema(o coretools.Tool, r *primitive.Record) (json.RawMessage, error) {
	properties, required, err := o.Schema(r, nil)
	if err != nil {
		return nil, err
	}
	if !coretools.ReportExempt(o.Name) {
		properties, required = append(properties, reportMember), append(required, reportMember.Name)
	}
	return primitive.Output(struct {
		Type       string          `json:"type"`
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required,omitempty"`
	}{"object", jsonnode.Join(properties), required})
}

// Offer returns the tools whose primitive is allowed.
func (t *Toolset) Offer(allowed func(*primitive.Record) bool) []model.Tool {
	var tools []model.Tool
	for _, o := range t.all {
		if allowed(o.record) {
			tools = append(tools, o.tool)
		}
	}
	return tools
}

// Select returns the tools of the names, in the order of the set, and the names that are none.
func (t *Toolset) Select(names []string) (tools []model.Tool, ignored []string) {
	for _, o := range t.all {
		if slices.Contains(names, o.tool.Name) {
			tools = append(tools, o.tool)
		}
	}
	for _, name := range names {
		if _, known := t.Record(name); !known && !slices.Contains(ignored, name) {
			ignored = append(ignored, name)
		}
	}
	return tools, ignored
}

// Record returns the primitive that a tool calls.
func (t *Toolset) Record(tool string) (*primitive.Record, bool) {
	for _, o := range t.all {
		if o.tool.Name == tool {
			return o.record, true
		}
	}
	return nil, false
}

// Size returns how many bytes the tools weigh.
func Size(tools []model.Tool) int {
	text, err := json.Marshal(tools)
	if err != nil {
		return MaxTools
	}
	return len(text)
}

// NoTools returns a set without any.
func NoTools() *Toolset { return &Toolset{} }
