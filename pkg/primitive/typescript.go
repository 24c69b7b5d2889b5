package primitive

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// namedTypes are the types of the definitions that the instructions describe once.
var namedTypes = map[string]string{
	"locator": "Locator", "frame": "Frame", "scope": "Scope",
	"expectation": "{text?: string; url?: string; locator?: Locator; timeout_ms?: number}",
}

// TypeScript returns a record's schema as a TypeScript type, with descriptions and ranges
// as comments: models read it as well as the schema, in half the bytes. Limits of length
// and conditions between members are left out; dispatch checks them.
func TypeScript(schema json.RawMessage) string {
	root := jsonnode.Node{Raw: schema}
	w := typeWriter{definitions: root.Get("definitions").Object()}
	return w.typeOf(root.Object(), 0)
}

type typeWriter struct {
	definitions jsonnode.Object
}

func (w typeWriter) typeOf(s jsonnode.Object, depth int) string {
	if depth > maxDepth {
		return "unknown"
	}
	if name, ok := strings.CutPrefix(s.Get("$ref").Text(), "#/definitions/"); ok {
		if named, ok := namedTypes[name]; ok {
			return named
		}
		return w.typeOf(w.definitions.Get(name).Object(), depth+1)
	}
	if literals := literalsOf(s); literals != "" {
		return literals
	}
	for _, choice := range []string{"oneOf", "anyOf"} {
		if union := w.union(s.Get(choice).Elements(), depth); union != "" {
			return union
		}
	}
	types := s.Get("type").Texts()
	if one := s.Get("type").Text(); one != "" {
		types = []string{one}
	}
	var all []string
	for _, name := range types {
		all = append(all, w.simple(name, s, depth))
	}
	if len(all) == 0 {
		return "unknown"
	}
	return strings.Join(all, "|")
}

// union joins the types of alternatives, without those that only state conditions.
func (w typeWriter) union(alternatives []jsonnode.Node, depth int) string {
	var all []string
	for _, one := range alternatives {
		if t := w.typeOf(one.Object(), depth+1); t != "unknown" && !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return strings.Join(all, "|")
}

func literalsOf(s jsonnode.Object) string {
	values := s.Get("enum").Elements()
	if constant := s.Get("const"); !constant.Absent() {
		values = append(values, constant)
	}
	var all []string
	for _, v := range values {
		text := string(v.Raw)
		if v.IsString() {
			text = "'" + strings.ReplaceAll(v.Text(), "'", `\'`) + "'" // quotes that JSON need not escape
		}
		all = append(all, text)
	}
	return strings.Join(all, "|")
}

func (w typeWriter) simple(name string, s jsonnode.Object, depth int) string {
	switch name {
	case "integer":
		return "number"
	case "array":
		item := w.typeOf(s.Get("items").Object(), depth+1)
		if strings.Contains(item, "|") {
			item = "(" + item + ")"
		}
		return item + "[]"
	case "object":
		properties := s.Get("properties").Members()
		if len(properties) == 0 {
			return "object"
		}
		return w.members(properties, s.Get("required").Texts(), depth)
	}
	return name
}

func (w typeWriter) members(properties []jsonnode.Member, required []string, depth int) string {
	var all []string
	for _, p := range properties {
		optional := "?"
		if slices.Contains(required, p.Name) {
			optional = ""
		}
		s := p.Object()
		all = append(all, p.Name+optional+": "+w.typeOf(s, depth+1)+w.comment(s))
	}
	return "{" + strings.Join(all, "; ") + "}"
}

// comment returns the range and the description of a member as a comment.
func (w typeWriter) comment(s jsonnode.Object) string {
	if name, ok := strings.CutPrefix(s.Get("$ref").Text(), "#/definitions/"); ok && namedTypes[name] == "" {
		s = w.definitions.Get(name).Object()
	}
	var words []string
	if low, high := s.Get("minimum"), s.Get("maximum"); !low.Absent() && !high.Absent() {
		words = append(words, fmt.Sprintf("%s to %s.", low.Raw, high.Raw))
	}
	if text := s.Get("description").Text(); text != "" {
		words = append(words, strings.ReplaceAll(text, "*/", "* /"))
	}
	if len(words) == 0 {
		return ""
	}
	return " /* " + strings.Join(words, " ") + " */"
}
