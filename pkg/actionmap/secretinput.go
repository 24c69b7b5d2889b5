package actionmap

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/redact"
)

// SecretTexts returns the texts in an action's arguments that are secret: by the name or the
// title of a member, at any depth, or because its schema is writeOnly or of the format password.
// A nil tool knows the names only.
func (t *Tool) SecretTexts(args json.RawMessage) []string {
	s := &secrets{applied: map[string][]jsonnode.Node{}}
	if t != nil {
		s.root = node(t.InputSchema)
	}
	s.within(args, s.apply(s.root))
	return s.texts
}

// secrets collects the secret texts of a value by the schemas that apply to it.
type secrets struct {
	root    jsonnode.Node
	applied map[string][]jsonnode.Node // by the pointer of a schema
	texts   []string
}

// value collects from the value of a member, or from an element of an array, which has no name.
func (s *secrets) value(name string, value json.RawMessage, schemas []jsonnode.Node) {
	if redact.SecretName(name) || slices.ContainsFunc(schemas, marksSecret) {
		s.texts = append(s.texts, redact.Texts(value)...)
		return
	}
	s.within(value, schemas)
}

func (s *secrets) within(value json.RawMessage, schemas []jsonnode.Node) {
	elements, _ := array(value)
	for i, inner := range elements {
		s.value("", inner, s.below(schemas, func(schema jsonnode.Node) []jsonnode.Node { return ofElement(schema, i) }))
	}
	members, _ := object(value)
	for name, inner := range members {
		s.value(name, inner, s.below(schemas, func(schema jsonnode.Node) []jsonnode.Node { return ofMember(schema, name) }))
	}
}

// below returns the schemas that apply to what is in a value; each stands in it once.
func (s *secrets) below(schemas []jsonnode.Node, of func(jsonnode.Node) []jsonnode.Node) (list []jsonnode.Node) {
	seen := map[string]bool{}
	for _, schema := range schemas {
		for _, inner := range of(schema) {
			for _, n := range s.apply(inner) {
				if !seen[n.Pointer] {
					seen[n.Pointer] = true
					list = append(list, n)
				}
			}
		}
	}
	return list
}

// apply returns a schema and all others that apply, or may apply, where it does.
func (s *secrets) apply(schema jsonnode.Node) (list []jsonnode.Node) {
	if known, ok := s.applied[schema.Pointer]; ok {
		return known
	}
	seen := map[string]bool{} // references may go round
	var add func(jsonnode.Node)
	add = func(n jsonnode.Node) {
		if n.Absent() || seen[n.Pointer] {
			return
		}
		seen[n.Pointer] = true
		list = append(list, n)
		if ref, ok := strings.CutPrefix(n.Get("$ref").Text(), "#"); ok {
			if pointer, err := url.PathUnescape(ref); err == nil {
				add(s.root.Find(pointer))
			}
		}
		for _, name := range []string{"allOf", "anyOf", "oneOf"} {
			for _, inner := range n.Get(name).Elements() {
				add(inner)
			}
		}
		add(n.Get("then"))
		add(n.Get("else"))
		for _, inner := range n.Get("dependencies").Members() {
			add(inner.Node)
		}
	}
	add(schema)
	s.applied[schema.Pointer] = list
	return list
}

// marksSecret reports whether a schema says that its value is secret.
func marksSecret(schema jsonnode.Node) bool {
	return string(schema.Get("writeOnly").Raw) == "true" || schema.Get("format").Text() == "password" ||
		redact.SecretName(schema.Get("title").Text())
}

// ofMember returns the schemas that one of an object has for a member.
func ofMember(schema jsonnode.Node, name string) (list []jsonnode.Node) {
	if n := schema.Get("properties").Get(name); !n.Absent() {
		list = append(list, n)
	}
	for _, m := range schema.Get("patternProperties").Members() {
		if pattern, err := regexp.Compile(m.Name); err != nil || pattern.MatchString(name) {
			list = append(list, m.Node)
		}
	}
	if len(list) == 0 {
		list = append(list, schema.Get("additionalProperties"))
	}
	return list
}

// ofElement returns the schemas that one of an array has for an element.
func ofElement(schema jsonnode.Node, i int) []jsonnode.Node {
	first, rest := schema.Get("prefixItems"), schema.Get("items")
	if rest.IsArray() {
		first, rest = rest, schema.Get("additionalItems")
	}
	if n := first.At(i); !n.Absent() {
		rest = n
	}
	return []jsonnode.Node{rest, schema.Get("contains")}
}
