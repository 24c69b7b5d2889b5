package actionmap

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/redact"
)

// SecretTexts returns the texts in an action's arguments that are secret: by the name or the
// title of a member, at any depth, or because its schema is writeOnly or of the format password.
// A nil tool knows the names only.
func (t *Tool) SecretTexts(args json.RawMessage) []string {
	s := &secrets{applied: map[string][]jsonnode.Node{}, read: map[string]*inputSchema{}}
	if t != nil {
		s.root = node(t.InputSchema)
	}
	s.within(args, s.together([]jsonnode.Node{s.root}))
	return s.texts
}

// secrets collects the secret texts of a value by the schemas that apply to it. A long list has the same
// ones for each of its elements: all is read once for a schema, not for a value.
type secrets struct {
	root    jsonnode.Node
	applied map[string][]jsonnode.Node // by the pointer of a schema
	read    map[string]*inputSchema    // the same
	texts   []string
}

// inputSchema is one as it is read.
type inputSchema struct {
	secret     bool
	properties map[string]jsonnode.Node
	patterns   []pattern
	additional jsonnode.Node
	first      []jsonnode.Node // of the first elements of an array
	further    jsonnode.Node   // of the others
	contains   jsonnode.Node
}

type pattern struct {
	matches *regexp.Regexp // nil: not known, so that it may
	jsonnode.Node
}

// inputSchemas are those that apply to one value, and to what is in it, as far as that was met.
type inputSchemas struct {
	list     []*inputSchema
	secret   bool
	members  map[string]*inputSchemas
	elements []*inputSchemas // the last one is that of all others
}

// value collects from the value of a member, or from an element of an array, which has no name.
func (s *secrets) value(name string, value json.RawMessage, by *inputSchemas) {
	if redact.SecretName(name) || by.secret {
		s.texts = append(s.texts, redact.Texts(value)...)
		return
	}
	s.within(value, by)
}

func (s *secrets) within(value json.RawMessage, by *inputSchemas) {
	elements, _ := array(value)
	for i, inner := range elements {
		s.value("", inner, s.ofElement(by, i))
	}
	members, _ := object(value)
	for name, inner := range members {
		s.value(name, inner, s.ofMember(by, name))
	}
}

// ofMember returns the schemas of a member.
func (s *secrets) ofMember(by *inputSchemas, name string) *inputSchemas {
	if known := by.members[name]; known != nil {
		return known
	}
	var all []jsonnode.Node
	for _, one := range by.list {
		all = append(all, one.ofMember(name)...)
	}
	below := s.together(all)
	by.members[name] = below
	return below
}

// ofElement returns the schemas of an element.
func (s *secrets) ofElement(by *inputSchemas, i int) *inputSchemas {
	if by.elements == nil {
		own := 0 // elements that have schemas of their own
		for _, one := range by.list {
			own = max(own, len(one.first))
		}
		for i := range own + 1 {
			var all []jsonnode.Node
			for _, one := range by.list {
				all = append(all, one.ofElement(i), one.contains)
			}
			by.elements = append(by.elements, s.together(all))
		}
	}
	return by.elements[min(i, len(by.elements)-1)]
}

// together returns the schemas with all that apply where they do, each once.
func (s *secrets) together(all []jsonnode.Node) *inputSchemas {
	t := &inputSchemas{members: map[string]*inputSchemas{}}
	seen := map[string]bool{}
	for _, outer := range all {
		for _, n := range s.apply(outer) {
			if seen[n.Pointer] {
				continue
			}
			seen[n.Pointer] = true
			if s.read[n.Pointer] == nil {
				s.read[n.Pointer] = readSchema(n)
			}
			t.list = append(t.list, s.read[n.Pointer])
			t.secret = t.secret || s.read[n.Pointer].secret
		}
	}
	return t
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

// readSchema reads what a schema has for a value and for what is in it.
func readSchema(n jsonnode.Node) *inputSchema {
	o := n.Object()
	read := &inputSchema{
		secret: string(o.Get("writeOnly").Raw) == "true" || o.Get("format").Text() == "password" ||
			redact.SecretName(o.Get("title").Text()),
		properties: map[string]jsonnode.Node{},
		additional: o.Get("additionalProperties"),
		first:      o.Get("prefixItems").Elements(),
		further:    o.Get("items"),
		contains:   o.Get("contains"),
	}
	for _, m := range o.Get("properties").Members() {
		if !m.Absent() {
			read.properties[m.Name] = m.Node
		}
	}
	for _, m := range o.Get("patternProperties").Members() {
		matches, _ := regexp.Compile(m.Name)
		read.patterns = append(read.patterns, pattern{matches, m.Node})
	}
	if read.further.IsArray() {
		read.first, read.further = read.further.Elements(), o.Get("additionalItems")
	}
	return read
}

// ofMember returns the schemas of a member.
func (s *inputSchema) ofMember(name string) (list []jsonnode.Node) {
	if n, ok := s.properties[name]; ok {
		list = append(list, n)
	}
	for _, p := range s.patterns {
		if p.matches == nil || p.matches.MatchString(name) {
			list = append(list, p.Node)
		}
	}
	if len(list) == 0 {
		list = append(list, s.additional)
	}
	return list
}

// ofElement returns the schema of an element by its place.
func (s *inputSchema) ofElement(i int) jsonnode.Node {
	if i < len(s.first) && !s.first[i].Absent() {
		return s.first[i]
	}
	return s.further
}
