package tabs

import (
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Target is how a call names its tab; the zero value names none. All fields that are
// set must match.
type Target struct {
	TabID       int    // 0: none
	RuntimeID   string // of one document
	URLContains string // part of the tab's URL, letter by letter
}

// Candidate is one of several tabs that a call may have meant.
type Candidate struct {
	TabID     int    `json:"tab_id"`
	URL       string `json:"url"`
	Title     string `json:"title"`
	RuntimeID string `json:"runtime_id"`
}

// Resolve returns the claimed tab that a call means. current is the session's
// current tab, 0 for none, which means the default. With single the session may take
// the default also where its current tab is no longer claimed. The faults:
//   - tab_not_claimed: the named tab is not claimed, or none is
//   - runtime_not_found: no claimed tab has the document or the URL
//   - ambiguous_runtime: several do; evidence.candidates lists them
//   - no_current_tab: nothing was named and the session has no current tab
func (r *Registry) Resolve(current int, target Target, single bool) (Tab, error) {
	return r.ResolveSeen(func(string) bool { return true }, current, target, single)
}

// ResolveSeen is [Registry.Resolve] for a session that may not know the addresses of
// all pages: a tab that it does not see is not found by part of its URL, which would
// let the URL be guessed, and is not a candidate.
func (r *Registry) ResolveSeen(sees func(url string) bool, current int, target Target, single bool) (Tab, error) {
	claimed := r.List()
	seen := func(t Tab) bool { return sees(t.URL) }
	var tab Tab
	var err *fault.Error
	if target == (Target{}) {
		tab, err = r.resolveCurrent(claimed, seen, current, single)
	} else {
		tab, err = resolveTarget(claimed, seen, target)
	}
	if err != nil {
		return Tab{}, err.WithDispatched(fault.NotDispatched)
	}
	return tab, nil
}

func resolveTarget(claimed []Tab, seen func(Tab) bool, target Target) (Tab, *fault.Error) {
	matches := claimed
	if target.TabID != 0 {
		matches = filter(matches, func(t Tab) bool { return t.TabID == target.TabID })
		if len(matches) == 0 {
			return Tab{}, notClaimed(claimed, target.TabID)
		}
	}
	if target.RuntimeID != "" {
		matches = filter(matches, func(t Tab) bool { return t.RuntimeID == target.RuntimeID })
		if len(matches) == 0 {
			return Tab{}, fault.New(fault.RuntimeNotFound, "no claimed tab shows the document %q", target.RuntimeID).
				With("runtime_id", target.RuntimeID)
		}
	}
	if target.URLContains != "" {
		matches = filter(matches, func(t Tab) bool { return seen(t) && strings.Contains(t.URL, target.URLContains) })
		if len(matches) == 0 {
			return Tab{}, fault.New(fault.RuntimeNotFound, "no claimed tab's URL contains %q", target.URLContains).
				With("url_contains", target.URLContains)
		}
	}
	if len(matches) > 1 {
		return Tab{}, ambiguous(matches, "%d claimed tabs match the target", len(matches))
	}
	return matches[0], nil
}

// notClaimed returns the fault for a tab that is not claimed: it was closed or
// released, or never handed over. With others claimed, one of them may do.
func notClaimed(claimed []Tab, id int) *fault.Error {
	err := fault.New(fault.TabNotClaimed, "the tab %d is not claimed: it was closed, released or never handed over", id).With("tab_id", id)
	if len(claimed) == 0 {
		return err
	}
	return err.WithNextStep("Choose one of the tabs that browser.claimed_tabs.list shows with browser.claimed_tabs.activate. If it must be this one and it is open, ask the user to choose Take control of this tab in the extension's popup.")
}

func (r *Registry) resolveCurrent(claimed []Tab, seen func(Tab) bool, current int, single bool) (Tab, *fault.Error) {
	at := slices.IndexFunc(claimed, func(t Tab) bool { return t.TabID == current })
	only, clear := r.byDefault(claimed)
	switch {
	case at >= 0:
		return claimed[at], nil
	case len(claimed) == 0:
		return Tab{}, fault.New(fault.TabNotClaimed, "no tab is claimed")
	case clear && (single || current == 0):
		return only, nil
	case single:
		return Tab{}, ambiguous(filter(claimed, seen), "%d tabs are claimed and the call names none of them", len(claimed))
	case current != 0:
		return Tab{}, fault.New(fault.NoCurrentTab, "the session's current tab %d is no longer claimed", current)
	default:
		return Tab{}, fault.New(fault.NoCurrentTab, "the session has no current tab and the call names none")
	}
}

// byDefault returns the tab of a session that has chosen none; false where that is
// not clear.
func (r *Registry) byDefault(claimed []Tab) (Tab, bool) {
	if len(claimed) > 1 {
		r.mu.Lock()
		claimed = filter(claimed, func(t Tab) bool { return !r.opened[t.TabID] })
		r.mu.Unlock()
	}
	if len(claimed) != 1 {
		return Tab{}, false
	}
	return claimed[0], true
}

func ambiguous(matches []Tab, format string, args ...any) *fault.Error {
	candidates := make([]Candidate, len(matches))
	for i, tab := range matches {
		candidates[i] = Candidate{TabID: tab.TabID, URL: tab.URL, Title: tab.Title, RuntimeID: tab.RuntimeID}
	}
	return fault.New(fault.AmbiguousRuntime, format, args...).With("candidates", candidates)
}

func filter(tabs []Tab, match func(Tab) bool) []Tab {
	var matches []Tab
	for _, tab := range tabs {
		if match(tab) {
			matches = append(matches, tab)
		}
	}
	return matches
}
