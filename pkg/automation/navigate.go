package automation

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/automation/skill"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// tabRow is what is needed of a tab in an output.
type tabRow struct {
	TabID int    `json:"tab_id"`
	URL   string `json:"url"`
	Title string `json:"title"`
}

// navigated is the output of automation.navigate.
type navigated struct {
	FinalURL string        `json:"finalUrl"`
	Title    string        `json:"title"`
	TabID    int           `json:"tabId"`
	Claimed  *bool         `json:"claimed,omitempty"` // of a new tab
	Skills   []skill.Brief `json:"skills"`
	NextStep string        `json:"next_step,omitzero"`
}

// navigate loads an address in the tab, or in a new one.
func (t *Tools) navigate(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		URL    string `json:"url"`
		NewTab bool   `json:"newTab"`
	}](c)
	if err != nil {
		return nil, err
	}
	if args.NewTab {
		return t.openTab(ctx, args.URL)
	}
	var done struct {
		Complete bool   `json:"complete"`
		Tab      tabRow `json:"tab"`
		NextStep string `json:"next_step"`
	}
	if err := t.delegate(ctx, "browser.navigate", map[string]any{"url": args.URL}, &done); err != nil {
		return nil, err
	}
	if !done.Complete {
		return nil, fault.New(fault.Timeout, "the page did not load in time").With("url", done.Tab.URL).WithDispatched(fault.WasDispatched).
			WithNextStep("It may still come: read the page, and navigate again only if it does not.")
	}
	return primitive.Output(navigated{done.Tab.URL, done.Tab.Title, done.Tab.TabID, nil, t.Skills.Briefs(done.Tab.URL), done.NextStep})
}

func (t *Tools) openTab(ctx context.Context, url string) (json.RawMessage, error) {
	var opened struct {
		Claimed  bool   `json:"claimed"`
		Tab      tabRow `json:"tab"`
		NextStep string `json:"next_step"`
	}
	if err := t.delegate(ctx, "browser.open_tab", map[string]any{"url": url}, &opened); err != nil {
		return nil, err
	}
	final := cmp.Or(opened.Tab.URL, url) // it has only begun to load
	return primitive.Output(navigated{final, opened.Tab.Title, opened.Tab.TabID, &opened.Claimed, t.Skills.Briefs(final), opened.NextStep})
}
