package pagemodel_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestSimpleForm(t *testing.T) {
	// Ensure that the map with every section gives states, context and checks that fit the page it describes.
	s := shared(t, "simple-form")
	if len(s.Problems) > 0 {
		t.Errorf("problems %v", s.Problems)
	}
	p := form()
	states := s.States(t.Context(), p.read, p.url)
	if got := verdicts(states); got != "form_ready=true form_submitted=false" {
		t.Errorf("states %s", got)
	}
	if d := states[0].Diagnostics[0]; d.Name != "name_field_visible" || d.Evidence.Via != "role" || !d.Evidence.Visible {
		t.Errorf("diagnostic %+v", d)
	}
	if d := states[1].Diagnostics[0]; d.Evidence.OtherText != "Nothing yet" || d.Reason == "" {
		t.Errorf("diagnostic %+v", d)
	}
	blocks := s.Context(t.Context(), p.url, states, p.read)
	if len(blocks) != 1 || blocks[0].ID != "contact.form.context" || !slices.Equal(blocks[0].NextStates, []string{"form_submitted"}) {
		t.Errorf("context %+v", blocks)
	}
	r := runChecks(t.Context(), s, p.read, nil, pagemodel.Options{URL: func() string { return p.url }})
	if !r.OK || r.Passed != 1 || r.Skipped != 1 || r.Failed != 0 {
		t.Errorf("report %+v", r)
	}
	if len(s.Attachments) != 1 || s.Attachments[0].Kind != "status_badge" || s.Attachments[0].Affordance.MaxInstances != 1 ||
		s.Attachments[0].Lifecycle.Install != "when_target_matches" || s.Attachments[0].Signals["drifted"] != "attachment.drifted" {
		t.Errorf("attachments %+v", s.Attachments)
	}
	if s.Provenance.CreatedBy != "codex" || len(s.TransitionsOf("contact.submit_name")) != 1 {
		t.Errorf("provenance %+v, transitions %+v", s.Provenance, s.Transitions)
	}
	if err := pagemodel.CheckTarget(t.Context(), p.read, json.RawMessage(`{"selector":"#contact-form","role":"form","name":"Contact form"}`)); err != nil {
		t.Errorf("target: %v", err)
	}

	p = form().change("#result", func(e *element) { e.text = "Submitted Ada" }).remove("#submit")
	if got := verdicts(s.States(t.Context(), p.read, p.url)); got != "form_ready=false form_submitted=true" {
		t.Errorf("states after the submission %s", got)
	}
}

func TestProseIsUnknown(t *testing.T) {
	// Ensure that a map whose states are words only gives unknown, asks the page nothing, and keeps no context back.
	s := shared(t, "prime-video")
	p := form()
	states := s.States(t.Context(), p.read, p.url)
	if len(states) != 4 || len(p.calls) != 0 {
		t.Fatalf("states %s, calls %v", verdicts(states), p.calls)
	}
	for _, st := range states {
		if st.Holds != pagemodel.Unknown {
			t.Errorf("%s is %v", st.Name, st.Holds)
		}
	}
	raw, err := json.Marshal(states[0])
	if err != nil || !strings.Contains(string(raw), `"holds":"unknown"`) {
		t.Errorf("JSON %s %v", raw, err)
	}
}

