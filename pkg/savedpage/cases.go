package savedpage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/maptest"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/storage"
	"github.com/actionsjson/actions-host/pkg/wholefile"
)

// pagesFolder is where saved pages lie, beside the map.
const pagesFolder = "pages"

// keptSuffix names the last version of a file that was written anew.
const keptSuffix = ".before"

// Page is the copy of a page that may be written to a file.
type Page struct {
	URL     string // of the tab
	Address string // that the page has in a case
	HTML    []byte
	Taken   map[string]int // how often what was taken out, by kind
}

// Take takes the copy of the claimed page that the call means, and cleans it. Session, target and
// time limit of the call are the caller's.
func Take(ctx context.Context, client *control.Client, call control.CallParams) (p Page, err error) {
	call.Name = control.CopyDecidedBy
	call.Arguments, err = json.Marshal(map[string]any{"policy_exception_report": policy.Report{
		Kind: policy.KindGeneric, IntendedTool: call.Name, ActionsJSONPath: "none", Reason: "Save a page for a test.",
	}})
	if err != nil {
		return p, err
	}
	var out control.PageCopy
	if err := client.Call(ctx, control.MethodCopyPage, call, &out); err != nil {
		return p, err
	}
	p.URL, p.Taken = out.URL, out.Copy.Taken
	p.Address = out.Copy.URL
	c := &cleaner{taken: p.Taken}
	if plain := c.mails(redact.URL(p.Address)); plain != p.Address {
		p.Address, _, _ = strings.Cut(p.Address, "?")
		p.Address = c.mails(p.Address)
	}
	var more map[string]int
	if p.HTML, more, err = Clean(out.Copy.HTML); err != nil {
		return p, err
	}
	for kind, count := range more {
		p.Taken[kind] += count
	}
	return p, nil
}

// MapOf returns the file of the page's map that has the action, or of its first map.
func MapOf(url, root, action string) (string, error) {
	store, err := storage.Open(root)
	if err != nil {
		return "", err
	}
	site := store.Match(url)
	if action == "" && len(site.Maps) > 0 {
		return site.Maps[0].File, nil
	}
	_, entry, ok := site.Tool(action)
	switch {
	case !ok && action == "":
		return "", fault.New(fault.UnknownAction, "no map is for this page").WithNextStep("actions-host new SITE --out FILE writes a first one; name a map that lies elsewhere with --map.")
	case !ok:
		return "", fault.New(fault.UnknownAction, "no map of this page has an action named %q", action).WithNextStep("actions-host site list shows them; name a map that lies elsewhere with --map.")
	case entry.Import != nil:
		return "", fault.New(fault.InvalidInput, "%s is imported: its cases belong beside the map that defines it", action).WithNextStep("Name that map with --map, and the action as it is named there.")
	}
	return entry.File, nil
}

// NewCases returns a case of the action with the input, or with one that is made up; without an
// action one for each that only reads. They name no file of the page yet.
func NewCases(m *actionmap.Map, page Page, name, action string, input json.RawMessage) ([]maptest.Case, error) {
	if action == "" {
		cases := maptest.ReadingCases(m, primitive.Load(), "", page.Address)
		switch {
		case len(cases) == 0:
			return nil, fault.New(fault.InvalidInput, "the map has no action that only reads and needs no input of yours").WithNextStep("Name an action, and an input that you have made up: actions-host test save ACTION ARGS.")
		case name != "" && len(cases) > 1:
			return nil, fault.New(fault.InvalidInput, "--name is for one case, and there are %d", len(cases)).WithNextStep("Name the action.")
		case name != "":
			cases[0].Name = name
		}
		return cases, nil
	}
	t, ok := m.Tool(action)
	if !ok {
		return nil, fault.New(fault.UnknownAction, "the map has no action named %q", action)
	}
	c := maptest.Case{Name: name, URL: page.Address, Action: t.Name}
	if c.Name == "" {
		c.Name = t.Name + " gives something"
	}
	var err error
	if c.Input = input; input != nil {
		err = t.CheckArguments(input)
	} else {
		c.Input, err = maptest.MadeUpInput(t)
	}
	if err == nil && input != nil {
		c.Input, err = withMadeUpSecrets(t, input)
	}
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(decodedInput(redact.JSON(c.Input)), decodedInput(c.Input)) {
		return nil, fault.New(fault.InvalidInput, "the input holds what looks like a secret, and a case is a file that others read").WithNextStep("Make one up.")
	}
	return []maptest.Case{c}, nil
}

