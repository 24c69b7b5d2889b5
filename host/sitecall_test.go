package main

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestPrintPreview(t *testing.T) {
	// Ensure that a person sees a line a step, what is unknown and why, and whether the action would run.
	for output, want := range map[string]string{
		`{"action":"a.b","would_run":"yes","known_steps":2,"total_steps":4,"decision":{"verdict":"allow","rule":"approval","section":"ask_effects in policy.json","origin":"https://x.example"},
			"effects":["view","input"],"addresses":["https://x.example/send"],"postcondition":"a.state","steps":[
			{"step":1,"state":"ran","does":"look at searchbox \"Search\""},{"step":2,"state":"planned","does":"type 6 characters into searchbox \"Search\"","item":1,"items":3},
			{"step":3,"state":"unknown","does":"click","needs":["a","b"]},{"step":4,"state":"skipped","does":"press button \"Note\"","runs":["press it"]}]}`: "a.b would run; nothing was done\n" +
			"✓  1. look at searchbox \"Search\"\n   2. type 6 characters into searchbox \"Search\" (item 1 of 3)\n?  3. click: known once a and b has run\n–  4. press button \"Note\": not due\n       press it\n" +
			"  known up to step 2 of 4\n  then checks the page's state: a.state\n  effects: input, view\n  address: https://x.example/send\n  policy: allow on https://x.example, by approval (ask_effects in policy.json)\n",
		`{"action":"a.b","would_run":"no","why":{"code":"multiple_targets","message":"2 elements match","next_step":"Name one."},"known_steps":0,"total_steps":1,"decision":{"verdict":"ask","rule":"r","section":"s","origin":"o"},
			"steps":[{"step":1,"state":"planned","does":"press \"x\"","error":{"code":"multiple_targets","message":"2 elements match"}}]}`: "a.b would not run; nothing was done\n" +
			"✗  1. press \"x\": 2 elements match (multiple_targets)\n  known up to step 0 of 1\n  policy: ask on o, by r (s)\n  why not: 2 elements match (multiple_targets)\n  → Name one.\n",
	} {
		var p preview
		if err := json.Unmarshal([]byte(output), &p); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		(&app{stdout: &out}).printPreview(p)
		if out.String() != want {
			t.Errorf("printed\n%s\nwanted\n%s", out.String(), want)
		}
	}
}
