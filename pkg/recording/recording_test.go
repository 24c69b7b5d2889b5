package recording

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/compile"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

const page = "https://shop.example.com/order"

// rig is a recorder whose tabs 1 and 2 are claimed.
type rig struct {
	*Recorder
	db     *bbolt.DB
	stored []compile.Action
}

func newRig(t testing.TB) *rig {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(t.TempDir(), "db"), 0o600, &bbolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	r := &rig{db: db}
	r.open(t, "session")
	return r
}

// open opens the recorder again, as after the death of its process.
func (r *rig) open(t testing.TB, session string) {
	t.Helper()
	var err error
	if r.Recorder, err = Open(r.db, session); err != nil {
		t.Fatal(err)
	}
	r.Catalogue = primitive.Load()
	r.Page = func(tabID int) (string, bool) { return page + "?q=secret#part", tabID == 1 || tabID == 2 }
	r.Taken = func(_, name string) error {
		if name == "shop.taken" {
			return fault.New(fault.StateMismatch, "the page has an action %s", name)
		}
		return nil
	}
	r.Store = func(a compile.Action) (string, error) {
		if a.Name == "shop.full" {
			return "", fault.New(fault.StorageUnavailable, "the disk is full")
		}
		r.stored = append(r.stored, a)
		return "scopes/private/" + a.Name, nil
	}
	r.Changed = func() {}
}

func (r *rig) control(t testing.TB, do, name string) State {
	t.Helper()
	state, err := r.Control(t.Context(), "session", protocol.RecordControl{TabID: 1, Do: do, Name: name})
	if err != nil {
		t.Fatalf("%s: %v", do, err)
	}
	return state
}

var serial int

func (r *rig) event(t testing.TB, e protocol.Recorded) {
	t.Helper()
	if serial++; e.ID == "" {
		e.ID = fmt.Sprint(serial)
	}
	if e.TabID == 0 {
		e.TabID = 1
	}
	if e.URL == "" {
		e.URL = page
	}
	if err := r.Event(context.Background(), e); err != nil {
		t.Fatal(err)
	}
}

func button(name string) protocol.MetTarget {
	return protocol.MetTarget{Tag: "button", Role: "button", Name: name}
}

func field(name string) protocol.MetTarget {
	return protocol.MetTarget{Tag: "input", Role: "textbox", Name: name}
}

