package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/manifest"
)

// releasedList is the list of all codes that ever were; it only grows.
const releasedList = "pkg/fault/testdata/codes.txt"

// contract holds the declarations of manifest/, in their order where it matters.
type contract struct {
	definitions []definition
	methods     struct {
		Protocol    int `json:"protocol"`
		ProtocolMin int `json:"protocol_min"`
		Methods     []method
	}
	errors []struct {
		Code        string `json:"code"`
		Retryable   bool   `json:"retryable"`
		Recoverable bool   `json:"recoverable"`
		NextStep    string `json:"next_step"`
	}
	primitives []primitive
	shared     map[string]*shape // the parts of schemas that records share
	released   []string          // the list of codes as it is
	limits     []limit
	locales    map[string][]byte // the files of messages as they are, by their places
	words      *credentialWords
	format     []byte // actions.schema.json as it is, with the names of an earlier dictionary
}

type definition struct {
	name   string
	schema *schema
}

type method struct {
	Method, From, Kind, Params, Result string
}

type primitive struct {
	Name         string   `json:"name"`
	Summary      string   `json:"summary"`
	Class        string   `json:"capability_class"`
	Route        string   `json:"route"`
	Effect       string   `json:"effect"`
	Paced        bool     `json:"paced"`
	Workflow     bool     `json:"workflow"`
	InputSchema  *shape   `json:"-"`
	OutputSchema *shape   `json:"-"`
	Errors       []string `json:"errors"`
	Conformance  []string `json:"conformance"`
	Internal     bool     `json:"internal"`
	Classes      []string `json:"classes"`
	Security     security `json:"security"`
	Labels       labels   `json:"labels"`
	Adapters     map[string]struct {
		Support string `json:"support"`
		Reason  string `json:"reason"`
	} `json:"adapters"`
}

type schema struct {
	Type        string             `json:"type"`
	Description string             `json:"description"`
	Ref         string             `json:"$ref"`
	Enum        []string           `json:"enum"`
	Items       *schema            `json:"items"`
	Required    []string           `json:"required"`
	Properties  map[string]*schema `json:"properties"`
}

func load(dir string) (*contract, error) {
	c := &contract{}
	var messages struct {
		Definitions map[string]*schema `json:"definitions"`
	}
	if err := read(filepath.Join(dir, "protocol/messages.schema.json"), &messages); err != nil {
		return nil, err
	}
	for name, s := range messages.Definitions {
		c.definitions = append(c.definitions, definition{name, s})
	}
	slices.SortFunc(c.definitions, func(a, b definition) int { return strings.Compare(a.name, b.name) })
	if err := read(filepath.Join(dir, "protocol/methods.json"), &c.methods); err != nil {
		return nil, err
	}
	for _, m := range c.methods.Methods {
		for _, name := range []string{m.Params, m.Result} {
			if name != "" && messages.Definitions[name] == nil {
				return nil, fmt.Errorf("method %s names %s, which messages.schema.json does not define", m.Method, name)
			}
		}
	}
	errorsFile := struct{ Errors any }{&c.errors}
	if err := read(filepath.Join(dir, "errors.json"), &errorsFile); err != nil {
		return nil, err
	}
	format, err := os.ReadFile(filepath.Join(dir, "actions.schema.json"))
	if err != nil {
		return nil, err
	}
	c.format = format
	if c.limits, err = readLimits(); err != nil {
		return nil, err
	}
	if err := c.readLocales(); err != nil {
		return nil, err
	}
	if c.words, err = readCredentialWords(credentialWordsFile); err != nil {
		return nil, err
	}
	// A list that is not there yet starts with the codes of today.
	released, err := os.ReadFile(releasedList)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	c.released = strings.Fields(string(released))
	for name, text := range manifest.Primitives() {
		p, err := readPrimitive(text, manifest.ByEffect)
		if err != nil {
			return nil, fmt.Errorf("primitive %s: %w", name, err)
		}
		c.primitives = append(c.primitives, p)
	}
	if err := c.readShared(); err != nil {
		return nil, err
	}
	slices.SortFunc(c.primitives, func(a, b primitive) int { return strings.Compare(a.Name, b.Name) })
	return c, nil
}

// readShared reads the parts that several records share.
func (c *contract) readShared() error {
	definitions, err := manifest.Shared()
	if err != nil {
		return err
	}
	c.shared = map[string]*shape{}
	for name, text := range definitions {
		var s *shape
		if err := json.Unmarshal(text, &s); err != nil {
			return fmt.Errorf("shared definition %s: %w", name, err)
		}
		c.shared[name] = s
	}
	return nil
}

// readPrimitive reads a record; byEffect returns what its effect adds.
func readPrimitive(text []byte, byEffect func(effect string) (manifest.Addition, error)) (primitive, error) {
	var p primitive
	var raw struct {
		Input  json.RawMessage `json:"input_schema"`
		Output json.RawMessage `json:"output_schema"`
	}
	if err := errors.Join(json.Unmarshal(text, &p), json.Unmarshal(text, &raw)); err != nil {
		return p, err
	}
	if !p.Internal {
		more, err := byEffect(p.Effect)
		if err != nil {
			return p, err
		}
		var added, given error
		raw.Input, _, added = manifest.AddProperties(raw.Input, more.Input)
		raw.Output, _, given = manifest.AddProperties(raw.Output, more.Output)
		if err := errors.Join(added, given); err != nil {
			return p, err
		}
		p.Errors = append(p.Errors, more.Errors...)
	}
	return p, errors.Join(complete(raw.Input, &p.InputSchema), complete(raw.Output, &p.OutputSchema))
}

// complete reads a record's schema together with the shared parts it refers to.
func complete(schema json.RawMessage, into **shape) error {
	whole, err := manifest.Complete(schema)
	if err != nil {
		return err
	}
	return json.Unmarshal(whole, into)
}

func read(name string, into any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// camel turns tab_id into TabID.
func camel(name string) string {
	var b strings.Builder
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '.' }) {
		switch part {
		case "id", "url", "ms", "ids", "html", "sdp", "ui":
			part = map[string]string{"id": "ID", "url": "URL", "ms": "MS", "ids": "IDs", "html": "HTML", "sdp": "SDP", "ui": "UI"}[part]
		default:
			part = strings.ToUpper(part[:1]) + part[1:]
		}
		b.WriteString(part)
	}
	return b.String()
}

// keys returns the names of the properties, required ones in their declared
// order first, then the others by name: a stable order for generated code.
func (s *schema) keys() []string {
	names := slices.Clone(s.Required)
	var optional []string
	for name := range s.Properties {
		if !slices.Contains(s.Required, name) {
			optional = append(optional, name)
		}
	}
	slices.Sort(optional)
	return append(names, optional...)
}

func (s *schema) refName() string { return strings.TrimPrefix(s.Ref, "#/definitions/") }
