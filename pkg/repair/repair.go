// Package repair finds the element that takes the place of one which a map no longer finds, and
// writes it into the map.
//
// Rules of this package:
//   - It is pure: what the log knows of the old element and what the page has now come as
//     descriptions.
//   - An element is proposed only where enough of the old one's attributes agree, where it has
//     the same role, where its name does not mean another thing, and where no other element comes
//     near. What is refused is an error that names both.
//   - A patch changes the values that it names, and no other byte of the map.
package repair

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// Target describes an element as the log keeps it.
type Target = protocol.MetTarget

const (
	// enough is the least score of what is proposed: an exact name alone has it, a similar
	// name only with an id or test id that stayed.
	enough = 0.7
	// margin is how far the next one has to be behind. A test id that stayed tells two elements of
	// one name apart, an id alone does not: frameworks give the same ones out again.
	margin = 0.12
	// namedAtLeast is the least score of a rival that is worth to be named.
	namedAtLeast = 0.3
)

// Agreement is one attribute of the old element, held against a candidate.
type Agreement struct {
	Attribute string  `json:"attribute"`
	Was       string  `json:"was"`
	Now       string  `json:"now,omitzero"`
	Agrees    float64 `json:"agrees"` // 1: the same, 0: not at all
}

// Candidate is an element that could take the place of another.
type Candidate struct {
	Target     Target      `json:"target"`
	Score      float64     `json:"score"` // from 0 to 1
	Agreements []Agreement `json:"agreements"`
	Another    string      `json:"another,omitzero"` // why it is another thing
}

// Title names an element for a person, with the item of a list that it belongs to.
func Title(t Target) string {
	title := titleAlone(t)
	if t.Row.Text != "" && t.Row.Text != t.Name {
		title += " in " + strconv.Quote(t.Row.Text)
	}
	return title
}

func titleAlone(t Target) string {
	kind := t.Role
	if kind == "" {
		kind = t.Tag
	}
	for _, name := range []string{t.Name, t.Label, t.Text, t.TestID} {
		if name != "" {
			return kind + " " + strconv.Quote(name)
		}
	}
	if t.Selector != "" {
		return kind + " " + t.Selector
	}
	return kind
}

// rank returns the elements as candidates, the best first.
func rank(old Target, now []Target) []Candidate {
	var all []Candidate
	for _, t := range now {
		all = append(all, compare(old, t))
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(b.Score, a.Score) })
	return all
}

// Choose returns the element that takes the place of the old one. The errors are
// target_not_found where none is like it, drift_detected where the one that is means another
// thing, and multiple_targets where two are.
func Choose(old Target, now []Target) (Candidate, error) {
	ranked := rank(old, now)
	if len(ranked) == 0 || ranked[0].Score < namedAtLeast {
		// What shares a word is what a person would take for it: the refusal names it.
		for i, c := range ranked {
			if c.Another != "" && alike(old.Name, c.Target.Name) > 0 {
				return Candidate{}, anotherThing(old, ranked[i:i+1])
			}
		}
		return Candidate{}, fault.New(fault.TargetNotFound, "%s is gone, and nothing on the page is like it", Title(old)).WithNextStep(byHand)
	}
	best := ranked[0]
	switch {
	case best.Another != "":
		return Candidate{}, anotherThing(old, ranked[:1])
	case best.Score < enough:
		return Candidate{}, refused(fault.TargetNotFound, old, ranked[:1], "%s is gone; the nearest, %s, is not enough like it (%.2f of %.2f)", Title(old), Title(best.Target), best.Score, enough)
	case len(ranked) > 1 && best.Score-ranked[1].Score < margin:
		return Candidate{}, refused(fault.MultipleTargets, old, ranked[:2], "two elements could be %s: %s (%.2f) and %s (%.2f)",
			Title(old), Title(best.Target), best.Score, Title(ranked[1].Target), ranked[1].Score)
	}
	return best, nil
}

const byHand = "Look at the page, and write the locator by hand: pick the element in the popup, or read page.snapshot."

func anotherThing(old Target, found []Candidate) *fault.Error {
	return refused(fault.DriftDetected, old, found, "in place of %s there is %s, and that is another thing: %s", Title(old), Title(found[0].Target), found[0].Another)
}