func TestSteps(t *testing.T) {
	// Ensure that what a hand does becomes the steps that do it again, and that what says the same once more adds none.
	click := protocol.Recorded{Event: "click", Target: button("Send")}
	fill := protocol.Recorded{Event: "fill", Target: field("Name"), Token: "typed-0123456789ab"}
	shifted := protocol.Recorded{Event: "click", Target: button("Send"), Modifiers: []string{"Shift"}}
	marked := button("Send")
	marked.Selector = "button.marked"
	for name, c := range map[string]struct {
		events []protocol.Recorded
		want   string
	}{
		"clicks on the same":                           {[]protocol.Recorded{click, click}, "click click"},
		"a text that is typed on":                      {[]protocol.Recorded{fill, fill, fill}, "fill"},
		"texts in two fields":                          {[]protocol.Recorded{fill, {Event: "fill", Target: field("Mail")}, fill}, "fill fill fill"},
		"a double click":                               {[]protocol.Recorded{click, click, {Event: "double_click", Target: button("Send")}}, "double_click"},
		"two presses of what is renamed":               {[]protocol.Recorded{click, {Event: "click", Target: button("Sent")}, {Event: "double_click", Target: button("Sent")}}, "click click"},
		"a double click on what the first click marks": {[]protocol.Recorded{{Event: "click", Target: marked}, click, {Event: "double_click", Target: button("Send")}}, "double_click"},
		"a double click with a key held":               {[]protocol.Recorded{shifted, shifted, {Event: "double_click", Target: button("Send"), Modifiers: []string{"Shift"}}}, "double_click"},
		"two clicks, of which one with a key":          {[]protocol.Recorded{click, shifted, {Event: "double_click", Target: button("Send"), Modifiers: []string{"Shift"}}}, "click click"},
		"a double click after another field":           {[]protocol.Recorded{fill, click, {Event: "double_click", Target: button("Send")}}, "fill double_click"},
		"three clicks":                                 {[]protocol.Recorded{click, click, {Event: "double_click", Target: button("Send")}, click}, "double_click click"},
		"a double click elsewhere":                     {[]protocol.Recorded{click, {Event: "double_click", Target: button("Open")}}, "click double_click"},
		"the page before anything":                     {[]protocol.Recorded{{Event: "page", URL: page}}, ""},
		"the same event sent again":                    {[]protocol.Recorded{{ID: "a", Event: "click", Target: button("Send")}, {ID: "a", Event: "click", Target: button("Send")}}, "click"},
		"what has no target":                           {[]protocol.Recorded{{Event: "click"}, {Event: "drag", Target: button("Send")}}, ""},
		"an address that the user gave":                {[]protocol.Recorded{click, {Event: "navigate", URL: "https://shop.example.com/?a=1"}}, "click navigate"},
		"an address with a secret":                     {[]protocol.Recorded{click, {Event: "navigate", URL: "https://shop.example.com/cb?code=abc"}}, "click navigate"},
		"another tab's":                                {[]protocol.Recorded{{TabID: 2, Event: "click", Target: button("Send")}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.control(t, "start", "shop.send")
			for _, e := range c.events {
				r.event(t, e)
			}
			var got []string
			for _, s := range r.running[1].Steps {
				got = append(got, s.Event)
				if strings.Contains(s.Navigated, "code=") || s.Event == "navigate" && !strings.HasPrefix(s.Navigated, "https://shop.example.com/") {
					t.Errorf("it goes to %s", s.Navigated)
				}
			}
			if got := strings.Join(got, " "); got != c.want {
				t.Errorf("steps %q, want %q", got, c.want)
			}
		})
	}
}

func TestControls(t *testing.T) {
	// Ensure that a pause takes nothing, Undo takes the last step back, a check ends by the element that is pointed at, and each refusal leaves the recording as it is.
	r := newRig(t)
	click := protocol.Recorded{Event: "click", Target: button("Send")}
	for do, want := range map[string]fault.Code{"pause": fault.StateMismatch, "done": fault.StateMismatch} {
		if _, err := r.Control(t.Context(), "session", protocol.RecordControl{TabID: 1, Do: do}); !fault.Is(err, want) {
			t.Errorf("%s before a start: %v", do, err)
		}
	}
	if _, err := r.Control(t.Context(), "session", protocol.RecordControl{TabID: 3, Do: "start"}); !fault.Is(err, fault.TabNotClaimed) {
		t.Errorf("a tab that is not claimed: %v", err)
	}
	if _, err := r.Control(t.Context(), "session", protocol.RecordControl{TabID: 1, Do: "start", Name: "shop.taken"}); !fault.Is(err, fault.StateMismatch) {
		t.Errorf("a name that is taken: %v", err)
	}
	r.control(t, "start", "shop.send")
	if _, err := r.Control(t.Context(), "session", protocol.RecordControl{TabID: 1, Do: "start"}); !fault.Is(err, fault.StateMismatch) {
		t.Errorf("a second start: %v", err)
	}
	r.event(t, click)
	if s := r.control(t, "pause", "").Recording; !s.Paused {
		t.Errorf("paused: %+v", s)
	}
	r.event(t, click)
	if s := r.control(t, "resume", "").Recording; s.Paused || s.Steps != 1 {
		t.Errorf("resumed: %+v", s)
	}
	r.event(t, click)
	if s := r.control(t, "undo", "").Recording; s.Steps != 1 {
		t.Errorf("undone: %+v", s)
	}
	if s := r.control(t, "check", "").Recording; !s.Checking {
		t.Errorf("checking: %+v", s)
	}
	r.event(t, protocol.Recorded{Event: "assert", Target: protocol.MetTarget{Tag: "p", Role: "status", Name: "Sent"}})
	if s := r.control(t, "view", "").Recording; s.Checking || s.Steps != 2 {
		t.Errorf("checked: %+v", s)
	}
	s := r.control(t, "done", "")
	if s.Recording != nil || s.Result.Error != nil || s.Result.Action != "shop.send" || len(r.stored) != 1 {
		t.Errorf("done: %+v, %+v", s.Recording, s.Result)
	}
	r.control(t, "start", "")
	if s := r.control(t, "done", ""); s.Result.Error == nil || s.Result.Error.Code != fault.InvalidInput || len(r.stored) != 1 {
		t.Errorf("nothing was recorded: %+v", s.Result)
	}
	r.control(t, "start", "")
	if s := r.control(t, "cancel", ""); s.Result.Error.Code != fault.Cancelled || len(r.Running()) != 0 {
		t.Errorf("given up: %+v", s.Result)
	}
}

