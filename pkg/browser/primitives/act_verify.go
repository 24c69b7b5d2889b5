package primitives

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// verify reads back the result of the input. If the page has navigated away, the navigation is
// the result.
func (h *Handlers) verify(ctx context.Context, c primitive.Call, a action, p performed) (map[string]any, error) {
	r, raw, err := p.target, p.verified, p.verifyErr
	if !p.begun {
		args, argsErr := withArguments(c.Arguments, map[string]any{"action": a.name, "locator": map[string]any{"ref": r.Ref}})
		if argsErr != nil {
			return nil, argsErr
		}
		raw, _, err = h.inDocument(ctx, c, r.documentID, verifyTargetPrimitive, args)
	}
	switch f := fault.From(err); {
	case err == nil:
	case f.Evidence["reason"] == "not_seen":
		return nil, f.WithDispatched(fault.DispatchedUnknown)
	case isDocumentGone(err):
		return h.navigatedResult(ctx, c, a, r)
	case f.Code == fault.DragFailed && r.toDocumentID != r.documentID:
		if result := h.dropResult(ctx, c, r); result != nil {
			return result, nil
		}
		return nil, f.WithDispatched(fault.WasDispatched)
	case f.Dispatched == fault.NotDispatched: // the question was not sent; the input was
		return nil, withDispatched(f, fault.WasDispatched)
	default:
		return nil, f.WithDispatched(fault.WasDispatched)
	}
	var answer struct {
		Lost   string         `json:"lost"`
		Result map[string]any `json:"result"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fault.Wrap(err, fault.InvalidResult, "the page code's answer is not what was expected: %v", err).WithDispatched(fault.WasDispatched)
	}
	if answer.Result == nil {
		return h.navigatedResult(ctx, c, a, r)
	}
	if a.name == dragAction.name && r.toDocumentID != r.documentID && answer.Result["verified"] == nil {
		if result := h.dropResult(ctx, c, r); result != nil {
			return result, nil
		}
	}
	return answer.Result, nil
}

// isDocumentGone reports whether the error means that the target's document is gone.
func isDocumentGone(err error) bool {
	codes := []fault.Code{
		fault.RuntimeReplaced, fault.RuntimeNotFound, fault.RuntimeNotReady, fault.StaleRef, fault.StateMismatch,
		fault.FrameNotFound, fault.FrameCrossOrigin, fault.FrameOriginUndecided, fault.RestrictedPage, fault.OutcomeUnknown,
	}
	f := fault.From(err)
	return slices.Contains(codes, f.Code)
}

// navigatedResult returns the result of an action whose document was replaced after it had
// received the input.
func (h *Handlers) navigatedResult(ctx context.Context, c primitive.Call, a action, r preparedTarget) (map[string]any, error) {
	if len(a.requiredEvents) > 0 {
		if err := h.requireSeen(ctx, c, r.hold, 0, a.requiredEvents...); err != nil {
			return nil, err
		}
	}
	result := map[string]any{"label": r.Label, "tag_name": r.TagName, "verified": nil, "navigated": true}
	if a.resultField != "" {
		result[a.resultField] = true
	}
	if a.name == "fill" || a.name == selectNativeAction.name || a.name == selectOptionAction.name {
		result["sensitive"] = r.Sensitive
	}
	if tab, ok := h.Tabs.Get(c.TabID); ok && tab.URL != c.URL {
		result["page_url_changed"] = map[string]string{"previous": c.URL, "current": c.VisibleURL(tab.URL)}
	}
	return result, nil
}

// isFieldUntouched reports whether the real input did not reach the field at all.
func isFieldUntouched(err error) bool {
	f := fault.From(err)
	return f != nil && f.Code == fault.ValueNotApplied && f.Evidence["untouched"] == true
}
