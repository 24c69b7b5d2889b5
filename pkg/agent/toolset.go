package agent

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// MaxFunctions is the number of functions that a provider takes.
const MaxFunctions = 128

// reportMember is the property that every direct primitive requires.
const reportMember = `"policy_exception_report":{"type":"object","description":"{kind, intended_tool, actions_json_path, reason}"}`

// offered returns the primitives that would run for this session here, actions.site
// first.
func (a *Agent) offered(blocked []string) []*primitive.Record {
	first, _ := a.Catalogue.Public(dispatch.SiteTool)
	records := []*primitive.Record{first}
	for _, name := range a.Catalogue.Names() {
		r, public := a.Catalogue.Public(name)
		if public && name != dispatch.SiteTool && a.runsHere(r, blocked) {
			records = append(records, r)
		}
	}
	return records
}

// allowed reports whether the session may use the primitive at all.
func (a *Agent) allowed(r *primitive.Record) bool {
	// The agent does not start or stop itself.
	return !isAgentPrimitive(r.Name) && (!r.IsForTextAgent() || a.Session.SessionKind == policy.SessionAgent) && policy.Offers(a.Session.ModeNow(), a.Session.CodeNow(), policy.Effect(r.Effect))
}

// isAgentPrimitive reports whether the agent is not offered the primitive: those about
// itself, and the batch, as its model makes several calls in one answer anyway.
func isAgentPrimitive(name string) bool {
	return strings.HasPrefix(name, "runtime.agent.") || name == dispatch.BatchTool
}

// prepared is what no page and no mode changes: every primitive that an agent could
// be offered, by name and as a function. It is computed once because a tool set is
// requested after every tool call.
type prepared struct {
	names     primitive.Names
	functions map[string]voice.Function
	err       error
}

func (a *Agent) prepared() *prepared {
	a.prepareOnce.Do(func() {
		a.advice = pagedata.NewMark()
		first, _ := a.Catalogue.Public(dispatch.SiteTool)
		records, names := []*primitive.Record{first}, []string{dispatch.SiteTool}
		for _, name := range a.Catalogue.Names() {
			if r, public := a.Catalogue.Public(name); public && name != dispatch.SiteTool && !isAgentPrimitive(name) {
				records, names = append(records, r), append(names, name)
			}
		}
		a.tools.names = primitive.NewNames(names)
		a.tools.functions, a.tools.err = functionsOf(records, a.tools.names)
	})
	return &a.tools
}

// functionsOf returns the functions. The same records yield the same bytes.
func functionsOf(records []*primitive.Record, names primitive.Names) (map[string]voice.Function, error) {
	functions := map[string]voice.Function{}
	for _, r := range records {
		parameters := primitive.Compact(r.InputSchema)
		if r.Name != dispatch.SiteTool {
			var err error
			if parameters, err = withReport(parameters); err != nil {
				return nil, fault.Wrap(err, fault.InternalError, "the schema of %s cannot be offered: %v", r.Name, err)
			}
		}
		functions[r.Name] = voice.Function{Name: names.Safe(r.Name), Description: r.Summary, Parameters: parameters}
	}
	return functions, nil
}

// withReport adds the report to a closed object schema and requires it.
func withReport(schema json.RawMessage) (json.RawMessage, error) {
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, err
	}
	properties := bytes.TrimSpace(s.Properties)
	if len(properties) < 2 {
		properties = []byte("{}")
	}
	inner := bytes.TrimSpace(properties[1 : len(properties)-1])
	if len(inner) > 0 {
		inner = append(bytes.Clone(inner), ',')
	}
	required, err := json.Marshal(append(s.Required, "policy_exception_report"))
	if err != nil {
		return nil, err
	}
	out := []byte(`{"type":"object","additionalProperties":false,"properties":{`)
	out = append(append(append(out, inner...), reportMember...), `},"required":`...)
	return append(append(out, required...), '}'), nil
}