func TestFailedDone(t *testing.T) {
	// Ensure that a recording of which no action can be made goes on and says why, until it is another one, and loses nothing.
	r := newRig(t)
	unclear := button("Send")
	unclear.Several = []string{"role", "label", "text", "test_id"}
	for what, c := range map[string]struct {
		name   string
		target protocol.MetTarget
		want   fault.Code
	}{
		"a disk that is full":     {"shop.full", button("Open"), fault.StorageUnavailable},
		"a button among the same": {"shop.send", unclear, fault.MultipleTargets},
	} {
		r.control(t, "start", c.name)
		r.event(t, protocol.Recorded{Event: "click", Target: button("Open")})
		r.event(t, protocol.Recorded{Event: "click", Target: c.target})
		s := r.control(t, "done", "")
		if s.Recording == nil || s.Recording.Steps != 2 || s.Result == nil || s.Result.Error == nil || s.Result.Error.Code != c.want {
			t.Fatalf("%s: %+v, %+v", what, s.Recording, s.Result)
		}
		if s := r.control(t, "view", ""); s.Result == nil || s.Recording == nil {
			t.Errorf("%s: viewed: %+v", what, s)
		}
		if s := r.control(t, "undo", ""); s.Result != nil || s.Recording.Steps != 1 {
			t.Errorf("%s: undone: %+v", what, s)
		}
		if c.name == "shop.full" {
			r.control(t, "cancel", "")
			continue
		}
		if s := r.control(t, "done", ""); s.Recording != nil || s.Result.Action != c.name || s.Result.Details == nil || s.Result.Map == "" {
			t.Errorf("%s: done: %+v", what, s.Result)
		}
	}
}

