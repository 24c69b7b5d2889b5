package site_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestListShape(t *testing.T) {
	// Ensure that a list keeps the shape that clients know, with all that a map offers, and that a private map's tool goes before a public one's.
	r := newRig(t, map[string]string{
		"public/sites/shop.example.com/cart": mapOf(`"name":"Shop","prompt":"Be kind.","skill":{"path":"SKILL.md","when_to_read":"first"},
			"x_actions":{"files":[{"id":"faq","path":"faq.md","title":"FAQ"},{"path":"how/SKILL.md","description":"How"}]},
			"state_projections":[{"name":"cart","description":"What is in it","snapshot":{"version":1,"source":"dom","extract":[],"projection":{"language":"jsonata","expression":"1"}}}],`,
			tool("cart.add", `"input_schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"}}},`+greeting)+","+
				tool("cart.clear", greeting)),
		"private/sites/shop.example.com/mine": mapOf("", tool("cart.clear", open+greeting)),
	})
	got, err := r.handle(t, `{"mode":"list"}`)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "list.json"))
	if err != nil {
		t.Fatal(err)
	}
	wantWithin(t, got, string(want))
	if len(r.ran)+len(r.authorized) > 0 {
		t.Errorf("listing ran %v", r.ran)
	}
}

func TestListOfNothing(t *testing.T) {
	// Ensure that a page without maps, and a folder that is not there, give empty lists and not null.
	r := newRig(t, nil)
	got, err := r.handle(t, `{"mode":"list"}`)
	if err != nil {
		t.Fatal(err)
	}
	wantWithin(t, got, `{"actions":[],"state_projections":[],"files":[],"skills":[]}`)
	if err := os.RemoveAll(r.root); err != nil {
		t.Fatal(err)
	}
	if got, err = r.handle(t, `{"mode":"list"}`); err != nil || !strings.HasPrefix(got, `{"actions":[]`) || r.meta.MapErrors == nil {
		t.Errorf("got %s, %v, errors %v", got, err, r.meta.MapErrors)
	}
}

func TestListNarrows(t *testing.T) {
	// Ensure that only what fits this page is listed: host, the map's patterns, a tool's own part of the URL, a projection's own scope.
	projection := func(name, scope string) string {
		return `{"name":"` + name + `",` + scope + `"snapshot":{"version":1,"source":"dom","extract":[],"projection":{"language":"jsonata","expression":"1"}}}`
	}
	r := newRig(t, map[string]string{
		"public/sites/shop.example.com/here": mapOf(`"state_projections":[`+projection("here", `"scope":{"url_matches":["https://shop.example.com/cart*"]},`)+","+
			projection("there", `"scope":{"url_matches":["https://shop.example.com/help*"]},`)+`],`,
			tool("here", greeting)+","+tool("bound.here", `"x_actions":{"static_output":1,"binding":{"target_url_contains":"/cart"}}`)+","+
				tool("bound.there", `"x_actions":{"static_output":1,"binding":{"target_url_contains":"/help"}}`)),
		"public/sites/shop.example.com/there": mapOf(`"surface":{"url_patterns":["https://shop.example.com/help/*"]},`, tool("there", greeting)),
		"public/sites/other.example.com/all":  mapOf("", tool("other", greeting)),
	})
	got, err := r.handle(t, `{"mode":"list"}`)
	if err != nil {
		t.Fatal(err)
	}
	for name, listed := range map[string]bool{"here": true, "bound.here": true, "bound.there": false, "there": false, "other": false} {
		if strings.Contains(got, `"name":"`+name+`"`) != listed {
			t.Errorf("%s: listed is %t: %s", name, !listed, got)
		}
	}
}

func TestListTellsOfBrokenMaps(t *testing.T) {
	// Ensure that a map that does not load stands in meta and takes no other map away.
	r := newRig(t, map[string]string{
		"public/sites/shop.example.com/broken": `{"protocol":`,
		"public/sites/shop.example.com/good":   mapOf("", tool("good", greeting)),
	})
	got, err := r.handle(t, `{"mode":"list"}`)
	if err != nil || !strings.Contains(got, `"good"`) {
		t.Fatalf("got %s, %v", got, err)
	}
	problems, err := json.Marshal(r.meta.MapErrors)
	if err != nil || !strings.Contains(string(problems), "broken/actions.json") {
		t.Errorf("errors %s, %v", problems, err)
	}
}
