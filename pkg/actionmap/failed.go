package actionmap

import (
	"encoding/json"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// Place is a member of a map.
type Place struct {
	Pointer string          `json:"pointer"`
	Line    int             `json:"line,omitzero"` // from 1
	Column  int             `json:"column,omitzero"`
	Member  json.RawMessage `json:"member,omitzero"`
}

// PlaceOf returns the member of a map's text that a failed call of an action is about: a step,
// a schema, a postcondition, or else the action itself; and the action's tool, nil where the
// map has none of the name. Without a failure it is the action.
func PlaceOf(text []byte, action string, failed *fault.Error) (Place, *Tool) {
	m, err := Parse(text)
	if err != nil {
		return Place{}, nil // the map was changed after the call
	}
	found := memberOf(jsonnode.Node{Raw: m.Raw}, action, failed)
	at := jsonnode.Positions(text, []string{found.Pointer})[found.Pointer]
	tool, _ := m.Tool(action)
	return Place{Pointer: found.Pointer, Line: at.Line, Column: at.Column, Member: found.Raw}, tool
}

// memberOf returns the member that an error is about, or else the action's.
func memberOf(root jsonnode.Node, action string, failed *fault.Error) jsonnode.Node {
	tool := named(root.Get("tools"), "name", action)
	if failed == nil || tool.Absent() {
		return tool
	}
	if failed.Code == fault.StatePostconditionFailed {
		for _, p := range root.Get("state_projections").Elements() {
			if check := p.Get("postconditions", action); !check.Absent() {
				return check
			}
		}
	}
	member := tool
	step, _ := failed.Evidence["step_id"].(string)
	switch {
	case step != "":
		member = named(tool.Get("workflow", "steps"), "id", step)
	case failed.Code == fault.InvalidInput || failed.Code == fault.InvalidArguments:
		member = tool.Get("input_schema")
	case failed.Code == fault.InvalidResult:
		member = tool.Get("output_schema")
	case strings.HasPrefix(string(failed.Code), "workflow_output_"):
		member = tool.Get("workflow", "output")
	}
	if member.Absent() {
		return tool
	}
	return member
}

// named returns the element of a list whose member has the value.
func named(list jsonnode.Node, member, value string) jsonnode.Node {
	for _, e := range list.Elements() {
		if e.Get(member).Text() == value {
			return e
		}
	}
	return jsonnode.Node{}
}