// withMadeUpSecrets returns the input with secrets that are made up: a case is a file that others read.
func withMadeUpSecrets(t *actionmap.Tool, input json.RawMessage) (json.RawMessage, error) {
	secret := map[string]bool{}
	for _, text := range t.SecretTexts(input) {
		secret[text] = true
	}
	if len(secret) == 0 {
		return input, nil
	}
	made, err := maptest.MadeUpInput(t)
	if err != nil {
		return nil, err
	}
	return jsonnode.Encode(replaceSecrets(decodedInput(input), decodedInput(made), secret))
}

// replaceSecrets puts what is made up in the place of secret texts.
func replaceSecrets(given, made any, secret map[string]bool) any {
	switch v := given.(type) {
	case string:
		if !secret[v] {
			return v
		}
		if text, ok := made.(string); ok {
			return text
		}
		return "made up"
	case map[string]any:
		members, _ := made.(map[string]any)
		out := map[string]any{}
		for name, inner := range v {
			out[name] = replaceSecrets(inner, members[name], secret)
		}
		return out
	case []any:
		elements, _ := made.([]any)
		out := []any{}
		for i, inner := range v {
			var other any
			if len(elements) > 0 {
				other = elements[min(i, len(elements)-1)]
			}
			out = append(out, replaceSecrets(inner, other, secret))
		}
		return out
	}
	return given
}

func decodedInput(raw json.RawMessage) any {
	value, err := jsonnode.Decode(raw)
	if err != nil {
		return nil // not reachable: it was checked
	}
	return value
}

// Written is what was written.
type Written struct {
	Cases []string       `json:"cases"` // names
	File  string         `json:"file"`
	Page  string         `json:"page"`
	Kept  []string       `json:"kept,omitzero"` // last versions of files that were there
	Taken map[string]int `json:"taken_out"`
}

// Write writes the page, to a file that no other case uses, and adds the cases to the map's file
// of cases.
func Write(mapFile string, page Page, cases []maptest.Case) (s Written, err error) {
	folder := filepath.Dir(mapFile)
	s = Written{File: filepath.Join(folder, maptest.FileName), Taken: page.Taken}
	name := "page"
	if len(cases) == 1 {
		name = fileName(cases[0].Name)
	}
	before, err := os.ReadFile(s.File)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	file := unusedPage(before, name)
	for i := range cases {
		cases[i].Page = file
		s.Cases = append(s.Cases, cases[i].Name)
	}
	s.Page = filepath.Join(folder, filepath.FromSlash(file))
	after, err := maptest.Append(before, cases...)
	if err != nil {
		return s, err
	}
	if err := os.MkdirAll(filepath.Dir(s.Page), 0o755); err != nil {
		return s, fault.Wrap(err, fault.StorageUnavailable, "the folder of the page cannot be made: %v", err)
	}
	for _, one := range []struct {
		path string
		text []byte
	}{{s.Page, page.HTML}, {s.File, after}} {
		kept, err := writeKeeping(one.path, one.text)
		if err != nil {
			return s, err
		}
		if kept != "" {
			s.Kept = append(s.Kept, kept)
		}
	}
	return s, nil
}

// unusedPage returns a page's file of about that name that no case of the file of cases uses.
func unusedPage(text []byte, name string) string {
	var cases []maptest.Case
	if file, _ := maptest.Parse(text); file != nil {
		cases = file.Cases
	}
	page := pagesFolder + "/" + name + ".html"
	for n := 2; slices.ContainsFunc(cases, func(c maptest.Case) bool { return c.Page == page }); n++ {
		page = fmt.Sprintf("%s/%s-%d.html", pagesFolder, name, n)
	}
	return page
}

// writeKeeping writes a file; one that was there stays beside it, under the name that is
// returned.
func writeKeeping(name string, text []byte) (kept string, err error) {
	before, err := os.ReadFile(name)
	switch {
	case err == nil && string(before) == string(text):
		return "", nil
	case err == nil:
		kept = name + keptSuffix
		err = wholefile.Replace(kept, before, 0o644)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err == nil {
		err = wholefile.Replace(name, text, 0o644)
	}
	if err != nil {
		return "", fault.Wrap(err, fault.StorageUnavailable, "%s cannot be written: %v", name, err)
	}
	return kept, nil
}

// fileName makes a file's name of a case's.
func fileName(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	text := strings.Join(words, "-")
	if text == "" {
		text = "page"
	}
	return text[:min(len(text), 80)]
}
