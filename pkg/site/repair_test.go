package site

import (
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/repair"
)

func TestMemory(t *testing.T) {
	// Ensure that a target whose arguments the log withholds is found by all that its locator names, and by nothing less.
	pin := &repair.Target{}
	pin.Role, pin.Name, pin.Label, pin.Selector = "textbox", "PIN", "PIN", "#pin"
	name := &repair.Target{}
	name.Role, name.Name = "textbox", "Name"
	m := memory{byLocator: map[string]*repair.Target{`{"name":"Name","role":"textbox"}`: name}, others: []*repair.Target{pin}}
	for locator, want := range map[string]*repair.Target{
		`{"role":"textbox","name":"Name"}`:       name,
		`{"role":"textbox","name":"PIN"}`:        pin,
		`{"label":"PIN"}`:                        pin,
		`{"selector":"#pin"}`:                    pin,
		`{"role":"textbox","name":"Code"}`:       nil,
		`{"label":"PIN","test_id":"pin"}`:        nil,
		`{"selector":"#pin","frame":["iframe"]}`: nil,
		`{}`:                                     nil,
	} {
		if got := m.of(json.RawMessage(locator)); got != want {
			t.Errorf("%s is %+v", locator, got)
		}
	}
}
