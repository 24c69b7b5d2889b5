// Package draft writes a first map from a page: what it is, where it leads, and
// an action for each form, for each field and button that stands alone, and for each tool
// that the page itself offers.
//
// Rules of this package:
//   - The page is only read, through the primitives that any caller has.
//   - A locator is written only after it was tried and found exactly one
//     element. It rests on what an author chose (an id, a name, a test id, a
//     label), never on positions or on names that a build made.
//   - Nothing secret is automated: a form with a password or a card's number is
//     left to the user and only noted.
//   - Draft.Notes lists what could not be mapped, and each action is marked as
//     unreviewed.
//   - The same page gives the same text.
package draft

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Options configures a draft.
type Options struct {
	Site string    // the first part of every action's name, such as teahouse
	Now  time.Time // for the map's provenance
}

// Draft is a first map, ready to be edited.
type Draft struct {
	Text     []byte              // indented JSON
	URL      string              // the page it was written from
	Actions  []string            // names, in the order of the map
	Notes    []string            // what was left out, and why
	Findings []actionmap.Finding // of the strict rules; none as a rule
}

// author is the author in the provenance of drafts.
const author = "actions-host new"

// unreviewed is the remark on each action.
const unreviewed = "Written by a program from what the page shows. Read it, try it, correct it, then put your name into reviewed_by."

var siteName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]*(\.[a-zA-Z][a-zA-Z0-9_-]*)*$`)

// Write reads the page and writes its first map. The error is invalid_input for
// a site that cannot begin a name, or that of reading the page.
func Write(ctx context.Context, read pagemodel.Read, opts Options) (Draft, error) {
	if !siteName.MatchString(opts.Site) {
		return Draft{}, fault.New(fault.InvalidInput, "%q cannot begin the names of actions", opts.Site).
			WithNextStep("Begin with a letter; then letters, digits, _ and -, in parts joined by dots: teahouse or docs.editor.")
	}
	p, err := readPage(ctx, read)
	if err != nil {
		return Draft{}, err
	}
	w := &writer{site: opts.Site, page: p, names: map[string]bool{}}
	w.orientation()
	if err := w.controls(ctx, read); err != nil {
		return Draft{}, err
	}
	if err := w.addPageTools(ctx, read); err != nil {
		return Draft{}, err
	}
	return w.finish(opts.Now)
}

// writer collects the map.
type writer struct {
	site    string
	page    *page
	tools   []tool
	targets []named // of the actions, for the state and the check
	notes   []string
	names   map[string]bool
	// requires names the page's own tools that actions are written around.
	requires []string
}

// named is a locator with a name.
type named struct {
	Name   string `json:"name,omitempty"`
	Target target `json:"target"`
}

func (w *writer) note(text string) { w.notes = append(w.notes, text) }

// add appends an action.
func (w *writer) add(t tool) {
	w.names[t.Name] = true
	t.Provenance = toolProvenance{CreatedBy: author, Note: unreviewed}
	w.tools = append(w.tools, t)
}

// freeName joins the parts to an action's name, and reports whether it is unused.
func (w *writer) freeName(words ...string) (string, bool) {
	name := strings.Join(append([]string{w.site}, words...), ".")
	return name, !w.names[name]
}

// finish writes the text and checks it by the strict rules.
func (w *writer) finish(now time.Time) (Draft, error) {
	m := document{
		Protocol: actionmap.Protocol, Version: 1,
		Surface: about{Origin: w.page.origin, Name: w.page.Title, ObservedURL: w.page.url},
		Prompt: prompt{
			Title:        w.page.Title,
			Instructions: "This map was written by a program and reviewed by nobody. Call " + w.site + ".summary first; read the page after each action.",
		},
		Requires: requires{dictionary{Required: w.primitives()}, w.requires},
		Tools:    w.tools, Projections: []projection{w.projection()}, Notes: w.notes,
		Provenance: provenance{CreatedBy: author, CreatedAt: now.UTC().Format(time.RFC3339), Source: w.page.url},
	}
	if len(w.targets) > 0 {
		m.States = []state{{Name: "page_ready", Description: "The page shows what the actions of this map need.", Diagnostics: w.targets}}
		m.Checks = []check{{
			ID: "targets_exist", Description: "What the actions of this map work on is on the page.", Severity: pagemodel.Major,
			Assertions: []inState{{"page_ready"}}, OnFail: onFail{StoreEvidence: []string{"url", "title"}},
		}}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // selectors are for reading
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(m); err != nil {
		return Draft{}, fault.Wrap(err, fault.InternalError, "the map cannot be written: %v", err)
	}
	d := Draft{Text: text.Bytes(), URL: w.page.url, Notes: w.notes, Findings: actionmap.Validate(text.Bytes(), primitive.Load())}
	for _, t := range w.tools {
		d.Actions = append(d.Actions, t.Name)
	}
	return d, nil
}

// primitives returns the primitives of the workflows.
func (w *writer) primitives() []string {
	names := []string{}
	for _, t := range w.tools {
		if t.Workflow == nil {
			continue
		}
		for _, s := range t.Workflow.Steps {
			names = append(names, s.Primitive)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
