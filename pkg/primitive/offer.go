package primitive

import "encoding/json"

// Property is one property of an object schema.
type Property struct {
	Name   string
	Schema json.RawMessage
}

// Properties lists the properties of an object schema in the order in which they
// were written.
func Properties(schema json.RawMessage) ([]Property, error) {
	var object struct {
		Properties json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(schema, &object); err != nil || len(object.Properties) == 0 {
		return nil, err
	}
	members, err := membersOf(object.Properties)
	properties := make([]Property, len(members))
	for i, m := range members {
		properties[i] = Property{m.name, m.value}
	}
	return properties, err
}

// Undescribed returns a property's schema for a catalogue that must be short: with
// its types and choices, without words and numeric limits, which the host checks.
func Undescribed(schema json.RawMessage) (json.RawMessage, error) {
	members, err := membersOf(schema)
	if err != nil {
		return nil, err
	}
	out := []byte{'{'}
	for _, m := range members {
		switch m.name {
		case "description", "minimum", "maximum", "writeOnly":
			continue
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, name...), ':'), m.value...)
	}
	return append(out, '}'), nil
}
