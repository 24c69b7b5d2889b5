package main

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// A page may have thousands of characters to say; a person reads the first.
const (
	maxEvidence = 1000 // characters of an error's evidence
	maxURL      = 100  // characters of a tab's address
)

// forTerminal rewrites an error's next step for the command line: of several tabs it
// lists those that can be named.
func forTerminal(f *fault.Error) *fault.Error {
	candidates := candidatesOf(f)
	if len(candidates) == 0 {
		return f
	}
	step := "Name one with --tab, or with --url-contains:"
	for _, c := range candidates {
		step += fmt.Sprintf("\n    --tab %d  %s", c.TabID, truncate.Characters(c.URL, maxURL))
	}
	local := *f
	local.NextStep, local.Evidence = step, maps.Clone(f.Evidence)
	delete(local.Evidence, "candidates")
	return &local
}

// candidatesOf reads the tabs among which a call did not choose; none for other
// errors.
func candidatesOf(f *fault.Error) (candidates []tabs.Candidate) {
	if f.Code != fault.AmbiguousRuntime {
		return nil
	}
	raw, err := json.Marshal(f.Evidence["candidates"])
	if err != nil || json.Unmarshal(raw, &candidates) != nil {
		return nil
	}
	return candidates
}

// printFaultEvidence shows a person what the error rests on: how to go on in words,
// the rest as JSON.
func (a *app) printFaultEvidence(evidence map[string]any) {
	rest := maps.Clone(evidence)
	if words, ok := rest["safe_recovery"].(string); ok {
		fmt.Fprintf(a.stderr, "  safe_recovery: %s\n", words)
		delete(rest, "safe_recovery")
	}
	if len(rest) == 0 {
		return
	}
	if raw, err := primitive.Output(rest); err == nil {
		fmt.Fprintf(a.stderr, "  evidence: %s\n", shownEvidence(string(raw)))
	}
}

func shownEvidence(raw string) string {
	if short := truncate.Characters(raw, maxEvidence); short != raw {
		return short + " (--json shows all of it)"
	}
	return raw
}