func TestLenient(t *testing.T) {
	// Ensure that each broken part is a problem with its place, that the parts beside it still count, and that no shape is fatal.
	tests := []struct{ name, text, pointer string }{
		{"section of another shape", `{"checks":{"a":1}}`, "/checks"},
		{"entry of another shape", `{"transitions":[7]}`, "/transitions/0"},
		{"entry without a name", `{"context":[{"body":"b"}]}`, "/context/0/id"},
		{"context without a body", `{"context":[{"id":"a"}]}`, "/context/0/body"},
		{"a name twice", `{"states":[{"name":"a"},{"name":"a"}]}`, "/states/1/name"},
		{"attachment without a target", `{"attachments":[{"id":"a","kind":"annotation","lifecycle":{}}]}`, "/attachments/0/target"},
		{"attachment without a lifecycle", `{"attachments":[{"id":"a","kind":"annotation","target":"#a"}]}`, "/attachments/0/lifecycle"},
		{"attachment of no kind", `{"attachments":[{"id":"a","kind":"popup","target":"#a","lifecycle":{}}]}`, "/attachments/0/kind"},
		{"enabled signal without an event", `{"signals":[{"name":"a","ingestion":"enabled"}]}`, "/signals/0/event"},
		{"signal whose payload is no schema", `{"signals":[{"name":"a","payload":{"type":"thing"}}]}`, "/signals/0/payload"},
		{"signal of no direction", `{"signals":[{"name":"a","direction":"up"}]}`, "/signals/0/direction"},
		{"rate limit in words", `{"transitions":[{"name":"a","rate_limit_ms":"slowly"}]}`, "/transitions/0/rate_limit_ms"},
		{"convergence that does not compile", `{"transitions":[{"name":"a","convergence":{"complete_when":"{% ( %}"}}]}`, "/transitions/0/convergence/complete_when"},
		{"severity of no kind", `{"checks":[{"id":"a","severity":"huge"}]}`, "/checks/0/severity"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := pagemodel.Parse(json.RawMessage(test.text))
			if len(s.Problems) != 1 || s.Problems[0].Pointer != test.pointer || s.Problems[0].Message == "" {
				t.Errorf("problems %+v, want one at %s", s.Problems, test.pointer)
			}
		})
	}
	for _, text := range []string{``, `null`, `[]`, `"x"`, `{`, `{"states":"prose","requires":[],"provenance":7,"surface":"x","tools":{}}`} {
		pagemodel.Parse(json.RawMessage(text))
	}
	s := pagemodel.Parse(json.RawMessage(`{"checks":[5,{"id":"a","assertions":[{"target":"#name"}]}]}`))
	if len(s.Checks) != 1 {
		t.Errorf("checks %+v", s.Checks)
	}
}

func TestStatesAsObject(t *testing.T) {
	// Ensure that states written as an object from names to prose are listed in their order and unknown.
	s := parse(t, `{"states":{"open":"The board is open.","closed":{"description":"It is closed."}}}`)
	states := s.States(t.Context(), form().read, "https://example.com/")
	if verdicts(states) != "open=unknown closed=unknown" || states[0].Description != "The board is open." || states[1].Description != "It is closed." {
		t.Errorf("states %+v", states)
	}
}

func TestDiagnostics(t *testing.T) {
	// Ensure that a state holds only when a person sees all of it, fails when one part fails, and is unknown when the rest is words.
	p := form().with(element{selectors: []string{"#dialog"}, hidden: true})
	for diagnostics, want := range map[string]pagemodel.Verdict{
		`{"target":"#name"},{"target":"#submit"}`:                              pagemodel.Holds,
		`{"target":"#name"},{"target":"#gone"}`:                                pagemodel.Fails,
		`{"target":"#dialog"}`:                                                 pagemodel.Fails,
		`{"target":{"selector":"#dialog","visible":false}}`:                    pagemodel.Holds,
		`{"target":"#name"},{"name":"in_words"}`:                               pagemodel.Unknown,
		`{"target":"#gone"},"in_words"`:                                        pagemodel.Fails,
		`{"url_contains":"/form"},{"target":{"selector":"#name","state":"s"}}`: pagemodel.Holds,
		`{"url_matches":"https://other.example/*"}`:                            pagemodel.Fails,
		`{"target":"the form"}`:                                                pagemodel.Fails,
	} {
		s := parse(t, `{"states":[{"name":"s","diagnostics":[`+diagnostics+`]}]}`)
		if got := s.States(t.Context(), p.read, p.url)[0]; got.Holds != want {
			t.Errorf("%s gives %s", diagnostics, asJSON(t, got))
		}
	}
}