func TestTakenName(t *testing.T) {
	// Ensure that an action gets a number where its made-up name is taken, that a name of the user's stays, and that what was recorded is kept where none is free or the disk is full, with a next step that leads on.
	for _, taken := range []int{0, 1, 3, 100} {
		r := newRig(t)
		tried := 0
		r.Store = func(a compile.Action) (string, error) {
			if tried++; tried <= taken {
				return "", fault.New(fault.InstallConflict, "the page has an action %s", a.Name).WithNextStep("Save it under another name.")
			}
			return "scopes/private/" + a.Name, nil
		}
		r.control(t, "start", "")
		r.event(t, protocol.Recorded{Event: "click", Target: button("Save")})
		s := r.control(t, "done", "")
		if taken == 100 {
			if s.Recording == nil || s.Result.Error == nil || !strings.Contains(s.Result.Error.NextStep, "goes on") || strings.Contains(s.Result.Error.NextStep, "Undo") {
				t.Errorf("no name is free: %+v, %+v", s.Recording, s.Result)
			}
			continue
		}
		want := "shop.save"
		if taken > 0 {
			want = fmt.Sprintf("shop.save_%d", taken+1)
		}
		if s.Result.Error != nil || s.Result.Action != want || s.Result.Path != "scopes/private/"+want || !strings.Contains(s.Result.Map, `"`+want+`"`) {
			t.Errorf("%d are taken: %+v", taken, s.Result)
		}
	}
	named := newRig(t)
	named.Store = func(a compile.Action) (string, error) {
		return "", fault.New(fault.InstallConflict, "the page has an action %s", a.Name)
	}
	named.control(t, "start", "shop.send")
	named.event(t, protocol.Recorded{Event: "click", Target: button("Save")})
	if s := named.control(t, "done", ""); s.Recording == nil || s.Result.Error == nil || !strings.Contains(s.Result.Error.Message, "shop.send") || strings.Contains(s.Result.Error.Message, "shop.send_") {
		t.Errorf("a name of the user's: %+v", s.Result)
	}
}

func TestOutlives(t *testing.T) {
	// Ensure that a recording outlives its process within a run of the browser, and neither the browser nor the claim of its tab.
	r := newRig(t)
	r.control(t, "start", "shop.send")
	r.event(t, protocol.Recorded{Event: "click", Target: button("Send")})
	r.open(t, "session")
	if all := r.Running(); len(all) != 1 || all[0].Steps != 1 || all[0].Name != "shop.send" {
		t.Fatalf("after the process: %+v", all)
	}
	if err := r.Retain([]int{1}); err != nil || len(r.Running()) != 1 {
		t.Errorf("claimed: %v, %+v", err, r.Running())
	}
	if err := r.Forget(1); err != nil || len(r.Running()) != 0 {
		t.Errorf("released: %v, %+v", err, r.Running())
	}
	r.control(t, "start", "")
	r.open(t, "another run of the browser")
	if all := r.Running(); len(all) != 0 {
		t.Errorf("in another run of the browser: %+v", all)
	}
}

func TestKeep(t *testing.T) {
	// Ensure that a text that the user keeps stands in the action as it is, also where the page repeats it, that one taken back or typed anew is an input, and that a secret, an unknown token and an undone step keep none.
	const token, other = "typed-0123456789ab", "typed-ba9876543210"
	keep := func(r *rig, do, token, text string) error {
		_, err := r.Control(t.Context(), "session", protocol.RecordControl{TabID: 1, Do: do, Token: token, Text: text})
		return err
	}
	r := newRig(t)
	r.ShowTokens = true
	r.control(t, "start", "shop.send")
	r.event(t, protocol.Recorded{Event: "fill", Target: field("Name"), Token: token})
	if s := r.control(t, "view", "").Recording; s.Token != token || s.Kept {
		t.Errorf("typed: %+v", s)
	}
	if err := keep(r, "keep", token, "Ada \"A\" Lovelace"); err != nil {
		t.Fatal(err)
	}
	if s := r.control(t, "view", "").Recording; !s.Kept {
		t.Errorf("kept: %+v", s)
	}
	r.event(t, protocol.Recorded{Event: "click", Target: button("Greet " + token), URL: page + token})
	r.event(t, protocol.Recorded{Event: "fill", Target: field("Mail"), Token: other})
	if err := keep(r, "keep", other, "ada@example.org"); err != nil {
		t.Fatal(err)
	}
	if err := keep(r, "vary", other, ""); err != nil {
		t.Fatal(err)
	}
	r.event(t, protocol.Recorded{Event: "fill", Target: protocol.MetTarget{Tag: "input", Role: "textbox", Name: "Password", Secret: true}, Token: "typed-aaaaaaaaaaaa"})
	for _, none := range []string{"", "typed-aaaaaaaaaaaa", "typed-cccccccccccc"} {
		if err := keep(r, "keep", none, "x"); !fault.Is(err, fault.StateMismatch) {
			t.Errorf("token %q: %v", none, err)
		}
	}
	r.control(t, "done", "")
	if len(r.stored) != 1 {
		t.Fatalf("%+v", r.running)
	}
	made := r.stored[0]
	if !slices.Equal(made.Inputs, []string{"mail", "password"}) {
		t.Errorf("the inputs are %v", made.Inputs)
	}
	if !strings.Contains(string(made.Text), `"Greet Ada \"A\" Lovelace"`) || strings.Contains(string(made.Text), "typed-") || strings.Contains(string(made.Text), "ada@") {
		t.Errorf("the map: %s", made.Text)
	}
}

