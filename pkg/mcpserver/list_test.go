package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestDescribed(t *testing.T) {
	// Ensure that a primitive is described by the shorter of its type and its schema, and by one of them.
	s := newServer(t)
	shorter := 0
	for _, name := range s.catalogue.Names() {
		r, public := s.catalogue.Public(name)
		if !public {
			continue
		}
		output, err := s.describe(name)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := primitive.Output(output)
		if err != nil {
			t.Fatal(err)
		}
		var d described
		if err := json.Unmarshal(raw, &d); err != nil || (d.Input == "") == (d.Schema == nil) {
			t.Errorf("%s: %s, %v", name, raw, err)
		}
		if d.Input != "" {
			shorter++
		}
		if given, schema := max(len(d.Input), len(d.Schema)), len(primitive.Compact(r.InputSchema)); given > schema {
			t.Errorf("%s: described in %d bytes, its schema has %d", name, given, schema)
		}
	}
	if output, err := s.describe("locator.click"); err != nil || !strings.HasPrefix(output.(described).Input, "{locator: Locator; ") {
		t.Errorf("%+v, %v", output, err)
	}
	if shorter < 80 {
		t.Errorf("only %d types are shorter", shorter)
	}
}

func TestToolsOfTheTextAgentAreNotListed(t *testing.T) {
	// Ensure that the text agent's own tools stand neither in the list of primitives nor among the tools, also where all are offered.
	s := newServer(t)
	all, err := s.allTools()
	if err != nil {
		t.Fatal(err)
	}
	for _, listed := range s.find("") {
		if strings.HasPrefix(listed.Name, "automation.") {
			t.Errorf("%s is listed", listed.Name)
		}
	}
	for _, offered := range all {
		if strings.HasPrefix(offered.name, "automation.") {
			t.Errorf("%s is offered", offered.name)
		}
	}
	if len(all) < 80 {
		t.Errorf("%d tools", len(all))
	}
}
