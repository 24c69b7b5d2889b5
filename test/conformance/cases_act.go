package conformance

import (
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// actCases returns the cases of actions on an element in one step.
func actCases() []Case {
	return slices.Concat(actClickCases(), actControlCases(), actNestedCases(), actEditorCases(), actFillCases(), actChooseCases(), actListCases(), actDragCases(), pressCases(), actUploadCases(), workedCases(), actRedrawnCases())
}

// refuses makes a call that must fail with the code before anything reached the
// page, and returns the evidence.
func (p *Page) refuses(name, args string, code fault.Code) Output {
	p.Helper()
	_, fail := p.backend.Call(p.Context(), p.T, name, args)
	if fail == nil || fail.Code != code || fail.Dispatched != fault.NotDispatched {
		if fail != nil {
			p.Logf("evidence %v, dispatched %q", fail.Evidence, fail.Dispatched)
		}
		p.Fatalf("%s %s: %v, want %s and nothing sent", name, args, fail, code)
	}
	record, _ := p.catalogue.Record(name)
	if !slices.Contains(record.Errors, string(code)) && !slices.Contains(common, code) {
		p.Errorf("the record of %s does not list %s", name, code)
	}
	text, err := json.Marshal(fail.Evidence)
	if err != nil {
		p.Fatal(err)
	}
	var out Output
	if err := json.Unmarshal(text, &out.value); err != nil {
		p.Fatal(err)
	}
	return out
}
