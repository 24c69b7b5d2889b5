package policy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// The two kinds of report.
const (
	KindGeneric  = "generic"
	KindDebugger = "debugger" // exactly for effect code and class debug
)

// reportMember is the member of a direct call's arguments that holds the report.
const reportMember = "policy_exception_report"

// Report states why a primitive is called directly instead of a stored action.
type Report struct {
	Kind            string `json:"kind"`
	IntendedTool    string `json:"intended_tool"`     // must equal the name called
	ActionsJSONPath string `json:"actions_json_path"` // the map that was looked at; "none" and "missing" are answers too
	Reason          string `json:"reason"`
}

// SplitReport takes the report out of call arguments. The rest is canonical
// JSON and keeps its order; empty arguments and null count as {}. Without a
// report the report is nil and no error. The fault is invalid_arguments when the
// arguments are not a JSON object, and policy_exception_report_required when the
// report has a wrong shape. [Engine.Decide] checks whether it fits the call.
func SplitReport(args json.RawMessage) (rest json.RawMessage, report *Report, err error) {
	if len(bytes.TrimSpace(args)) == 0 {
		return json.RawMessage(`{}`), nil, nil
	}
	canonical, err := strictjson.Canonical(args, strictjson.Limits{})
	if err != nil {
		return nil, nil, fault.Wrap(err, fault.InvalidArguments, "the arguments cannot be read: %s", fault.From(err).Message).
			WithDispatched(fault.NotDispatched)
	}
	if string(canonical) == "null" {
		return json.RawMessage(`{}`), nil, nil
	}
	if canonical[0] != '{' {
		return nil, nil, fault.New(fault.InvalidArguments, "the arguments must be a JSON object").
			WithDispatched(fault.NotDispatched)
	}
	members := jsonnode.Node{Raw: canonical}.Members()
	at := slices.IndexFunc(members, func(m jsonnode.Member) bool { return m.Name == reportMember })
	if at < 0 {
		return canonical, nil, nil
	}
	rest = jsonnode.Join(slices.Concat(members[:at], members[at+1:]))
	report = &Report{}
	if err := strictjson.Decode(members[at].Raw, report, strictjson.Limits{}); err != nil {
		return nil, nil, reportFault(fmt.Sprintf("the report has a wrong shape: %s", fault.From(err).Message), "", KindGeneric)
	}
	return rest, report, nil
}

// problem returns what is wrong with the report of a call, empty for nothing.
func (r *Report) problem(name, kind string) string {
	switch {
	case r == nil:
		return "the report is missing"
	case r.Kind != KindGeneric && r.Kind != KindDebugger:
		return fmt.Sprintf("kind must be %s or %s", KindGeneric, KindDebugger)
	case r.Kind != kind:
		return fmt.Sprintf("kind must be %s for %s", kind, name)
	case r.IntendedTool != name:
		return fmt.Sprintf("intended_tool must be %s, the tool that was called", name)
	case strings.TrimSpace(r.ActionsJSONPath) == "":
		return "actions_json_path is empty; write none or missing if there is no map"
	case strings.TrimSpace(r.Reason) == "":
		return "reason is empty"
	}
	return ""
}

// reportFault shows a correct report next to what was wrong with the given one.
func reportFault(problem, name, kind string) *fault.Error {
	if name == "" {
		name = "NAME_OF_THE_TOOL_THAT_YOU_CALL"
	}
	message := "a direct call of a primitive needs a policy_exception_report: " + problem
	return fault.New(fault.PolicyExceptionReportRequired, "%s", message).
		With("problem", problem).
		With("example", map[string]any{reportMember: Report{
			Kind: kind, IntendedTool: name, ActionsJSONPath: "none", Reason: "The page has no stored action for this step.",
		}}).WithDispatched(fault.NotDispatched)
}
