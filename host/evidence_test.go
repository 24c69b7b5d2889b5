package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

func TestPrintFailure(t *testing.T) {
	// Ensure that a person is told which flag chooses between which tabs, how to go on after a workflow that failed, and reads expressions as they were written; with --json the envelope stays as it is.
	several := fault.New(fault.AmbiguousRuntime, "2 tabs are claimed and the call names none of them").
		With("candidates", []tabs.Candidate{{TabID: 7, URL: "http://a.test/"}, {TabID: 8, URL: "http://b.test/"}})
	failed := fault.New(fault.WorkflowStepFailed, "step failed").With("safe_recovery", "Read the page's state.").With("expected", "a > b")
	for _, test := range []struct {
		name      string
		fault     *fault.Error
		has, lack []string
	}{
		{"several tabs", several, []string{"--tab, or with --url-contains:\n    --tab 7  http://a.test/\n    --tab 8  http://b.test/\n"}, []string{"evidence", "runtime_id"}},
		{"workflow", failed, []string{"\n  safe_recovery: Read the page's state.\n", `evidence: {"expected":"a > b"}`}, []string{`\u003e`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			a := &app{stdout: &out, stderr: &errs}
			if err := a.printEnvelope(dispatch.Envelope{Name: "x", Error: test.fault}); err != status(exitFailed) {
				t.Errorf("error %v", err)
			}
			for _, text := range test.has {
				if !strings.Contains(errs.String(), text) {
					t.Errorf("%q is not in %s", text, &errs)
				}
			}
			for _, text := range test.lack {
				if strings.Contains(errs.String(), text) {
					t.Errorf("%q is in %s", text, &errs)
				}
			}
		})
	}
	var out bytes.Buffer
	a := &app{stdout: &out, stderr: &out, json: true}
	_ = a.printEnvelope(dispatch.Envelope{Name: "x", Error: several})
	var e dispatch.Envelope
	if err := json.Unmarshal(out.Bytes(), &e); err != nil || e.Error.Evidence["candidates"] == nil || strings.Contains(e.Error.NextStep, "--tab") {
		t.Errorf("%v: %s", err, &out)
	}
}
