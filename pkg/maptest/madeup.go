package maptest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// madeUpTexts are texts of the formats that schemas name.
var madeUpTexts = map[string]string{
	"email": "ada@example.com", "date": "2030-01-31", "time": "10:30:00", "date-time": "2030-01-31T10:30:00Z", "uri": "https://example.com/", "url": "https://example.com/",
}

const (
	maxMadeUpDepth = 8       // of objects
	maxMadeUpLists = 100_000 // bytes of what all lists have: in lists of lists, a short schema asks for any number
)

// MadeUpInput returns an input that the action accepts, with no more than it requires. It is
// made of the schema alone: of its examples, defaults and choices, else of anything that fits.
// The fault is invalid_input where nothing fits.
func MadeUpInput(t *actionmap.Tool) (json.RawMessage, error) {
	schema, _ := decoded(t.InputSchema).(map[string]any)
	left := maxMadeUpLists
	raw, err := jsonnode.Encode(madeUp(schema, 0, &left))
	if err == nil {
		err = t.CheckArguments(raw)
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidInput, "no input for %s can be made up from its schema: %s", t.Name, fault.From(err).Message).
			WithNextStep("Write one: actions-host test save " + t.Name + ` '{"…": …}'. Make it up; it is kept in the file.`)
	}
	return raw, nil
}

func madeUp(schema map[string]any, depth int, left *int) any {
	for _, name := range []string{"const", "default"} {
		if value, ok := schema[name]; ok && !empty(value) {
			return value
		}
	}
	for _, name := range []string{"examples", "enum"} {
		if list, ok := schema[name].([]any); ok && len(list) > 0 {
			return list[0]
		}
	}
	kind, _ := schema["type"].(string)
	if kinds, ok := schema["type"].([]any); ok && len(kinds) > 0 {
		kind, _ = kinds[0].(string)
	}
	number := func(name string) (int64, bool) {
		n, ok := schema[name].(json.Number)
		if !ok {
			return 0, false
		}
		whole, err := n.Int64()
		return whole, err == nil
	}
	switch kind {
	case "string":
		format, _ := schema["format"].(string)
		text, ok := madeUpTexts[format]
		if !ok {
			text = "example"
		}
		if least, ok := number("minLength"); ok && int64(len(text)) < least && least < 1000 {
			text += strings.Repeat("e", int(least)-len(text))
		}
		if most, ok := number("maxLength"); ok && most >= 0 && int64(len(text)) > most {
			text = text[:most]
		}
		return text
	case "integer", "number":
		if least, ok := number("minimum"); ok {
			return least
		}
		if most, ok := number("maximum"); ok && most < 1 {
			return most
		}
		return 1
	case "boolean":
		return true
	case "array":
		least, _ := number("minItems")
		items, _ := schema["items"].(map[string]any)
		list := []any{}
		if least <= 0 {
			return list
		}
		element := madeUp(items, depth+1, left)
		raw, _ := jsonnode.Encode(element) // it was decoded from JSON
		for range min(least, 20) {
			if *left -= len(raw); *left < 0 {
				break // too short a list, which is no input
			}
			list = append(list, element)
		}
		return list
	}
	object := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if property, ok := properties[name].(map[string]any); ok && depth < maxMadeUpDepth && slices.Contains(required, any(name)) {
			object[name] = madeUp(property, depth+1, left)
		}
	}
	return object
}

// ReadingCases returns a case for each action that reads the page and does nothing else, on a
// saved page: each has to give something. One that only gives a stored value reads no page.
func ReadingCases(m *actionmap.Map, catalogue *primitive.Catalogue, page, url string) (cases []Case) {
	for _, t := range m.Tools {
		if t.Kind == actionmap.KindNone || t.Kind == actionmap.KindStatic || !t.Applies(url) || slices.ContainsFunc(t.Authority(catalogue).Effects, func(effect string) bool { return effect != "read" && effect != "view" }) {
			continue
		}
		input, err := MadeUpInput(t)
		if err != nil {
			continue // it needs one that only a person can think of
		}
		c := Case{Name: t.Name + " gives something", Page: page, URL: url, Action: t.Name}
		if string(input) != "{}" {
			c.Input = input
		}
		cases = append(cases, c)
	}
	return cases
}
