package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// call is what one request to a service says.
type call struct {
	base, key   string
	provider    string
	model       string
	system      string
	messages    []Message
	tools       []Tool
	maxTokens   int64
	temperature *float64 // nil sends none
	images      bool
	watch       *watch
}

// textOf returns the texts of a message as one.
func textOf(content []Content) string {
	var texts []string
	for _, c := range content {
		if c.Type == TextContent && c.Text != "" {
			texts = append(texts, c.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// seen returns the content as the model may see it.
func (c *call) seen(content []Content) []Content {
	if !c.images {
		content = withoutImages(content)
	}
	return slices.DeleteFunc(slices.Clone(content), func(one Content) bool {
		return one.Type != ImageContent && (one.Type != TextContent || one.Text == "")
	})
}

// onlyText returns the text of the content if it holds nothing else.
func onlyText(content []Content) (string, bool) {
	for _, c := range content {
		if c.Type != TextContent {
			return "", false
		}
	}
	return textOf(content), true
}

// safeID reports whether all services take the id.
func safeID(id string) bool {
	return id != "" && len(id) <= 64 && strings.IndexFunc(id, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}) < 0
}

// callID returns the id under which a tool call of any service is sent.
func callID(id string) string {
	if safeID(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:12])
}

// objectOf returns the arguments as an object: what a model wrote instead of one is its only member.
func objectOf(arguments json.RawMessage) json.RawMessage {
	if len(arguments) == 0 {
		return json.RawMessage("{}")
	}
	wrapped, err := json.Marshal(map[string]json.RawMessage{"not_an_object": arguments})
	if err != nil { // not even JSON
		return json.RawMessage("{}")
	}
	return jsonOr(arguments, wrapped)
}

// schemaOf returns a tool's schema.
func schemaOf(t Tool) (map[string]any, error) {
	schema := map[string]any{}
	if len(t.Parameters) == 0 {
		return map[string]any{"type": "object", "properties": map[string]any{}}, nil
	}
	err := json.Unmarshal(t.Parameters, &schema)
	return schema, err
}

// resultText is what the model reads of a tool's result.
func resultText(m Message) string {
	text := textOf(m.Content)
	if text == "" {
		text = "(no output)"
	}
	return text
}

// markedText is resultText for a format that has no mark for a failure.
func markedText(m Message) string {
	if m.IsError {
		return "Error: " + resultText(m)
	}
	return resultText(m)
}
