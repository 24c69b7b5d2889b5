package surface

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/shorten"
)

// maxLooks is how many calls one look may make.
const maxLooks = 200

// batchFrom is how many selectors make it worth to ask for all at once first.
const batchFrom = 3

// look is one look at the page. What was asked once is not asked again, so its
// answers belong together. It is not safe for concurrent use.
type look struct {
	read   Read
	left   int
	seen   map[string]sight // by locator, as JSON
	counts map[string]int   // how many elements a selector matches, where that is known
	info   *pageInfo
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

// sight is what one locator found.
type sight struct {
	count    int
	rendered bool
	text     string
}

type pageInfo struct {
	URL   string `json:"url"`
	Title string `json:"title"`
}

func newLook(read Read) *look {
	return &look{read: read, left: maxLooks, seen: map[string]sight{}, counts: map[string]int{}}
}

// call runs one primitive; its error keeps its code.
func (l *look) call(ctx context.Context, primitive string, args, into any) error {
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	if l.left == 0 {
		return fault.New(fault.PayloadTooLarge, "the map asks for more than %d things of the page at once", maxLooks).
			WithNextStep("Declare fewer states, contexts and checks.")
	}
	l.left--
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

// prefetch learns with one call how much each of the targets' selectors matches.
// It only saves calls, so its failure is no failure: each selector is then
// asked for by itself, and an invalid one is told where it matters.
func (l *look) prefetch(ctx context.Context, targets []Target) {
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
		for _, w := range t.ways() {
			// Of 100 selectors, the most that a call takes, or of those in a
			// frame nothing is known then.
			if w.Selector == "" || known[w.Selector] || len(w.Frame) > 0 || len(extract) == 100 {
				continue
			}
			known[w.Selector] = true
			extract = append(extract, extractor{ID: strconv.Itoa(len(selectors)), Selector: w.Selector})
			selectors = append(selectors, w.Selector)
		}
	}
	if len(selectors) < batchFrom {
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
		if count, told := out.Diagnostics.Counts[strconv.Itoa(i)]; told {
			l.counts[selector] = count
		}
	}
}

// target looks for a target, one way after the other. A way that finds
// something hidden is remembered while others may find something shown.
func (l *look) target(ctx context.Context, t Target) (Evidence, error) {
	var best Evidence
	var by way
	for _, w := range t.ways() {
		s, err := l.find(ctx, w.locator)
		if err != nil {
			return Evidence{}, err
		}
		if s.count > 0 && (s.rendered || !best.Found) {
			best = Evidence{Found: true, Via: w.via, Count: s.count, Visible: s.rendered, Text: shorten.Characters(s.text, maxEvidenceText)}
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

// otherText reads what stands where another text was expected.
func (l *look) otherText(ctx context.Context, t Target, e *Evidence) error {
	for _, w := range t.ways() {
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
			e.OtherText = shorten.Characters(s.text, maxEvidenceText)
			return nil
		}
	}
	return nil
}

// find asks for one locator. Strict where it is not known how much matches,
// because the fault of several matches tells it: one call answers all. Where it
// is known, a question that must fail would only look like a failure in the log.
func (l *look) find(ctx context.Context, loc locator) (sight, error) {
	count, known := l.counts[loc.Selector]
	known = known && loc.XPath == "" && len(loc.Frame) == 0
	if known && count == 0 {
		return sight{}, nil
	}
	several := known && count > 1 && loc.Role == "" && loc.Name == "" && !loc.filters()
	loc.Strict = !several
	id, err := json.Marshal(loc)
	if err != nil {
		return sight{}, fault.Wrap(err, fault.InvalidMap, "a target cannot be written as a locator: %v", err)
	}
	if s, ok := l.seen[string(id)]; ok {
		return s, nil
	}
	s, err := l.ask(ctx, loc)
	if err == nil {
		if several && s.count > 0 {
			s.count = count
		}
		l.seen[string(id)] = s
	}
	return s, err
}

// page gives the page's address and title, asked once.
func (l *look) page(ctx context.Context) (pageInfo, error) {
	if l.info == nil {
		var info pageInfo
		if err := l.call(ctx, "page.info", map[string]any{}, &info); err != nil {
			return pageInfo{}, err
		}
		l.info = &info
	}
	return *l.info, nil
}
