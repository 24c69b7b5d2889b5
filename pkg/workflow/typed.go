package workflow

import (
	"encoding/json"
	"regexp"
	"strings"
	"sync"
)

// Inputs is a set of members of a run's input.
type Inputs struct {
	all   bool
	names map[string]bool
}

// AllInputs contains all members.
var AllInputs = Inputs{all: true}

// SomeInputs returns the set of members with these names.
func SomeInputs(names ...string) Inputs {
	i := Inputs{names: map[string]bool{}}
	for _, name := range names {
		i.names[name] = true
	}
	return i
}

// Has reports whether the set contains a member.
func (i Inputs) Has(name string) bool { return i.all || i.names[name] }

func (i *Inputs) add(other Inputs) {
	i.all = i.all || other.all
	for name := range other.names {
		i.names[name] = true
	}
}

// Typed returns the members of the input that may become text that a step types:
// those that the expressions of its typed arguments read. fields returns these
// arguments of a primitive, as names joined with dots. If the members that an
// expression reads cannot be determined, it returns all: too many rather than too few.
func (w *Workflow) Typed(fields func(primitive string) []string) Inputs {
	typed := SomeInputs()
	walk(w.steps, nil, func(s, within *step) {
		items := SomeInputs()
		switch {
		case s.forEach != nil:
			items = s.forEach.reads(items)
		case within != nil:
			items = within.forEach.reads(items)
		}
		if s.primitive != "" {
			typed.add(s.args.typed(fields(s.primitive), items))
		}
		if s.afterEach != nil {
			typed.add(s.afterEach.args.typed(fields(s.afterEach.primitive), items))
		}
	})
	return typed
}

// typed returns the inputs that the fields of the arguments read.
func (s *slot) typed(fields []string, items Inputs) Inputs {
	typed := SomeInputs()
	if s == nil {
		return typed
	}
	for _, field := range fields {
		for _, tree := range valuesAt(s.tree, strings.Split(field, ".")) {
			typed.add((&slot{tree: tree}).reads(items))
		}
	}
	return typed
}

// valuesAt returns the values at a path of members; an array on the path matches
// with each of its elements.
func valuesAt(tree json.RawMessage, path []string) []json.RawMessage {
	var elements []json.RawMessage
	if json.Unmarshal(tree, &elements) == nil {
		var values []json.RawMessage
		for _, e := range elements {
			values = append(values, valuesAt(e, path)...)
		}
		return values
	}
	if len(path) == 0 {
		return []json.RawMessage{tree}
	}
	var text string
	if json.Unmarshal(tree, &text) == nil {
		return []json.RawMessage{tree} // an expression whose value the path continues in
	}
	object, ok := members(tree)
	if !ok || object[path[0]] == nil {
		return nil
	}
	return valuesAt(object[path[0]], path[1:])
}

// reads returns the inputs that all expressions of a slot read.
func (s *slot) reads(items Inputs) Inputs {
	read := SomeInputs()
	s.eachExpression(func(source string) { read.add(inputsOf(source, items)) })
	return read
}

// eachText visits all string values of a JSON text.
func eachText(tree json.RawMessage, visit func(string)) {
	var text string
	var elements []json.RawMessage
	switch {
	case json.Unmarshal(tree, &text) == nil:
		visit(text)
	case json.Unmarshal(tree, &elements) == nil:
		for _, e := range elements {
			eachText(e, visit)
		}
	default:
		object, _ := members(tree)
		for _, member := range object {
			eachText(member, visit)
		}
	}
}

// pattern returns a regular expression that is compiled at its first use: the start of a host
// does not pay for it.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var (
	// named matches a read of one member of the input by its name.
	named = pattern(`(?:\$\$\s*\.\s*)?\binput\s*\.\s*(?:([\pL_][\pL\pN_]*)|` + "`([^`]*)`" + `)`)
	// unnamed matches reads without a member's name: the input as a whole, results of
	// steps, which may show earlier typed text, the context, wildcards.
	unnamed = pattern(`\binput\b|\bsteps\b|\$\$|\$(?:[^\pL_]|$)|\*|%`)
	ofItem  = pattern(`\bitem\b`)
)

// inputsOf returns the inputs that an expression reads. It searches for words instead
// of parsing the expression; a match in a string only makes the result larger.
func inputsOf(source string, items Inputs) Inputs {
	read := SomeInputs()
	rest := named().ReplaceAllStringFunc(source, func(path string) string {
		m := named().FindStringSubmatch(path)
		read.names[m[1]+m[2]] = true
		return " "
	})
	if unnamed().MatchString(rest) {
		return AllInputs
	}
	if ofItem().MatchString(rest) {
		read.add(items)
	}
	return read
}
