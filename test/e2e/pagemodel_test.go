package e2e

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/repo"
)

const contactForm = `<title>Contact</title><main>
<form id="contact-form" aria-label="Contact form"><label for="name">Name</label><input id="name" name="name">
<button id="submit" type="submit" disabled>Submit</button></form>
<p class="tea">one</p><p class="tea" hidden>two</p><p class="tea">three</p>
<div style="height:3000px"></div><output id="result">Nothing yet</output>
<dialog id="closed"><p>Shut</p></dialog></main>`

func TestSurfaceOnAPage(t *testing.T) {
	// Ensure that what a target is (shown, further down, hidden, disabled, several, another text, absent) is told on a real page, and that the sample map's states fit it.
	t.Parallel()
	home := harness.Shared(t)
	url, _ := pages(t, map[string]string{"/": contactForm})
	home.Open(t, url+"/")
	calls := 0
	read := func(_ context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
		calls++
		e := home.Call(t, name, string(args))
		if !e.OK {
			return nil, e.Error
		}
		return e.Output, nil
	}
	yes, no := true, false
	tests := []struct {
		name   string
		target pagemodel.Target
		want   pagemodel.Evidence
	}{
		{"role and name", pagemodel.Target{Selector: "#x", Role: "textbox", Name: "Name"}, pagemodel.Evidence{Found: true, Via: "role", Count: 1, Visible: true}},
		{"further down", pagemodel.Target{Selector: "#result"}, pagemodel.Evidence{Found: true, Via: "selector", Count: 1, Visible: true, Text: "Nothing yet"}},
		{"hidden", pagemodel.Target{Selector: "#closed"}, pagemodel.Evidence{Found: true, Via: "selector", Count: 1}},
		{"disabled", pagemodel.Target{Selector: "#submit", Enabled: &yes}, pagemodel.Evidence{Found: true, Via: "selector", Count: 1, Visible: true, Text: "Submit", Enabled: &no}},
		{"enabled", pagemodel.Target{Selector: "#name", Enabled: &yes}, pagemodel.Evidence{Found: true, Via: "selector", Count: 1, Visible: true, Enabled: &yes}},
		{"several", pagemodel.Target{Selector: ".tea"}, pagemodel.Evidence{Found: true, Via: "selector", Count: 3, Visible: true, Text: "one"}},
		{"another text", pagemodel.Target{Selector: "#result", TextContains: "Submitted"}, pagemodel.Evidence{OtherText: "Nothing yet"}},
		{"absent", pagemodel.Target{Selector: "#gone", FallbackSelectors: []string{"#a", "#b"}}, pagemodel.Evidence{}},
	}
	for _, test := range tests {
		got, err := test.target.Find(t.Context(), read)
		a, aErr := json.Marshal(got)
		b, bErr := json.Marshal(test.want)
		if err != nil || aErr != nil || bErr != nil || string(a) != string(b) {
			t.Errorf("%s: got %s %v, want %s", test.name, a, err, b)
		}
	}
	if err := pagemodel.CheckTarget(t.Context(), read, json.RawMessage(`{"selector":"#gone"}`)); !fault.Is(err, fault.DriftDetected) {
		t.Errorf("an absent target gave %v", err)
	}

	text, err := os.ReadFile(filepath.Join(repo.Root(), "..", "shared", "maps", "simple-form", "actions.json"))
	if err != nil {
		t.Log("the shared maps are not here: their part is left out")
		return
	}
	s := pagemodel.Parse(text)
	calls = 0
	states := s.States(t.Context(), read, url+"/")
	if states[0].Holds != pagemodel.Holds || states[1].Holds != pagemodel.Fails || calls > 5 {
		t.Errorf("states %+v after %d calls", states, calls)
	}
	if blocks := s.Context(t.Context(), url+"/", states, read); len(blocks) != 1 {
		t.Errorf("context %+v", blocks)
	}
	if r := (pagemodel.Mapped{Model: s}).RunChecks(t.Context(), read, nil, pagemodel.Options{URL: func() string { return url + "/" }}); !r.OK || r.Passed != 1 {
		t.Errorf("report %+v", r)
	}
}
