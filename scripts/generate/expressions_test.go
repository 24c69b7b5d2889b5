package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// sample has a value for each name that an expression may see.
var sample = map[string]string{
	"input": `{"tea":"Oolong","note":"a gift","teas":["Oolong","Sencha"],"ids":["a"]}`,
	"steps": `{"rows":{"ok":true,"output":{"match_count":2,"matches":[{"text":"Oolong"}]}},"read":{"ok":true,"output":{"text":"Ready"}},"receipt":{"ok":true,"output":{"text":"T-1"}}}`,
	"item":  `"Oolong"`, "index": `1`,
	"records": `{"cards":[{"title":"Oolong"}]}`, "url": `"https://shop.test/cart"`, "title": `"Cart"`, "projection": `{"name":"cart"}`,
	"state": `{"titles":["Oolong"],"count":2}`, "before": `{"titles":[],"count":1}`,
}

func TestExamplesOfExpressions(t *testing.T) {
	// Ensure each member that takes an expression has an example which compiles, reads no name but those of its row
	// and at least one of them, and gives a value of just these.
	format, err := os.ReadFile("../../" + mapFormat)
	if err != nil {
		t.Fatal(err)
	}
	places := expressionPlaces()
	for _, p := range places {
		example, err := p.example(format)
		if err != nil {
			t.Error(err)
			continue
		}
		var members []expr.Member
		for _, name := range p.sees() {
			value, err := expr.Decode(json.RawMessage(sample[name]))
			if err != nil {
				t.Fatalf("%s has no sample: %v", name, err)
			}
			members = append(members, expr.Member{Name: name, Value: value})
		}
		slots := 0
		jsonnode.Node{Raw: example}.Walk(func(n jsonnode.Node) {
			source, isSlot, err := expr.Slot(n.Text())
			if !isSlot || err != nil {
				return
			}
			slots++
			compiled, err := expr.Compile(source)
			if err != nil {
				t.Errorf("%s %s: %v", p.of, p.member, err)
				return
			}
			value, err := compiled.Eval(t.Context(), expr.Object(members...), expr.Limits{})
			if err != nil || value.IsUndefined() {
				t.Errorf("%s %s: %s gives nothing: %v", p.of, p.member, source, err)
			}
			references, _ := expr.References(source)
			for _, r := range references {
				if (!r.Inner || r.Root) && !slices.Contains(p.sees(), r.Path[0]) {
					t.Errorf("%s %s reads %s", p.of, p.member, strings.Join(r.Path, "."))
				}
			}
			if len(references) == 0 {
				t.Errorf("%s %s reads nothing", p.of, p.member)
			}
		})
		if slots == 0 {
			t.Errorf("%s %s has no slot in its example %s", p.of, p.member, example)
		}
	}
	// What stands in the format and takes any value, or says that it takes an expression, is in the table.
	for _, m := range (jsonnode.Node{Raw: format}).Find("/definitions/step/properties").Members() {
		open := m.Get("type").Absent() && m.Get("enum").Absent() && m.Get("$ref").Absent()
		if open && !slices.ContainsFunc(places, func(p expressionPlace) bool { return p.of == "step" && p.member == m.Name }) {
			t.Errorf("step %s takes any value and is not in the table", m.Name)
		}
	}
}
