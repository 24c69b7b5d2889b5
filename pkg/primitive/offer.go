package primitive

import (
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// Properties lists the properties of an object schema in the order in which they
// were written.
func Properties(schema json.RawMessage) []jsonnode.Member {
	return jsonnode.Node{Raw: schema}.Get("properties").Members()
}

// Undescribed returns a property's schema for a catalogue that must be short: with
// its types and choices, without words and numeric limits, which the host checks.
func Undescribed(schema json.RawMessage) json.RawMessage {
	return jsonnode.Join(slices.DeleteFunc(jsonnode.Node{Raw: schema}.Members(), func(m jsonnode.Member) bool {
		return slices.Contains([]string{"description", "minimum", "maximum", "writeOnly"}, m.Name)
	}))
}
