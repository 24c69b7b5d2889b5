package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// The two kinds of report.
const (
	KindGeneric  = "generic"
	KindDebugger = "debugger" // exactly for effect code and class debug
)

// MaxReportText is the longest reason, and actions_json_path, in bytes: they stand in the
// log beside what was called.
const MaxReportText = 4 << 10

// reportMember is the member of a direct call's arguments that holds the report.
const reportMember = "policy_exception_report"

// Report states why a primitive is called directly instead of a stored action.
type Report struct {
	Kind            string `json:"kind"`
	IntendedTool    string `json:"intended_tool"`     // must equal the name called
	ActionsJSONPath string `json:"actions_json_path"` // the map that was looked at; "none" and "missing" are answers too
	Reason          string `json:"reason"`
}

// SplitReport takes the report out of a call's arguments, an object whose other members
// keep their order. Without a report the report is nil and no error. The fault is
// policy_exception_report_required when the report has a wrong shape. [Engine.Decide]
// checks whether it fits the call.
func SplitReport(args strictjson.Value) (rest strictjson.Value, report *Report, err error) {
	given := args.Get(reportMember)
	if given.IsZero() {
		return args, nil, nil
	}
	report = &Report{}
	if err := given.Decode(report); err != nil {
		return rest, nil, reportFault(fmt.Sprintf("the report has a wrong shape: %s", fault.From(err).Message), "", KindGeneric)
	}
	return args.Without(reportMember), report, nil
}

// Shortened returns a copy with what is longer than MaxReportText cut; nil for nil.
func (r *Report) Shortened() *Report {
	if r == nil {
		return nil
	}
	short := *r
	for _, text := range []*string{&short.Kind, &short.IntendedTool, &short.ActionsJSONPath, &short.Reason} {
		*text = truncate.Bytes(*text, MaxReportText)
	}
	return &short
}

// ReportKind returns the kind of report that a direct call needs.
func ReportKind(class string, effects ...Effect) string {
	if slices.Contains(effects, EffectCode) || class == ClassDebug {
		return KindDebugger
	}
	return KindGeneric
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
	case len(r.Reason) > MaxReportText:
		return fmt.Sprintf("reason is longer than %d bytes", MaxReportText)
	case len(r.ActionsJSONPath) > MaxReportText:
		return fmt.Sprintf("actions_json_path is longer than %d bytes", MaxReportText)
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
