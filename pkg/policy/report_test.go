package policy

import (
	"bytes"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
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
		{"first", `{"policy_exception_report":` + good + `, "z": 1e400, "a":"x"}`, `{"z":1e400,"a":"x"}`, true, ""},
		{"between", `{"z":1,"policy_exception_report":` + good + `,"a":2}`, `{"z":1,"a":2}`, true, ""},
		{"escaped name", `{"policy_exception_\u0072eport":` + good + `}`, `{}`, true, ""},
		{"broken", `{"a":`, ``, false, fault.InvalidMessage},
		{"two reports", `{"policy_exception_report":` + good + `,"policy_exception_report":` + good + `}`, ``, false, fault.InvalidMessage},
		{"report is text", `{"policy_exception_report":"generic"}`, ``, false, fault.PolicyExceptionReportRequired},
		{"unknown member", `{"policy_exception_report":{"kind":"generic","Reason":"x"}}`, ``, false, fault.PolicyExceptionReportRequired},
		{"wrong type", `{"policy_exception_report":{"kind":1}}`, ``, false, fault.PolicyExceptionReportRequired},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args, err := strictjson.Parse([]byte(tt.args), strictjson.Limits{})
			var rest strictjson.Value
			var report *Report
			if err == nil {
				rest, report, err = SplitReport(args)
			}
			if tt.code != "" {
				if !fault.Is(err, tt.code) {
					t.Fatalf("got %v, want %s", err, tt.code)
				}
				if f := fault.From(err); tt.code == fault.PolicyExceptionReportRequired && (f.Evidence["problem"] == "" || f.Evidence["example"] == nil) {
					t.Errorf("the fault does not teach: %+v", f)
				}
				return
			}
			if err != nil || string(rest.Raw()) != tt.rest || (report != nil) != tt.reported {
				t.Errorf("got %s, %+v, %v", rest, report, err)
			}
			if report != nil && *report != (Report{"generic", "a.b", "none", "r"}) {
				t.Errorf("report %+v", report)
			}
		})
	}
}

// Ensure no object makes SplitReport panic, return something other than a canonical object, or leave a
// report in the rest.
func FuzzSplitReport(f *testing.F) {
	f.Add(`{"a":1,"policy_exception_report":{"kind":"generic","intended_tool":"x","actions_json_path":"none","reason":"r"}}`)
	f.Add(`{"policy_exception_report":null}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, text string) {
		args, err := strictjson.Parse([]byte(text), strictjson.Limits{})
		if err != nil || !args.IsObject() {
			return
		}
		rest, _, err := SplitReport(args)
		if err != nil {
			return
		}
		canonical, err := strictjson.Canonical(rest.Raw(), strictjson.Limits{})
		if err != nil || !bytes.Equal(canonical, rest.Raw()) || !rest.IsObject() {
			t.Fatalf("%q became %q: %v", text, rest.Raw(), err)
		}
		if !rest.Get(reportMember).IsZero() {
			t.Fatalf("%q kept its report: %q", text, rest.Raw())
		}
	})
}
