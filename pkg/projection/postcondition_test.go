package projection

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestPostconditionCheck(t *testing.T) {
	// Ensure a condition sees the state and, inside a predicate, the input through $$ (P10).
	c := parse(t, boardProjection).Postconditions[0]
	state := mustRun(t, parse(t, boardProjection), extraction, Options{Internal: true}).State
	for input, want := range map[string]bool{`{"title":"Tea"}`: true, `{"title":"Milk"}`: false, `{}`: false, ``: false} {
		if got, err := c.Check(t.Context(), Facts{State: state, Input: json.RawMessage(input)}); err != nil || got != want {
			t.Errorf("%s: %v, %v", input, got, err)
		}
	}
	if _, err := c.Check(t.Context(), Facts{State: json.RawMessage(`{`)}); err == nil {
		t.Error("a state that is no JSON can be judged")
	}
}

// complete is a reading of a page that has all that the map requires.
func complete(state string) Reading {
	return Reading{State: json.RawMessage(state), Diagnostics: Diagnostics{Complete: true}}
}

func TestPostconditionAwait(t *testing.T) {
	// Ensure the page gets its time to show the effect, also through readings that fail, and no more than that.
	c := parse(t, boardProjection).Postconditions[0]
	const before, after = `{"lists":[]}`, `{"lists":[{"cards":[{"title":"Tea"}]}]}`
	input := json.RawMessage(`{"title":"Tea"}`)
	notYet := fault.New(fault.RuntimeNotReady, "loading")
	cases := []struct {
		name  string
		at    time.Duration // when the page shows the effect
		fails time.Duration // until when readings fail
		want  fault.Code
		took  time.Duration
	}{
		{"at once", 0, 0, "", 0},
		{"after a while", 1500 * time.Millisecond, 0, "", 1500 * time.Millisecond},
		{"after a navigation", time.Second, 900 * time.Millisecond, "", time.Second},
		{"too late", 3 * time.Second, 0, fault.StatePostconditionFailed, 2 * time.Second},
		{"never readable", 0, time.Hour, fault.RuntimeNotReady, 2 * time.Second},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				_, err := c.Await(t.Context(), input, Before{}, func(context.Context) (Reading, error) {
					switch {
					case time.Since(start) < test.fails:
						return Reading{}, notYet
					case time.Since(start) < test.at:
						return complete(before), nil
					}
					return complete(after), nil
				})
				if took := time.Since(start).Round(pollInterval); took != test.took {
					t.Errorf("took %v, want %v", took, test.took)
				}
				if test.want == "" {
					if err != nil {
						t.Error(err)
					}
					return
				}
				f := wantFault(t, err, test.want)
				if test.want == fault.StatePostconditionFailed {
					if f.Message != "The card is not there." || !strings.Contains(f.Evidence["expected"].(string), "$$.input.title") {
						t.Errorf("fault %v, evidence %v", f, f.Evidence)
					}
					wantJSON(t, f.Evidence["seen"], before)
				}
			})
		})
	}
}

func TestPostconditionOfAPartialReading(t *testing.T) {
	// Ensure that what a page lacks while it is being drawn proves nothing, that its final look does, and that the map's
	// own words are the answer where the condition does not hold anyway.
	const gone = `"verify":{"expression":"$not(input.id in state.ids)"},"failure_message":"It is still there."`
	drawing := Reading{State: json.RawMessage(`{"ids":[]}`), Diagnostics: Diagnostics{MissingRequiredCount: 1, MissingRequiredFields: []string{"ids"}}}
	cut := Reading{State: json.RawMessage(`{"ids":[1]}`), Diagnostics: Diagnostics{Truncated: true}}
	drawingIt := drawing
	drawingIt.State = json.RawMessage(`{"ids":[2]}`)
	for name, test := range map[string]struct {
		then Reading
		want string // in the message; "" where it is proven
	}{
		"refused":        {complete(`{"ids":[1,2]}`), "It is still there."},
		"done":           {complete(`{"ids":[1]}`), ""},
		"never drawn":    {drawing, "required fields are missing"},
		"too long":       {cut, "more records than are read"},
		"not even there": {drawingIt, "It is still there."},
	} {
		for _, members := range []string{gone, gone + `,"changed":true`} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					start := time.Now()
					before := Before{Read: strings.Contains(members, "changed"), State: json.RawMessage(`{"ids":[1,2]}`)}
					_, err := condition(t, members).Await(t.Context(), json.RawMessage(`{"id":2}`), before, func(context.Context) (Reading, error) {
						if time.Since(start) < 300*time.Millisecond {
							return drawing, nil
						}
						return test.then, nil
					})
					if took := time.Since(start); test.want == "" {
						if err != nil || took != 300*time.Millisecond {
							t.Errorf("%v after %v", err, took)
						}
						return
					}
					f := wantFault(t, err, fault.StatePostconditionFailed)
					if !strings.Contains(f.Message, test.want) || f.Evidence["expected"] == nil || f.Evidence["seen"] == nil {
						t.Errorf("%v, evidence %v", f, f.Evidence)
					}
				})
			})
		}
	}
}