func refused(code fault.Code, old Target, candidates []Candidate, format string, args ...any) *fault.Error {
	return fault.New(code, format, args...).With("was", old).With("candidates", candidates).WithNextStep(byHand)
}

// IsAnother returns why an element that a locator still finds is not the one it found before;
// empty where it may be.
func IsAnother(old, now Target) string { return compare(old, now).Another }

// compare holds an element against the old one. Each attribute that agrees leaves less room for
// doubt; a name that others had, too, leaves more.
func compare(old, now Target) Candidate {
	c := Candidate{Target: now, Agreements: []Agreement{}}
	doubt := 1.0
	hold := func(attribute, was, is string, agrees, weight float64) {
		if was == "" {
			return
		}
		c.Agreements = append(c.Agreements, Agreement{attribute, was, is, math.Round(agrees*100) / 100})
		doubt *= 1 - agrees*weight
	}
	shared := func(way string, weight float64) float64 {
		if slices.Contains(old.Several, way) {
			return weight / 2
		}
		return weight
	}
	c.Another = another(old, now)
	named := alike(old.Name, now.Name)
	if c.Another != "" && named < 1 {
		named = 0 // words that two names share say nothing where the names mean two things
	}
	hold("test_id", old.TestID, now.TestID, same(old.TestID, now.TestID), shared("test_id", 0.8))
	hold("name", old.Name, now.Name, named, shared("role", 0.8))
	if old.Label != old.Name {
		hold("label", old.Label, now.Label, alike(old.Label, now.Label), shared("label", 0.6))
	}
	hold("text", old.Text, now.Text, alike(old.Text, now.Text), shared("text", 0.6))
	hold("selector", old.Selector, now.Selector, same(old.Selector, now.Selector), weightOf(old.Selector))
	hold("item", old.Row.Text, now.Row.Text, same(old.Row.Text, now.Row.Text), 0.6)
	hold("kind", old.Kind, now.Kind, same(old.Kind, now.Kind), 0.15)
	hold("tag", old.Tag, now.Tag, same(old.Tag, now.Tag), 0.15)
	score := 1 - doubt
	if old.TestID != "" && now.TestID != "" && old.TestID != now.TestID {
		score *= 0.95
	}
	if roleOf(old) != roleOf(now) {
		score *= 0.7 // a link of the same name may well stand beside a button
	}
	c.Score = math.Round(score*100) / 100
	return c
}

// another returns why an element is no substitute, however much of it agrees.
func another(old, now Target) string {
	switch {
	case roleOf(old) != roleOf(now):
		return "its role is " + orNone(now.Role) + ", and was " + orNone(old.Role)
	case old.Secret != now.Secret:
		return "only one of them holds a secret"
	case old.Kind != now.Kind && (typed(old.Kind) || typed(now.Kind)):
		return "it takes " + orNone(now.Kind) + ", and took " + orNone(old.Kind)
	case old.Row.Text != "" && now.Row.Text != "" && !sameItem(old.Row.Text, now.Row.Text):
		return "it belongs to the item " + strconv.Quote(now.Row.Text) + ", and belonged to " + strconv.Quote(old.Row.Text)
	case old.Name == "" || old.Name == now.Name:
		return ""
	case now.Name == "":
		return "it has no name that could tell what it does"
	case otherMeaning(old.Name, now.Name):
		return strconv.Quote(now.Name) + " means another thing than " + strconv.Quote(old.Name)
	}
	return ""
}

// roleOf returns the role; none for what is text alone, whatever it is wrapped in.
func roleOf(t Target) string {
	if slices.Contains([]string{"paragraph", "generic", "strong", "emphasis", "text", "definition", "term"}, t.Role) {
		return ""
	}
	return t.Role
}

// typed reports whether a field of the kind takes something of its own form.
func typed(kind string) bool {
	return slices.Contains([]string{"checkbox", "radio", "file", "date", "number", "range", "password", "email", "tel", "color", "time", "select"}, kind)
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

func same(a, b string) float64 {
	if a != "" && a == b {
		return 1
	}
	return 0
}

// weightOf returns what a selector that stayed says: much where it rests on an id or another
// attribute, little where it rests on the place alone.
func weightOf(selector string) float64 {
	switch {
	case strings.Contains(selector, ":nth-"):
		return 0.15
	case strings.ContainsAny(selector, "#["):
		return 0.6
	}
	return 0.3
}
