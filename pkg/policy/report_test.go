package policy

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Ensure the report is taken out, the rest keeps its order, and every wrong
// shape is refused with the problem named.
func TestSplitReport(t *testing.T) {
	good := `{"kind":"generic","intended_tool":"a.b","actions_json_path":"none","reason":"r"}`
	tests := []struct {
		name, args, rest string
		reported         bool
		code             fault.Code
	}{
		{"none", `{"z":1,"a":{"policy_exception_report":1}}`, `{"z":1,"a":{"policy_exception_report":1}}`, false, ""},
		{"empty", ``, `{}`, false, ""},
		{"null", ` null `, `{}`, false, ""},
		{"first", `{"policy_exception_report":` + good + `, "z": 1e400, "a":"x"}`, `{"z":1e400,"a":"x"}`, true, ""},
		{"between", `{"z":1,"policy_exception_report":` + good + `,"a":2}`, `{"z":1,"a":2}`, true, ""},
		{"escaped name", `{"policy_exception_\u0072eport":` + good + `}`, `{}`, true, ""},
		{"array", `[1]`, ``, false, fault.InvalidArguments},
		{"broken", `{"a":`, ``, false, fault.InvalidArguments},
		{"two reports", `{"policy_exception_report":` + good + `,"policy_exception_report":` + good + `}`, ``, false, fault.InvalidArguments},
		{"report is text", `{"policy_exception_report":"generic"}`, ``, false, fault.PolicyExceptionReportRequired},
		{"unknown member", `{"policy_exception_report":{"kind":"generic","Reason":"x"}}`, ``, false, fault.PolicyExceptionReportRequired},
		{"wrong type", `{"policy_exception_report":{"kind":1}}`, ``, false, fault.PolicyExceptionReportRequired},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rest, report, err := SplitReport(json.RawMessage(tt.args))
			if tt.code != "" {
				if !fault.Is(err, tt.code) {
					t.Fatalf("got %v, want %s", err, tt.code)
				}
				if f := fault.From(err); tt.code == fault.PolicyExceptionReportRequired && (f.Evidence["problem"] == "" || f.Evidence["example"] == nil) {
					t.Errorf("the fault does not teach: %+v", f)
				}
				return
			}
			if err != nil || string(rest) != tt.rest || (report != nil) != tt.reported {
				t.Errorf("got %s, %+v, %v", rest, report, err)
			}
			if report != nil && *report != (Report{"generic", "a.b", "none", "r"}) {
				t.Errorf("report %+v", report)
			}
		})
	}
}

// Ensure no input makes SplitReport panic, return something other than a JSON object, or leave a
// report in the rest.
func FuzzSplitReport(f *testing.F) {
	f.Add(`{"a":1,"policy_exception_report":{"kind":"generic","intended_tool":"x","actions_json_path":"none","reason":"r"}}`)
	f.Add(`{"policy_exception_report":null}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, args string) {
		rest, _, err := SplitReport(json.RawMessage(args))
		if err != nil {
			return
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(rest, &members); err != nil || !strings.HasPrefix(string(rest), "{") {
			t.Fatalf("%q became %q: %v", args, rest, err)
		}
		if _, ok := members[reportMember]; ok {
			t.Fatalf("%q kept its report: %q", args, rest)
		}
	})
}
