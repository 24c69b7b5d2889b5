package browser

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// verify reads back what the input did. A page that left for another one has
// nothing to read: that it left is what the action did.
func (h *Handlers) verify(ctx context.Context, c primitive.Call, a acting, r ready) (map[string]any, error) {
	args, err := with(c.Arguments, map[string]any{"action": a.name, "locator": map[string]any{"ref": r.Ref}})
	if err != nil {
		return nil, err
	}
	raw, _, err := h.inDocument(ctx, c, r.document, "target.verify", args)
	if err != nil {
		if !left(err) {
			return nil, fault.From(err).WithDispatched(fault.WasDispatched)
		}
		return h.gone(c, a, r), nil
	}
	var answer struct {
		Lost   string         `json:"lost"`
		Result map[string]any `json:"result"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fault.Wrap(err, fault.InvalidResult, "the page code's answer is not what was expected: %v", err).WithDispatched(fault.WasDispatched)
	}
	if answer.Result == nil {
		return h.gone(c, a, r), nil
	}
	return answer.Result, nil
}

// left tells that the document which the target was in is not there any more.
func left(err error) bool {
	gone := []fault.Code{
		fault.RuntimeReplaced, fault.RuntimeNotFound, fault.RuntimeNotReady, fault.StaleRef, fault.StateMismatch,
		fault.FrameNotFound, fault.FrameCrossOrigin, fault.FrameOriginUndecided, fault.RestrictedPage, fault.OutcomeUnknown,
	}
	f := fault.From(err)
	return slices.Contains(gone, f.Code)
}

func (h *Handlers) gone(c primitive.Call, a acting, r ready) map[string]any {
	result := map[string]any{"label": r.Label, "tag_name": r.TagName, "verified": nil, "navigated": true}
	if a.done != "" {
		result[a.done] = true
	}
	if a.name == "fill" {
		result["sensitive"] = r.Sensitive
	}
	if tab, ok := h.Tabs.Get(c.TabID); ok && tab.URL != c.URL {
		result["page_url_changed"] = map[string]string{"previous": c.URL, "current": tab.URL}
	}
	return result
}

// untouched tells of a field that real input did not reach at all.
func untouched(err error) bool {
	f := fault.From(err)
	return f != nil && f.Code == fault.ValueNotApplied && f.Evidence["untouched"] == true
}
