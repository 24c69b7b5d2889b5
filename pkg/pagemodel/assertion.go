package pagemodel

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/origin"
)

// assertion is one thing that can be true of the page: a diagnostic of a state
// or an assertion of a check. All that it declares must hold.
type assertion struct {
	name        string
	target      *Target
	state       string
	visible     *bool
	enabled     *bool
	atLeast     *int // matches
	atMost      *int
	urlContains []string // one of them
	urlMatches  []string // one of these patterns
}

// Result is the result of an assertion.
type Result struct {
	Name     string    `json:"name,omitempty"`
	OK       Verdict   `json:"ok"`
	Expected string    `json:"expected,omitempty"`
	Evidence *Evidence `json:"evidence,omitempty"`
	URL      string    `json:"url,omitempty"`    // where the address is what fails
	Reason   string    `json:"reason,omitempty"` // why it failed or is unknown
}

// readAssertion reads an object; prose becomes an empty assertion, which is unknown.
func readAssertion(p jsonnode.Node) assertion {
	o := p.Object()
	a := assertion{
		name: firstNonEmpty(o.Get("name").Text(), o.Get("id").Text(), p.Text()), state: o.Get("state").Text(),
		visible: o.Get("visible").Boolean(), enabled: o.Get("enabled").Boolean(),
		urlContains: o.Get("url_contains").Texts(), urlMatches: append(o.Get("url_matches").Texts(), o.Get("url").Texts()...),
	}
	a.atLeast, a.atMost = readCount(o.Get("count"))
	if t, ok := readTarget(o.Get("target")); ok {
		a.target = &t
	} else if selector := o.Get("selector"); selector.Text() != "" {
		a.target = &Target{Selector: selector.Text()} // written beside the others
	}
	if a.target == nil {
		return a
	}
	if contains := o.Get("text_contains").Text(); contains != "" && a.target.TextContains == "" {
		a.target.TextContains = contains
	}
	a.target.Text = firstNonEmpty(a.target.Text, o.Get("text").Text())
	a.target.TextEquals = firstNonEmpty(a.target.TextEquals, o.Get("text_equals").Text())
	a.state = firstNonEmpty(a.state, a.target.State)
	if a.visible == nil {
		a.visible = a.target.Visible
	}
	if a.enabled == nil {
		a.enabled = a.target.Enabled
	}
	a.target.Enabled = a.enabled // so that the reader asks for it
	return a
}

// readCount reads a number, or {min, max}.
func readCount(p jsonnode.Node) (atLeast, atMost *int) {
	if n := p.Integer(); n != nil {
		return n, n
	}
	return p.Get("min").Integer(), p.Get("max").Integer()
}

// evaluate decides the assertion. states are the page's present ones.
func (l *pageReader) evaluate(ctx context.Context, a assertion, url string, states []StateResult) Result {
	r := Result{Name: a.name, Expected: a.expected()}
	var verdicts []Verdict
	add := func(v Verdict, reason string) {
		verdicts = append(verdicts, v)
		if v != Holds && r.Reason == "" {
			r.Reason = reason
		}
	}
	if a.state != "" {
		add(stateVerdict(states, a.state), "the state "+a.state+" does not hold or is unknown")
	}
	if !a.onPage(url) {
		r.URL = url
		add(Fails, "the tab is at another address")
	} else if len(a.urlContains)+len(a.urlMatches) > 0 {
		add(Holds, "")
	}
	if a.target != nil {
		seen, err := l.target(ctx, *a.target)
		if err != nil {
			add(Unknown, fault.From(err).Message)
		} else {
			r.Evidence = &seen
			add(a.compare(seen))
		}
	}
	if len(verdicts) == 0 {
		r.Reason = "the map gives it in words only"
	}
	r.OK = combine(verdicts)
	return r
}

// compare decides by the evidence.
func (a assertion) compare(seen Evidence) (Verdict, string) {
	counts := a.atLeast != nil || a.atMost != nil
	switch {
	case a.atLeast != nil && seen.Count < *a.atLeast, a.atMost != nil && seen.Count > *a.atMost:
		return Fails, fmt.Sprintf("there are %d of it", seen.Count)
	case counts && seen.Count == 0:
		return Holds, "" // none were wanted
	case a.visible != nil && !*a.visible:
		return verdict(!seen.Visible), "it is shown"
	case !seen.Found && seen.OtherText != "":
		return Fails, "it has another text"
	case !seen.Found:
		return Fails, "it is not on the page"
	case a.visible != nil && !seen.Visible:
		return Fails, "it is hidden"
	case a.enabled != nil && seen.Enabled == nil:
		return Unknown, "it could not be told whether it is enabled"
	case a.enabled != nil && *seen.Enabled != *a.enabled:
		return Fails, "it is enabled or disabled against the expectation"
	}
	return Holds, ""
}

// onPage reports whether the address fits what is declared of it.
func (a assertion) onPage(url string) bool { return matchesURL(a.urlContains, a.urlMatches, url) }

// matchesURL reports whether the URL contains one of the texts and matches one of
// the patterns; an empty list matches all.
func matchesURL(contains, patterns []string, url string) bool {
	return (len(contains) == 0 || slices.ContainsFunc(contains, func(s string) bool { return strings.Contains(url, s) })) &&
		(len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool { return origin.MatchURL(p, url) }))
}

// expected describes the assertion.
func (a assertion) expected() string {
	var phrases []string
	if a.state != "" {
		phrases = append(phrases, "the state "+a.state)
	}
	if len(a.urlContains) > 0 {
		phrases = append(phrases, "an address with "+strings.Join(a.urlContains, " or "))
	}
	if len(a.urlMatches) > 0 {
		phrases = append(phrases, "the address "+strings.Join(a.urlMatches, " or "))
	}
	if a.target != nil {
		phrases = append(phrases, a.target.String()+a.qualities())
	}
	return strings.Join(phrases, "; ")
}

func (a assertion) qualities() string {
	var words strings.Builder
	for _, q := range []struct {
		is      *bool
		yes, no string
	}{{a.visible, "shown", "not shown"}, {a.enabled, "enabled", "disabled"}} {
		if q.is != nil && *q.is {
			words.WriteString(", " + q.yes)
		} else if q.is != nil {
			words.WriteString(", " + q.no)
		}
	}
	if a.atLeast != nil {
		fmt.Fprintf(&words, ", at least %d", *a.atLeast)
	}
	if a.atMost != nil {
		fmt.Fprintf(&words, ", at most %d", *a.atMost)
	}
	return words.String()
}
