// Package maptest holds the tests of maps: what stands in an actions.test.json, whether an
// answer is what a case expects, and the reports of a run.
//
// Rules of this package:
//   - A file is read strictly. All its mistakes are reported, each with its line; a file with
//     one is not run.
//   - An answer that says nothing is a failure unless the case expects just that: a map
//     whose selectors find nothing mostly still answers.
//   - It judges and opens no page: whoever runs the cases brings the [Answer].
//   - What pages answered is quoted in messages, and nothing more is kept of it.
package maptest

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/schema"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// FileName is the name of the file with a map's cases, beside the map.
const FileName = "actions.test.json"

// DefaultTimeout is the time limit of a case that names none.
const DefaultTimeout = 20 * time.Second

// MaxBytes is the maximum size of a file.
const MaxBytes = 4 << 20

// limits leave room for the envelopes around a case's input.
var limits = strictjson.Limits{MaxBytes: MaxBytes, MaxDepth: 60}

// File is a file of cases.
type File struct {
	Cases []Case
}

// Case is one call of an action and what is expected of it.
type Case struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitzero"`
	Page        string          `json:"page"`
	URL         string          `json:"url,omitzero"`
	Action      string          `json:"action"`
	Input       json.RawMessage `json:"input,omitzero"`
	Output      json.RawMessage `json:"output,omitzero"`
	Error       json.RawMessage `json:"error,omitzero"`
	State       *State          `json:"state,omitzero"`
	NotRun      []string        `json:"not_run,omitzero"`
	TimeoutMS   int             `json:"timeout_ms,omitzero"`

	pointer               string // into the file
	output, failure, page expectation
}

// State is the expected state of the page after the action.
type State struct {
	Projection string          `json:"projection,omitzero"`
	Expect     json.RawMessage `json:"expect"`
}

// PageKind is where the page of a case comes from.
type PageKind int

// The kinds of pages.
const (
	PageAddress PageKind = iota // an absolute address
	PagePath                    // a path of the map's site
	PageFile                    // a saved page of the folder
)

// PageKind returns where the page comes from.
func (c *Case) PageKind() PageKind {
	switch {
	case strings.HasPrefix(c.Page, "http://"), strings.HasPrefix(c.Page, "https://"):
		return PageAddress
	case strings.HasPrefix(c.Page, "/"):
		return PagePath
	}
	return PageFile
}

// Timeout returns the time limit of the case, the given one where it names none.
func (c *Case) Timeout(otherwise time.Duration) time.Duration {
	if c.TimeoutMS > 0 {
		return time.Duration(c.TimeoutMS) * time.Millisecond
	}
	return otherwise
}

// Problem is a mistake of a file of cases.
type Problem struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Pointer string `json:"pointer"`
	Message string `json:"message"`
}

// Parse reads a file of cases. All its mistakes are returned, in the order of the file; with
// one there is no file.
func Parse(text []byte) (*File, []Problem) {
	raw, err := strictjson.Canonical(text, limits)
	if err != nil {
		return nil, []Problem{unreadable(text, err)}
	}
	var problems []Problem
	for _, v := range format().Validate(raw) {
		p := Problem{Pointer: v.Path, Message: v.Message}
		switch v.Keyword {
		case "not":
			p.Message = "a case expects an output or an error, not both"
		case "additionalProperties": // its place is that of the member that it names
			if _, quoted, ok := strings.Cut(v.Message, `"`); ok {
				if name, err := strconv.QuotedPrefix(`"` + quoted); err == nil {
					name, _ = strconv.Unquote(name)
					p.Pointer += "/" + jsonnode.Escape(name)
				}
			}
		}
		problems = append(problems, p)
	}
	if len(problems) > 0 {
		return nil, locate(text, problems)
	}
	var document struct {
		Cases []Case `json:"cases"`
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		return nil, locate(text, []Problem{{Message: err.Error()}}) // not reachable: the schema has the same shape
	}
	f := &File{Cases: document.Cases}
	names := map[string]bool{}
	for i := range f.Cases {
		c := &f.Cases[i]
		c.pointer = "/cases/" + strconv.Itoa(i)
		report := func(below, message string) {
			problems = append(problems, Problem{Pointer: c.pointer + below, Message: message})
		}
		if names[c.Name] {
			report("/name", "an earlier case has the same name")
		}
		names[c.Name] = true
		c.checkPage(report)
		c.output = readExpectation(c.Output, "/output", report)
		c.failure = readExpectation(c.Error, "/error", report)
		if c.State != nil {
			c.page = readExpectation(c.State.Expect, "/state/expect", report)
		}
	}
	if len(problems) > 0 {
		return nil, locate(text, problems)
	}
	return f, nil
}

// checkPage reports a page that cannot be meant.
func (c *Case) checkPage(report func(below, message string)) {
	switch kind := c.PageKind(); {
	case kind != PageFile && c.URL != "":
		report("/url", "url gives a saved page its address; this page has one")
	case kind != PageFile:
	case strings.Contains(c.Page, "://") || strings.HasPrefix(c.Page, "data:") || strings.HasPrefix(c.Page, "about:"):
		report("/page", "only http and https pages can be handed over")
	case path.Clean(c.Page) != c.Page || strings.HasPrefix(c.Page, "../") || strings.Contains(c.Page, "\\"):
		report("/page", "a saved page lies in this folder or below it: write its path plainly, with forward slashes")
	case path.Ext(c.Page) != ".html" && path.Ext(c.Page) != ".htm":
		report("/page", "a saved page is an .html file; an address begins with https://, a path of the site with /")
	}
}

var format = sync.OnceValue(func() *schema.Schema {
	text, err := manifest.Files.ReadFile("actions.test.schema.json")
	if err != nil {
		panic(err) // it is embedded
	}
	return schema.MustCompile(string(text))
})

// unreadable is the problem of a text that is no strict JSON.
func unreadable(text []byte, err error) Problem {
	f := fault.From(err)
	p := Problem{Message: strings.Replace(f.Message, "the message", "the file", 1)}
	offset, _ := f.Evidence["offset"].(int64)
	at := jsonnode.PositionAt(text, int(min(offset, int64(len(text)))))
	p.Line, p.Column = at.Line, at.Column
	p.Pointer, _ = f.Evidence["pointer"].(string)
	return p
}

// locate sets the places of the problems and puts them in the order of the file.
func locate(text []byte, problems []Problem) []Problem {
	pointers := make([]string, len(problems))
	for i, p := range problems {
		pointers[i] = p.Pointer
	}
	at := jsonnode.Positions(text, pointers)
	for i := range problems {
		problems[i].Line, problems[i].Column = at[problems[i].Pointer].Line, at[problems[i].Pointer].Column
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return problems
}
