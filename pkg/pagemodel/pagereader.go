package pagemodel

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// maxReads is how many calls one pageReader may make.
const maxReads = 200

// minPrefetch is from how many selectors on one call asks for all of them first.
const minPrefetch = 3

// pageReader reads the page at one moment. It caches what it
// has read, so its answers belong together. It is not safe for concurrent use.
type pageReader struct {
	read      Read
	remaining int
	seen      map[string]matchResult // by locator, as JSON
	counts    map[string]int         // how many elements a selector matches, where that is known
	info      *pageInfo
}

// locator is a locator of the dictionary.
type locator struct {
	Selector     string          `json:"selector,omitempty"`
	XPath        string          `json:"xpath,omitempty"`
	Role         string          `json:"role,omitempty"`
	Name         string          `json:"name,omitempty"`
	Text         string          `json:"text,omitempty"`
	TextContains string          `json:"text_contains,omitempty"`
	TextEquals   string          `json:"text_equals,omitempty"`
	Frame        json.RawMessage `json:"frame,omitempty"`
	Strict       bool            `json:"strict,omitempty"`
}

func (l locator) filters() bool { return l.Text != "" || l.TextContains != "" || l.TextEquals != "" }

// matchResult is the result of one locator.
type matchResult struct {
	count    int
	rendered bool
	text     string
}

type pageInfo struct {
	URL   string `json:"url"`
	Title string `json:"title"`
}

func newPageReader(read Read) *pageReader {
	return &pageReader{read: read, remaining: maxReads, seen: map[string]matchResult{}, counts: map[string]int{}}
}

// call runs one primitive; its error keeps its code.
func (l *pageReader) call(ctx context.Context, primitive string, args, into any) error {
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	if l.remaining == 0 {
		return fault.New(fault.PayloadTooLarge, "the map's checks need more than %d page reads", maxReads).
			WithNextStep("Declare fewer states, contexts and checks.")
	}
	l.remaining--
	raw, err := json.Marshal(args)
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "the arguments of %s cannot be written: %v", primitive, err)
	}
	output, err := l.read(ctx, primitive, raw)
	if err != nil {
		return fault.From(err)
	}
	if err := json.Unmarshal(output, into); err != nil {
		return fault.Wrap(err, fault.InvalidResult, "the output of %s is not readable: %v", primitive, err)
	}
	return nil
}

// prefetch reads with one call how many elements each of the targets' selectors
// matches. It only saves calls, so its failure is ignored: each selector is then read
// by itself, and an invalid one is reported where it is used.
func (l *pageReader) prefetch(ctx context.Context, targets []Target) {
	type extractor struct {
		ID       string   `json:"id"`
		Selector string   `json:"selector"`
		Many     bool     `json:"many"`
		Fields   struct{} `json:"fields"`
	}
	var selectors []string
	var extract []extractor
	known := map[string]bool{}
	for _, t := range targets {
		for _, w := range t.strategies() {
			// A call takes 100 selectors; the rest, and those in a frame, are not
			// prefetched.
			if w.Selector == "" || known[w.Selector] || len(w.Frame) > 0 || len(extract) == 100 {
				continue
			}
			known[w.Selector] = true
			extract = append(extract, extractor{ID: strconv.Itoa(len(selectors)), Selector: w.Selector})
			selectors = append(selectors, w.Selector)
		}
	}
	if len(selectors) < minPrefetch {
		return
	}
	var out struct {
		Diagnostics struct {
			Counts map[string]int `json:"selector_counts"`
		} `json:"diagnostics"`
	}
	if l.call(ctx, "state.extract", map[string]any{"extract": extract}, &out) != nil {
		return
	}
	for i, selector := range selectors {
		if count, ok := out.Diagnostics.Counts[strconv.Itoa(i)]; ok {
			l.counts[selector] = count
		}
	}
}

// target looks for a target with one strategy after the other. A hidden match is
// kept while a later strategy may find a visible one.
func (l *pageReader) target(ctx context.Context, t Target) (Evidence, error) {
	var best Evidence
	var by strategy
	for _, w := range t.strategies() {
		s, err := l.find(ctx, w.locator)
		if err != nil {
			return Evidence{}, err
		}
		if s.count > 0 && (s.rendered || !best.Found) {
			best = Evidence{Found: true, Via: w.via, Count: s.count, Visible: s.rendered, Text: truncate.Characters(s.text, maxEvidenceText)}
			by = w
		}
		if best.Visible {
			break
		}
	}
	switch {
	case !best.Found:
		return best, l.otherText(ctx, t, &best)
	case t.Enabled != nil:
		enabled, err := l.enabled(ctx, by.locator)
		best.Enabled = enabled
		return best, err
	}
	return best, nil
}

// otherText reads the text of the target where another one was expected.
func (l *pageReader) otherText(ctx context.Context, t Target, e *Evidence) error {
	for _, w := range t.strategies() {
		bare := w.locator
		bare.Text, bare.TextContains, bare.TextEquals = "", "", ""
		if !w.filters() || w.via == "text" {
			continue
		}
		s, err := l.find(ctx, bare)
		if err != nil {
			return err
		}
		if s.rendered {
			e.OtherText = truncate.Characters(s.text, maxEvidenceText)
			return nil
		}
	}
	return nil
}

// find reads one locator. It is strict where the number of matches is not known,
// because the fault of several matches has it: one call is enough. Where it is known,
// a call that must fail would only look like a failure in the log.
func (l *pageReader) find(ctx context.Context, loc locator) (matchResult, error) {
	count, known := l.counts[loc.Selector]
	known = known && loc.XPath == "" && len(loc.Frame) == 0
	if known && count == 0 {
		return matchResult{}, nil
	}
	several := known && count > 1 && loc.Role == "" && loc.Name == "" && !loc.filters()
	loc.Strict = !several
	id, err := json.Marshal(loc)
	if err != nil {
		return matchResult{}, fault.Wrap(err, fault.InvalidMap, "a target cannot be written as a locator: %v", err)
	}
	if s, ok := l.seen[string(id)]; ok {
		return s, nil
	}
	s, err := l.query(ctx, loc)
	if err == nil {
		if several && s.count > 0 {
			s.count = count
		}
		l.seen[string(id)] = s
	}
	return s, err
}

// page returns the page's address and title, read once.
func (l *pageReader) page(ctx context.Context) (pageInfo, error) {
	if l.info == nil {
		var info pageInfo
		if err := l.call(ctx, "page.info", map[string]any{}, &info); err != nil {
			return pageInfo{}, err
		}
		l.info = &info
	}
	return *l.info, nil
}
