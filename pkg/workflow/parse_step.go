package workflow

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
)

var (
	stepID       = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	settleStates = []string{"visible", "attached", "hidden", "detached"}
)

// parseStep checks one step, its fields in the order of the format's rules.
func (p *parser) parseStep(index int, raw json.RawMessage) step {
	p.step = strconv.Itoa(index)
	object, ok := members(raw)
	if !ok {
		p.add("", "must be an object")
		return step{}
	}
	var s step
	p.identify(object, &s)
	p.unknownKeys(object, stepKeys)
	p.kind(object, &s)
	s.args = p.object(object, "args")
	s.when = p.slot(object, "when")
	s.forEach = p.slot(object, "for_each")
	s.maxItems = p.bounded(object, "max_items", "for_each")
	s.minItems = p.least(object, s.maxItems)
	s.retryUntil = p.slot(object, "retry_until")
	s.maxAttempts = p.bounded(object, "max_attempts", "retry_until")
	if !absent(object["for_each"]) && !absent(object["retry_until"]) {
		p.add("retry_until", "cannot stand together with for_each; make two steps of it")
	}
	s.afterEach = p.afterEach(object["after_each"])
	s.onError = p.onError(object["on_error"])
	s.settle = p.settle(object["settle_after"])
	p.nested(object, &s)
	return s
}

func (p *parser) identify(object map[string]json.RawMessage, s *step) {
	var id string
	if json.Unmarshal(object["id"], &id) != nil || !stepID.MatchString(id) {
		p.add("id", "must be a text of the form %s", stepID)
		return
	}
	// From here on problems name the step as its author does.
	p.step, s.id = id, id
	if p.ids[id] {
		p.add("id", "duplicate step id %q", id)
	}
	p.ids[id] = true
}

func (p *parser) primitive(object map[string]json.RawMessage, field string) string {
	var name string
	switch {
	case json.Unmarshal(object["primitive"], &name) != nil || name == "":
		p.add(field, "primitive must be a name")
	case p.dict == nil || p.dict.Step(name):
	case p.dict.Effect(name) == "":
		p.add(field, "unknown primitive %q", name)
	default:
		p.add(field, "primitive %q cannot be a workflow step", name)
	}
	return name
}

// object compiles arguments, which must be an object before evaluation too.
func (p *parser) object(object map[string]json.RawMessage, field string) *slot {
	if raw := object[field]; !absent(raw) && raw[0] != '{' {
		p.add(field, "must be an object")
		return nil
	}
	return p.slot(object, field)
}

// bounded returns the limit that the field of its loop requires.
func (p *parser) bounded(object map[string]json.RawMessage, field, loop string) int {
	raw := object[field]
	if absent(raw) {
		if !absent(object[loop]) {
			p.add(field, "%s requires %s, an integer from 1 to %d", loop, field, MaxLoop)
		}
		return 0
	}
	n, ok := integer(raw)
	if !ok || n < 1 || n > MaxLoop {
		p.add(field, "must be an integer from 1 to %d", MaxLoop)
		return 0
	}
	return n
}

func (p *parser) afterEach(raw json.RawMessage) *call {
	if absent(raw) {
		return nil
	}
	object, ok := members(raw)
	if !ok {
		p.add("after_each", "must be an object with primitive and args")
		return nil
	}
	// One problem per name is enough: unknown takes precedence over not allowed.
	before := len(p.problems)
	c := &call{primitive: p.primitive(object, "after_each")}
	if len(p.problems) == before && !slices.Contains(afterEachPrimitives, c.primitive) {
		p.add("after_each", "primitive %q is not allowed in after_each; allowed are %v", c.primitive, afterEachPrimitives)
	}
	args := object["args"]
	if !absent(args) && args[0] != '{' {
		p.add("after_each", "args must be an object")
		return c
	}
	// Problems of the arguments are reported under after_each, which holds them.
	c.args = p.slot(map[string]json.RawMessage{"after_each": args}, "after_each")
	return c
}

func (p *parser) onError(raw json.RawMessage) string {
	if absent(raw) || string(raw) == `""` {
		return ""
	}
	var value string
	if json.Unmarshal(raw, &value) != nil || (value != "stop" && value != "continue") {
		p.add("on_error", `must be "stop" or "continue"`)
	}
	return value
}

func (p *parser) settle(raw json.RawMessage) *settle {
	if absent(raw) {
		return nil
	}
	const field = "settle_after"
	object, ok := members(raw)
	locator, delay := object["locator"], object["delay_ms"]
	if !ok || absent(locator) == absent(delay) {
		p.add(field, "must be an object with exactly one of locator and delay_ms")
		return nil
	}
	if !absent(delay) {
		if n, ok := float(delay); literal(delay) && (!ok || n <= 0) {
			p.add(field, "delay_ms must be a number above 0")
		}
		return &settle{delay: p.slot(map[string]json.RawMessage{field: delay}, field)}
	}
	if literal(locator) && locator[0] != '{' {
		p.add(field, "locator must be an object")
	}
	// The wait is stored as arguments of wait_for, so that slots in any of
	// its members are evaluated like those of every other call.
	wait := map[string]json.RawMessage{"locator": locator, "state": object["state"], "timeout_ms": object["timeout_ms"]}
	p.settleOptions(wait)
	tree, err := json.Marshal(wait)
	if err != nil {
		p.add(field, "%v", err)
		return nil
	}
	return &settle{wait: p.slot(map[string]json.RawMessage{field: tree}, field)}
}

// settleOptions checks state and timeout_ms and fills in their defaults.
func (p *parser) settleOptions(wait map[string]json.RawMessage) {
	if absent(wait["state"]) {
		wait["state"] = json.RawMessage(`"visible"`)
	}
	var state string
	if literal(wait["state"]) && (json.Unmarshal(wait["state"], &state) != nil || !slices.Contains(settleStates, state)) {
		p.add("settle_after", "state must be one of %v", settleStates)
	}
	if absent(wait["timeout_ms"]) {
		wait["timeout_ms"] = json.RawMessage(strconv.Itoa(settleTimeoutMS))
	}
	if n, ok := integer(wait["timeout_ms"]); literal(wait["timeout_ms"]) && (!ok || n < 0 || n > maxSettleTimeoutMS) {
		p.add("settle_after", "timeout_ms must be an integer from 0 to %d", maxSettleTimeoutMS)
	}
}

// float decodes a JSON number, but nothing that converts to one.
func float(raw json.RawMessage) (float64, bool) {
	var n *float64
	err := json.Unmarshal(raw, &n)
	return value(n), err == nil && n != nil
}

func value(n *float64) float64 {
	if n == nil {
		return 0
	}
	return *n
}

// integer accepts 3 and 3.0, which are one number in JSON, but not 2.5.
func integer(raw json.RawMessage) (int, bool) {
	n, ok := float(raw)
	if !ok || n != math.Trunc(n) || math.Abs(n) > 1e9 {
		return 0, false
	}
	return int(n), true
}
