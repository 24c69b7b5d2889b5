package primitive

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// argument is what the lint looks at in a schema.
type argument struct {
	Type                 any                  `json:"type"`
	Ref                  string               `json:"$ref"`
	Description          string               `json:"description"`
	Enum                 []any                `json:"enum"`
	Pattern              string               `json:"pattern"`
	Default              json.RawMessage      `json:"default"`
	Required             []string             `json:"required"`
	Properties           map[string]*argument `json:"properties"`
	AdditionalProperties any                  `json:"additionalProperties"`
	OneOf                []*argument          `json:"oneOf"`
}

// walk calls visit with the argument's members, as deep as they go, by their dotted names.
func (a *argument) walk(prefix string, visit func(name string, a *argument)) {
	for _, name := range slices.Sorted(maps.Keys(a.Properties)) {
		visit(prefix+name, a.Properties[name])
		a.Properties[name].walk(prefix+name+".", visit)
	}
}

// refers reports whether a member is the shared definition.
func (a *argument) refers(definition string) bool {
	found := false
	a.walk("", func(_ string, one *argument) {
		for _, way := range append(one.OneOf, one) {
			found = found || way.Ref == "#/definitions/"+definition
		}
	})
	return found
}

// readSchemas checks that both schemas can be used, and reports whether it can go on.
func (l *linter) readSchemas() bool {
	l.input, l.output = &argument{}, &argument{}
	for member, into := range map[string]*argument{"input_schema": l.input, "output_schema": l.output} {
		text := l.record.InputSchema
		if member == "output_schema" {
			text = l.record.OutputSchema
		}
		whole, err := manifest.Complete(text)
		if err == nil {
			_, err = schema.Compile(whole)
		}
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			l.add(member, "%v", err)
			return false
		}
		for _, name := range into.Required {
			l.when(into.Properties[name] == nil, member, "it requires %q and does not declare it", name)
		}
	}
	l.when(l.input.Type != "object" || l.input.AdditionalProperties != false, "input_schema", "it is no closed object: a misspelt argument would pass")
	return true
}

// descriptions are the texts of both schemas.
func (l *linter) descriptions() (all []string) {
	for _, a := range []*argument{l.input, l.output} {
		a.walk("", func(_ string, one *argument) { all = append(all, one.Description) })
	}
	return all
}

// choice is a description that lists words to choose from: "text, html or xml", "replace without it; append …".
var choice = regexp.MustCompile(`^[a-z][\w./-]*((, [a-z][\w./-]*)* or [a-z][\w./-]*($|[.;,:])| without it; [a-z][\w./-]* )`)

func (l *linter) checkArguments() {
	l.input.walk("", func(name string, a *argument) {
		free := a.Type == "string" && a.Enum == nil && a.Pattern == ""
		l.when(free && choice.MatchString(a.Description), "input_schema."+name, "a fixed choice must be an enum: %s", a.Description)
	})
	for _, name := range l.input.Required {
		a := l.input.Properties[name]
		l.when(a != nil && a.Default != nil, "input_schema."+name, "it is required and has a default")
	}
	name := l.record.URLArgument
	l.when(name != "" && l.input.Properties[name] == nil, "url_argument", "there is no argument %q", name)
}

func (l *linter) checkSecurity() {
	s := l.record.Security
	for _, name := range s.InjectableArguments {
		l.when(l.input.Properties[name] == nil, "security.injectable_arguments", "there is no argument %q that could be injectable", name)
	}
	for _, name := range s.Unlogged {
		member, _, _ := strings.Cut(name, ".") // a member of it may be named
		l.when(l.input.Properties[member] == nil && l.output.Properties[member] == nil, "security.unlogged", "neither arguments nor output have a member %q", name)
	}
}

// placeholder is an {argument} of a label.
var placeholder = regexp.MustCompile(`\{(\w*)\}`)

func (l *linter) checkLabels() {
	labels := l.record.Labels
	l.when(labels.Tool == "" && !l.record.Internal, "labels.tool", "callers may use it, and a person must be able to read what runs")
	l.when(strings.ContainsAny(labels.Tool, "{}"), "labels.tool", "it has a placeholder, which tool.with_param is for")
	if labels.WithParam == "" {
		return
	}
	names := placeholder.FindAllStringSubmatch(labels.WithParam, -1)
	if len(names) != 1 {
		l.add("labels.tool.with_param", "it has %d placeholders and must have one", len(names))
		return
	}
	name := names[0][1]
	l.when(l.input.Properties[name] == nil, "labels.tool.with_param", "there is no argument %q", name)
	typed := slices.Contains(slices.Concat(l.record.Security.InjectableArguments, l.record.Security.Unlogged), name)
	l.when(typed, "labels.tool.with_param", "the argument %q may hold typed text, which no label shows", name)
}