func TestPostconditionAwaitEnds(t *testing.T) {
	// Ensure a cancelled call waits no longer, a condition with settle_ms 0 looks once, and a long state is not repeated whole.
	p := parse(t, boardProjection)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := p.Postconditions[0].Await(ctx, nil, Before{}, func(context.Context) (Reading, error) { return complete(`{}`), nil })
		wantFault(t, err, fault.HandlerTimeout)
		if took := time.Since(start); took != time.Second {
			t.Errorf("took %v", took)
		}
	})
	looks := 0
	long := `{"open":true,"text":"` + strings.Repeat("x", 5000) + `"}`
	_, err := p.Postconditions[1].Await(t.Context(), nil, Before{}, func(context.Context) (Reading, error) {
		looks++
		return complete(long), nil
	})
	f := wantFault(t, err, fault.StatePostconditionFailed)
	if seen, _ := f.Evidence["seen"].(string); looks != 1 || len(seen) != maxSeenBytes || f.Evidence["seen_bytes"] != len(long) {
		t.Errorf("%d looks, evidence %v", looks, f.Evidence)
	}
}

// condition parses a projection with one postcondition.
func condition(t testing.TB, members string) *Postcondition {
	t.Helper()
	return parse(t, `{"name":"cart","snapshot":{"version":1,"source":"dom","extract":[],"projection":{"language":"jsonata","expression":"{}"}},
		"postconditions":{"cart.add":{`+members+`}}}`).Postconditions[0]
}

func TestChanged(t *testing.T) {
	// Ensure a demanded change is waited for and missed with what did not change, that an action that found
	// everything done says so at once, and that a page without the state before counts as another one.
	const one, two = `{"n":1,"of":"x"}`, `{"of":"x","n":2}`
	there := func(state string) Before { return Before{Read: true, State: json.RawMessage(state)} }
	holds := `"verify":{"expression":"state.n > 0"},`
	for name, test := range map[string]struct {
		members string
		before  Before
		after   []string // the state at each reading, the last one for ever
		want    fault.Code
		changed string // as in the proof: true, false or ""
		already bool
		took    time.Duration
	}{
		"a change":                       {members: holds + `"changed":true`, before: there(one), after: []string{two}, changed: "true"},
		"a change after a while":         {members: holds + `"changed":true`, before: there(one), after: []string{one, one, two}, changed: "true", took: 2 * pollInterval},
		"no change":                      {members: holds + `"changed":true`, before: there(one), after: []string{`{"of":"x","n":1}`}, want: fault.StatePostconditionFailed, changed: "false", took: 2 * time.Second},
		"a change that is not enough":    {members: `"verify":{"expression":"state.n > 5"},"changed":true`, before: there(one), after: []string{two}, want: fault.StatePostconditionFailed, took: 2 * time.Second},
		"a change alone":                 {members: `"changed":true`, before: there(one), after: []string{one, two}, changed: "true", took: pollInterval},
		"no state before":                {members: holds + `"changed":true`, before: Before{Read: true}, after: []string{one}, changed: "true"},
		"everything done":                {members: holds + `"changed":"or_already"`, before: there(one), after: []string{one}, changed: "false", already: true},
		"not everything done":            {members: holds + `"changed":"or_already"`, before: there(`{"n":0}`), after: []string{`{"n":0}`, one}, changed: "true", took: pollInterval},
		"no state before, none demanded": {members: holds + `"changed":"or_already"`, before: Before{Read: true}, after: []string{one}, changed: "true"},
		"before in the condition":        {members: `"verify":{"expression":"state.n = before.n + input.more"}`, before: there(one), after: []string{one, two}, changed: "true", took: pollInterval},
		"before that is met":             {members: `"verify":{"expression":"state.n >= before.n"}`, before: there(one), after: []string{one}, changed: "false", already: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := condition(t, test.members)
			if !c.NeedsBefore {
				t.Fatal("the state before is not read")
			}
			synctest.Test(t, func(t *testing.T) {
				start, reads := time.Now(), 0
				proof, err := c.Await(t.Context(), json.RawMessage(`{"more":1}`), test.before, func(context.Context) (Reading, error) {
					reads++
					return complete(test.after[min(reads, len(test.after))-1]), nil
				})
				changed := ""
				if proof.Changed != nil {
					changed = strconv.FormatBool(*proof.Changed)
				}
				if took := time.Since(start).Round(pollInterval); took != test.took || changed != test.changed || proof.Already != test.already {
					t.Errorf("changed %q, already %v after %v", changed, proof.Already, took)
				}
				if test.want == "" {
					if err != nil {
						t.Error(err)
					}
					return
				}
				if f := wantFault(t, err, test.want); (f.Evidence["changed"] == false) != (test.changed == "false") || f.Evidence["seen"] == nil {
					t.Errorf("%v, evidence %v", f, f.Evidence)
				}
			})
		})
	}
}

