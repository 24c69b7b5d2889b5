package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The choices of the flags.
var (
	routes  = []string{"page", "host", "debugger", "browser"}
	effects = []string{"read", "view", "input", "tab", "state", "code"}
)

var dotted = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$`)

// tool is a primitive that is to be begun, as its templates see it.
type tool struct {
	Name, Route, Effect string

	Handler string // the file of its handler
	Cases   string // the file of its conformance cases
	TSFunc  string // in the page script
	GoFunc  string // in Go

	Package, Receiver string // of a handler in Go
}

func newTool(name, route, effect string) (*tool, error) {
	switch {
	case !dotted.MatchString(name):
		return nil, fmt.Errorf("%q is no name of a primitive: it has a family and a dot, in lower case, such as page.word_count", name)
	case !slices.Contains(routes, route):
		return nil, fmt.Errorf("--route is one of %s", strings.Join(routes, ", "))
	case !slices.Contains(effects, effect):
		return nil, fmt.Errorf("--effect is one of %s", strings.Join(effects, ", "))
	}
	return &tool{Name: name, Route: route, Effect: effect}, nil
}

// Acts reports whether the effect is more than looking or the host's own state.
func (t *tool) Acts() bool { return slices.Contains([]string{"input", "tab", "code"}, t.Effect) }

// Debugger reports whether it needs the browser's debugger: code is never run without.
func (t *tool) Debugger() bool { return t.Route == "debugger" || t.Effect == "code" }

// Portable reports whether an embedded page could run it.
func (t *tool) Portable() bool { return t.Route == "page" && t.Effect != "code" }

// Paced reports whether a person follows it with the eyes.
func (t *tool) Paced() bool { return t.Effect == "input" }

// Workflow reports whether it may be a step.
func (t *tool) Workflow() bool { return t.Effect != "code" }

// Class is the capability class.
func (t *tool) Class() string {
	switch {
	case t.Effect == "code":
		return "debug"
	case t.Portable():
		return "portable"
	}
	return "privileged"
}

// words are the words of the name without its family.
func (t *tool) words() []string {
	_, own, _ := strings.Cut(t.Name, ".")
	return strings.FieldsFunc(own, func(c rune) bool { return c == '.' || c == '_' })
}

// Words is the label: what a person reads while it runs.
func (t *tool) Words() string {
	words := strings.Join(t.words(), " ")
	if len(words) < 2 {
		return t.Name
	}
	return words
}

// camel joins words as identifiers do.
func camel(words []string) string {
	joined := words[0]
	for _, word := range words[1:] {
		joined += strings.ToUpper(word[:1]) + word[1:]
	}
	return joined
}

// place chooses the files of the tool. What is there is never written over.
func (t *tool) place(root string) error {
	exists := func(name string) bool {
		_, err := os.Stat(filepath.Join(root, name))
		return !errors.Is(err, fs.ErrNotExist)
	}
	record := t.record()
	if exists(record) {
		return fmt.Errorf("%s exists already: %s", t.Name, record)
	}
	all := strings.FieldsFunc(t.Name, func(c rune) bool { return c == '.' || c == '_' })
	t.GoFunc, t.TSFunc = camel(all), camel(all)
	snake := strings.Join(all, "_")
	t.Cases = "test/conformance/cases_" + snake + ".go"
	switch t.Route {
	case "page":
		t.Handler = "extension/src/page/info/" + strings.Join(all, "-") + ".ts"
	case "host":
		t.Handler, t.Package, t.Receiver = "pkg/session/"+snake+".go", "session", "s *Sessions"
	default:
		t.Handler, t.Package, t.Receiver = "pkg/browser/primitives/"+snake+".go", "primitives", "h *Handlers"
	}
	for _, name := range []string{t.Handler, t.Cases} {
		if exists(name) {
			return fmt.Errorf("%s is there already", name)
		}
	}
	return nil
}

func (t *tool) record() string { return path.Join("manifest/primitives", t.Name+".json") }
