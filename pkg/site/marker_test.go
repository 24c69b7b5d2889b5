package site_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/database"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/projection"
)

// projectionOf declares one whose markers are an expression over its records.
func projectionOf(name string) string {
	return `{"name":"` + name + `","snapshot":{"version":1,"source":"dom","extract":[],"projection":{"language":"jsonata","expression":"{'n': 1}"}},"markers":"records.` + name + `"}`
}

// marked is a rig whose page has the markers, by projection; they are read once.
func marked(t *testing.T, markers map[string]string) *rig {
	t.Helper()
	var declared []string
	for name := range markers {
		declared = append(declared, projectionOf(name))
	}
	r := newRig(t, map[string]string{"public/sites/shop.example.com/cart": mapOf(`"state_projections":[`+strings.Join(declared, ",")+`],`, "")})
	var err error
	if r.site.Snapshots, err = projection.OpenSnapshots(database.New(t)); err != nil {
		t.Fatal(err)
	}
	r.reads(markers)
	for name := range markers {
		if _, err := r.handle(t, `{"mode":"state_read","projection":"`+name+`"}`); err != nil {
			t.Fatal(err)
		}
	}
	r.ran, r.authorized = nil, nil
	return r
}

// reads makes the page answer with these records.
func (r *rig) reads(records map[string]string) {
	r.step = func(name string, _ json.RawMessage) (json.RawMessage, error) {
		if name != "state.extract" {
			return json.RawMessage(`{}`), nil
		}
		raw := map[string]json.RawMessage{}
		for of, text := range records {
			raw[of] = json.RawMessage(text)
		}
		return json.Marshal(map[string]any{"url": page, "title": "", "records": raw, "diagnostics": map[string]any{"complete": true}})
	}
}

func (r *rig) mark(t *testing.T, name, id string) (string, error) {
	t.Helper()
	out, err := r.site.MarkerHandlers()[name](t.Context(), primitive.Call{TabID: 1, URL: page, Arguments: json.RawMessage(`{"id":"` + id + `"}`), Meta: &primitive.Meta{}})
	return string(out), err
}

// marker makes one with a recipe.
func marker(id, kind, more, recipe string) string {
	return `{"id":"` + id + `","type":"` + kind + `"` + more + `,"recipe":[` + recipe + `]}`
}

const infoStep = `{"primitive":"locator.element_info","args":{"locator":{"selector":"#a"}}}`

func TestMarkersAreReplaced(t *testing.T) {
	// Ensure scenario M4: reading a projection again replaces its markers, and those of other projections stay.
	r := marked(t, map[string]string{"a": "[" + marker("old", "pointer", "", infoStep) + "]", "b": "[" + marker("other", "pointer", "", infoStep) + "]"})
	r.reads(map[string]string{"a": "[" + marker("new", "pointer", "", infoStep) + "]"})
	if _, err := r.handle(t, `{"mode":"state_read","projection":"a"}`); err != nil {
		t.Fatal(err)
	}
	for id, there := range map[string]bool{"old": false, "new": true, "other": true} {
		_, err := r.mark(t, "marker.query", id)
		if fault.Is(err, fault.MarkerNotFound) == there {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestMarkerScenarios(t *testing.T) {
	// Ensure the scenarios M5 and M6: which markers fail and how, where a place comes from, and that a refused or failing recipe moves nothing.
	two := infoStep + `,{"primitive":"viewport.scroll","args":{}}`
	markers := "[" + strings.Join([]string{
		marker("cursor", "cursor", "", infoStep), marker("fails", "pointer", "", two), marker("nowhere", "pointer", "", infoStep),
		marker("anchor", "pointer", `,"anchor":{"x":1,"y":2}`, infoStep), marker("plain", "pointer", "", infoStep),
		marker("center", "pointer", `,"anchor":{"x":1,"y":2}`, infoStep), marker("later", "pointer", `,"anchor":{"x":1,"y":2}`, two),
	}, ",") + "]"
	for _, c := range []struct {
		id, primitive, marker string
		info, scroll          string // what the two steps of a recipe give; "": they fail
		location              string // "" when the call fails
		code                  fault.Code
		evidence              map[string]string
		calls                 []string
	}{
		{id: "M5 unknown", primitive: "marker.query", marker: "gone", code: fault.MarkerNotFound,
			evidence: map[string]string{"registered": `["anchor","center","cursor","fails","later","nowhere","plain"]`}},
		{id: "M5 type", primitive: "pointer.move_to", marker: "cursor", code: fault.MarkerTypeMismatch},
		{id: "M5 step", primitive: "pointer.move_to", marker: "fails", info: `{}`, code: fault.MarkerRecipeStepFailed, evidence: map[string]string{"step_index": "1"},
			calls: []string{"locator.element_info", "viewport.scroll"}},
		{id: "M5 promise", primitive: "pointer.move_to", marker: "nowhere", info: `{}`, code: fault.MarkerPromiseUnkept, calls: []string{"locator.element_info"}},
		{id: "M6 anchor", primitive: "pointer.move_to", marker: "anchor", info: `{}`, location: `{"x":1,"y":2}`, calls: []string{"locator.element_info", "pointer.move"}},
		{id: "M6 plain", primitive: "pointer.move_to", marker: "plain", info: `{"x":3,"y":4}`, location: `{"x":3,"y":4}`, calls: []string{"locator.element_info", "pointer.move"}},
		{id: "M6 center", primitive: "pointer.move_to", marker: "center", info: `{"x":3,"y":4,"clickable_center":{"x":5,"y":6}}`, location: `{"x":5,"y":6}`, calls: []string{"locator.element_info", "pointer.move"}},
		{id: "M6 later", primitive: "pointer.move_to", marker: "later", info: `{"x":3,"y":4}`, scroll: `{"x":7,"y":8}`, location: `{"x":7,"y":8}`, calls: []string{"locator.element_info", "viewport.scroll", "pointer.move"}},
		{id: "M6 query", primitive: "marker.query", marker: "plain", info: `{"x":3,"y":4}`, location: `{"x":3,"y":4}`, calls: []string{"locator.element_info"}},
	} {
		t.Run(c.id, func(t *testing.T) {
			r := marked(t, map[string]string{"a": markers})
			r.step = func(name string, _ json.RawMessage) (json.RawMessage, error) {
				out := map[string]string{"locator.element_info": c.info, "viewport.scroll": c.scroll, "pointer.move": `{}`}[name]
				if out == "" {
					return nil, fault.New(fault.TargetNotFound, "nothing there")
				}
				return json.RawMessage(out), nil
			}
			got, err := r.mark(t, c.primitive, c.marker)
			var calls []string
			for _, one := range r.ran {
				calls = append(calls, one.Name)
			}
			if !slices.Equal(calls, c.calls) {
				t.Errorf("ran %v, wanted %v", calls, c.calls)
			}
			if c.code != "" {
				f := wantCode(t, err, c.code)
				for name, want := range c.evidence {
					if text, _ := json.Marshal(f.Evidence[name]); string(text) != want {
						t.Errorf("%s is %s, wanted %s", name, text, want)
					}
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			wantWithin(t, got, `{"marker":"`+c.marker+`","location":`+c.location+`}`)
			if last := r.ran[len(r.ran)-1]; last.Name == "pointer.move" {
				wantJSON(t, last.Args, c.location)
			}
		})
	}
}
