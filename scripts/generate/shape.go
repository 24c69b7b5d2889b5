package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// shape is a primitive's JSON Schema as the reference page shows it. It knows
// the keywords that the records use.
type shape struct {
	Type        any               `json:"type"` // a name or a list of names
	Description string            `json:"description"`
	Ref         string            `json:"$ref"`
	Enum        []any             `json:"enum"`
	Const       any               `json:"const"`
	OneOf       []*shape          `json:"oneOf"`
	Items       *shape            `json:"items"`
	Properties  members           `json:"properties"`
	Required    []string          `json:"required"`
	Definitions map[string]*shape `json:"definitions"`
	Minimum     json.Number       `json:"minimum"`
	Maximum     json.Number       `json:"maximum"`
	MaxItems    json.Number       `json:"maxItems"`
	MaxLength   json.Number       `json:"maxLength"`
}

// members are an object's properties in the order of their record, which is
// the order that makes sense to a reader.
type members []member

type member struct {
	name  string
	shape *shape
}

// UnmarshalJSON keeps the order, which a map would lose.
func (m *members) UnmarshalJSON(text []byte) error {
	in := json.NewDecoder(bytes.NewReader(text))
	if _, err := in.Token(); err != nil { // the opening brace
		return err
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return err
		}
		one := member{name: fmt.Sprint(name)}
		if err := in.Decode(&one.shape); err != nil {
			return err
		}
		*m = append(*m, one)
	}
	return nil
}

// resolve follows a reference into the root's definitions. What stands beside
// the reference says more about this very place.
func (s *shape) resolve(root *shape) *shape {
	if s.Ref == "" {
		return s
	}
	target := *root.Definitions[strings.TrimPrefix(s.Ref, "#/definitions/")].resolve(root)
	if s.Description != "" {
		target.Description = s.Description
	}
	return &target
}

// kind words the type: "number or null", "list, at most 4, of string".
func (s *shape) kind(root *shape) string {
	s = s.resolve(root)
	switch {
	case len(s.OneOf) > 0:
		var kinds []string
		for _, one := range s.OneOf {
			kinds = append(kinds, one.kind(root))
		}
		return strings.Join(kinds, " or ")
	case s.Const != nil:
		return "always " + literal(s.Const)
	case len(s.Enum) > 0:
		var values []string
		for _, v := range s.Enum {
			values = append(values, literal(v))
		}
		return strings.Join(values, ", ")
	}
	switch t := s.Type.(type) {
	case string:
		return s.named(t, root)
	case []any:
		var kinds []string
		for _, name := range t {
			kinds = append(kinds, s.named(fmt.Sprint(name), root))
		}
		return strings.Join(kinds, " or ")
	default:
		return "any value"
	}
}

func (s *shape) named(name string, root *shape) string {
	switch {
	case name == "array" && s.Items != nil:
		limit := upTo(s.MaxItems, "")
		if limit != "" {
			limit += ","
		}
		return "list" + limit + " of " + s.Items.kind(root)
	case name == "array":
		return "list"
	case name == "string":
		return "string" + upTo(s.MaxLength, " characters")
	case s.Minimum != "" && s.Maximum != "":
		return fmt.Sprintf("%s from %s to %s", name, s.Minimum, s.Maximum)
	case s.Minimum != "":
		return fmt.Sprintf("%s from %s", name, s.Minimum)
	case s.Maximum != "":
		return fmt.Sprintf("%s to %s", name, s.Maximum)
	}
	return name
}

func upTo(limit json.Number, unit string) string {
	if limit == "" {
		return ""
	}
	return ", at most " + limit.String() + unit
}

func literal(v any) string {
	if text, ok := v.(string); ok {
		return "`" + text + "`"
	}
	return fmt.Sprintf("`%v`", v)
}