func TestKeepIsOfOneText(t *testing.T) {
	// Ensure that a kept text that is typed anew or undone is kept no longer.
	const token = "typed-0123456789ab"
	fill := protocol.Recorded{Event: "fill", Target: field("Name"), Token: token}
	r := newRig(t)
	r.ShowTokens = true
	for _, again := range []func(){
		func() { r.event(t, fill) },
		func() { r.control(t, "undo", ""); r.event(t, fill) },
	} {
		r.control(t, "start", "")
		r.event(t, fill)
		if _, err := r.Control(t.Context(), "session", protocol.RecordControl{TabID: 1, Do: "keep", Token: token, Text: "Ada"}); err != nil {
			t.Fatal(err)
		}
		again()
		if s := r.control(t, "view", "").Recording; s.Kept || s.Steps != 1 {
			t.Errorf("%+v", s)
		}
		r.control(t, "cancel", "")
	}
}

// Ensure that no address keeps its parameters, that no step has a text, and that no sequence of
// events and controls makes a recording that cannot be ended.
func TestAnyHand(t *testing.T) {
	kinds := []string{"click", "double_click", "fill", "select", "check", "press", "upload", "drag", "assert", "navigate", "page", "tab_opened"}
	rapid.Check(t, func(rt *rapid.T) {
		r := newRig(t)
		r.control(t, "start", "")
		for range rapid.IntRange(0, 30).Draw(rt, "events") {
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0:
				r.control(t, rapid.SampledFrom([]string{"pause", "resume", "check", "undo", "view"}).Draw(rt, "control"), "")
			default:
				e := protocol.Recorded{Event: rapid.SampledFrom(kinds).Draw(rt, "kind"), URL: page + "?card=4111#pin", Key: "Enter"}
				if rapid.Bool().Draw(rt, "target") {
					e.Target = rapid.SampledFrom([]protocol.MetTarget{button("Send"), field("Name"), {Tag: "input", Role: "textbox", Name: "Password", Secret: true}}).Draw(rt, "element")
					e.Destination = button("Bin")
				}
				if e.Event == "fill" {
					e.Token = "typed-0123456789ab"
				}
				r.event(t, e)
			}
		}
		for _, s := range r.running[1].Steps {
			if s.Event != "navigate" && strings.ContainsAny(s.URL, "?#") || strings.Contains(s.Navigated, "?") && s.Event != "navigate" {
				rt.Errorf("%s keeps %s, %s", s.Event, s.URL, s.Navigated)
			}
			if s.Target.Secret {
				if _, args := s.call(); s.Event == "fill" && fmt.Sprint(args["text"]) != fmt.Sprint(withheld) {
					rt.Errorf("a field for secrets is filled with %v", args)
				}
			}
		}
		steps := len(r.running[1].Steps)
		result := r.control(t, "done", "").Result
		if result == nil || slices.ContainsFunc(r.stored, func(a compile.Action) bool { return strings.Contains(fmt.Sprint(a), "4111") && steps == 0 }) {
			rt.Errorf("%d steps, %+v", steps, result)
		}
		if len(r.Running()) != 0 {
			rt.Errorf("it goes on: %+v", r.Running())
		}
	})
}