func TestNeedsBefore(t *testing.T) {
	// Ensure that the state before is read for a map that asks for it, however it is written, and for no other, and that what it may ask is closed.
	for members, want := range map[string]bool{
		`"verify":{"expression":"state.n = 1"}`:                                             false,
		`"verify":{"expression":"state.before = 1 and state.l[before=2]"}`:                  false,
		`"verify":{"expression":"{% state.n > before.n %}"}`:                                true,
		`"verify":{"expression":"$exists(state.l[not_in = $$.before.l.name])"}`:             true,
		`"verify":{"expression":"state.l[date >= $$.input.before and $.n > input.before]"}`: false,
		`"verify":{"expression":"$count($.state.items) > $count($.before.items)"}`:          true,
		`"verify":{"expression":"$not(state.n = $lookup($$, 'before').n)"}`:                 true,
		`"verify":{"expression":"$.(state.n > before.n)"}`:                                  true,
		`"verify":{"expression":"($all := $; $all . before.n < state.n)"}`:                  true,
		`"verify":{"expression":"$count(**.before) > 0"}`:                                   true,
		`"verify":{"expression":"state.l.($n := n; $exists(%.%.before.l[n = $n]))"}`:        true,
		`"changed":true`: true,
		`"verify":{"expression":"state.n"},"changed":"or_already"`: true,
		`"verify":{"expression":"state.n"},"changed":null`:         false,
	} {
		if got := condition(t, members).NeedsBefore; got != want {
			t.Errorf("%s: %v", members, got)
		}
	}
	for _, members := range []string{`"verify":{"expression":"state.n"},"changed":false`, `"verify":{"expression":"state.n"},"changed":"yes"`, `"changed":"or_already"`, `"verify":{"expression":1},"changed":true`} {
		_, problems := Parse(json.RawMessage(`{"name":"cart","snapshot":{"version":1,"source":"dom","extract":[],"projection":{"language":"jsonata","expression":"{}"}},"postconditions":{"a":{` + members + `}}}`))
		if len(problems) != 1 || !strings.HasPrefix(problems[0].Pointer, "/postconditions/a/") {
			t.Errorf("%s: %v", members, problems)
		}
	}
}

func TestNamesOfExpressions(t *testing.T) {
	// Ensure the expressions of a projection see exactly the names that lint and the format page go by.
	const keys = `$error('<' & $join($sort($keys($$)), ' ') & '>')`
	sorted := func(names []string) string {
		return "<" + strings.Join(slices.Sorted(slices.Values(names)), " ") + ">"
	}
	text := `{"name":"p","snapshot":{"version":1,"source":"dom","extract":[],"projection":{"language":"jsonata","expression":"%s"}},
		"summaries":[{"name":"s","expression":"` + keys + `"}],"postconditions":{"a":{"expression":"` + keys + `"}}}`
	if _, err := parse(t, strings.Replace(text, "%s", keys, 1)).Run(t.Context(), extraction, Options{}); err == nil || !strings.Contains(err.Error(), sorted(StateNames)) {
		t.Errorf("a projection: %v", err)
	}
	p := parse(t, strings.Replace(text, "%s", "{}", 1))
	if _, err := p.Run(t.Context(), extraction, Options{Summary: "s"}); err == nil || !strings.Contains(err.Error(), sorted(SummaryNames)) {
		t.Errorf("a summary: %v", err)
	}
	if _, err := parse(t, strings.Replace(strings.TrimSuffix(text, "}")+`,"markers":"`+keys+`"}`, "%s", "{}", 1)).Run(t.Context(), extraction, Options{}); err == nil || !strings.Contains(err.Error(), sorted(SummaryNames)) {
		t.Errorf("markers: %v", err)
	}
	object := json.RawMessage(`{}`)
	if _, err := p.Postconditions[0].Check(t.Context(), Facts{object, object, object}); err == nil || !strings.Contains(err.Error(), sorted(PostconditionNames)) {
		t.Errorf("a postcondition: %v", err)
	}
}