func TestSupport(t *testing.T) {
	// Ensure that required, optional and blocked primitives are compared with the dictionary, in both forms of an entry.
	catalogue := primitive.Load()
	s := parse(t, `{"requires":{"signed_in":true,"primitive_dictionary":{
		"required_primitives":["page.info","page.teleport"],"optional_primitives":[{"name":"page.fetch"},"page.info"],
		"blocked_primitives":["pointer.click"],"implementation_pending_primitives":[{"name":"page.teleport","why_required":"x"}]}}}`)
	got := s.Support(catalogue)
	if !slices.Equal(got.MissingRequired, []string{"page.teleport"}) || !slices.Equal(got.Blocked, []string{"pointer.click"}) ||
		len(got.MissingOptional) > 1 || !s.Requires.SignedIn || !slices.Equal(s.Requires.Pending, []string{"page.teleport"}) {
		t.Errorf("support %+v, requires %+v", got, s.Requires)
	}
	if lists := parse(t, `{"requires":[]}`); lists.Requires.SignedIn || lists.Support(catalogue).MissingRequired != nil {
		t.Errorf("requires as a list %+v", lists.Requires)
	}
}

func TestSignal(t *testing.T) {
	// Ensure that a page event passes only as strict JSON that matches the payload schema, within its limits.
	s := parse(t, `{"signals":[
		{"name":"sent","event":"form:sent","ingestion":"enabled","target":"#f","payload":{"type":"object","required":["name"],"properties":{"name":{"type":"string"}},"additionalProperties":false}},
		{"name":"ping"}]}`)
	sent, ping := s.Signals[0], s.Signals[1]
	if !sent.Enabled || sent.Target.Selector != "#f" || ping.Enabled {
		t.Errorf("signals %+v", s.Signals)
	}
	tests := []struct {
		signal  pagemodel.Signal
		payload string
		ok      bool
	}{
		{sent, `{"name":"Ada"}`, true},
		{sent, `{"name":7}`, false},
		{sent, `{"name":"Ada","more":1}`, false},
		{sent, ``, false},
		{sent, `{"name":"a","name":"b"}`, false},
		{sent, `{"name":"` + strings.Repeat("x", 70_000) + `"}`, false},
		{ping, ``, true},
		{ping, `{}`, true},
		{ping, `{"name":"Ada"}`, false},
	}
	for _, test := range tests {
		if err := test.signal.Validate(json.RawMessage(test.payload)); (err == nil) != test.ok {
			t.Errorf("%s with %.40s: %v", test.signal.Name, test.payload, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	// Ensure that no text makes the reader or what it read panic.
	f.Add(`{"states":[{"name":"a","diagnostics":[{"target":{"selector":"#name","text":"x"}}]}],"checks":[{"id":"c","severity":"critical","assertions":[{"state":"a","count":{"min":1}}]}]}`)
	f.Add(`{"transitions":[{"name":"t","tool":"x","rate_limit_ms":5,"convergence":{"complete_when":{"expression":"states.a"}}}],"context":[{"id":"c","body":["l"],"load_when":{"targets":["#a"]}}]}`)
	f.Add(`{"signals":[{"name":"s","payload":{}}],"attachments":[{"id":"a","kind":"annotation","target":{"role":"x"},"lifecycle":"on"}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		s := pagemodel.Parse(json.RawMessage(text))
		p := form()
		states := s.States(t.Context(), p.read, p.url)
		s.Context(t.Context(), p.url, states, p.read)
		runChecks(t.Context(), s, p.read, nil, pagemodel.Options{URL: func() string { return p.url }})
		if err := s.CheckGuards(t.Context(), p.read, p.url, "x"); err != nil && err.Error() == "" {
			t.Error("an error without a message")
		}
	})
}
