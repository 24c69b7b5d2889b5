package pagemodel

import (
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/schema"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// Signal is an event of the page that may be passed to an agent, as data.
type Signal struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Direction   string          `json:"direction,omitempty"`
	Event       string          `json:"event,omitempty"` // name of the DOM event
	Enabled     bool            `json:"enabled"`         // ingestion; off unless the map says enabled
	Target      *Target         `json:"target,omitempty"`
	Payload     json.RawMessage `json:"payload,omitempty"` // its JSON Schema

	schema *schema.Schema // nil: the event carries nothing
}

// payloadLimits bound what a page may send with an event.
var payloadLimits = strictjson.Limits{MaxBytes: 64 << 10, MaxDepth: 32}

var signalDirections = []string{"", "agent_to_html", "html_to_agent", "bidirectional"}

func (s *Model) readSignals(p jsonnode.Node) {
	for _, o := range s.section(p, "name") {
		signal := Signal{
			Name: o.Get("name").Text(), Description: prose(o.Get("description")), Direction: o.Get("direction").Text(),
			Event: o.Get("event").Text(), Enabled: o.Get("ingestion").Text() == "enabled",
		}
		if t, ok := readTarget(o.Get("target")); ok {
			signal.Target = &t
		}
		payload := o.Get("payload")
		if !slices.Contains(signalDirections, signal.Direction) {
			s.problem(o.Get("direction"), "direction must be agent_to_html, html_to_agent or bidirectional")
			continue
		}
		if signal.Enabled && signal.Event == "" {
			s.problem(o.Get("event"), "an enabled signal must name its event")
			continue
		}
		if !payload.Absent() {
			compiled, err := schema.Compile(payload.Raw)
			if err != nil || payload.Raw[0] != '{' {
				s.problem(payload, "payload is no usable JSON Schema")
				continue
			}
			signal.Payload, signal.schema = payload.Raw, compiled
		}
		s.Signals = append(s.Signals, signal)
	}
}

// Validate checks what a page sent with the event: strict JSON of at most
// 64 KiB that matches the payload schema. A signal without one takes nothing
// but null or an empty object. The error is invalid_input; its evidence never
// holds what the page sent.
func (s Signal) Validate(payload json.RawMessage) error {
	if len(payload) == 0 {
		payload = json.RawMessage("null")
	}
	strict, err := strictjson.Canonical(payload, payloadLimits)
	if err != nil {
		return fault.Wrap(err, fault.InvalidInput, "the payload of the signal %s is not acceptable: %s", s.Name, fault.From(err).Message)
	}
	if s.schema == nil {
		if string(strict) == "null" || string(strict) == "{}" {
			return nil
		}
		return fault.New(fault.InvalidInput, "the signal %s declares no payload and was sent one", s.Name)
	}
	if violations := s.schema.Validate(strict); len(violations) > 0 {
		return fault.New(fault.InvalidInput, "the payload of the signal %s does not match its schema: %s", s.Name, violations[0].Message).
			With("violations", violations)
	}
	return nil
}
