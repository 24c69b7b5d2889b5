package automation

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// describe returns what names the chosen element. The way into its frames is given only if
// it leads there.
func (p *picking) describe(ctx context.Context) (json.RawMessage, error) {
	var out map[string]json.RawMessage
	chosen := p.marked
	if _, err := p.run(ctx, chosen.documentID, "picker.describe", map[string]any{"token": chosen.Token}, &out); err != nil {
		return nil, pickerGone(err)
	}
	var frame []string
	if err := json.Unmarshal(out["frame"], &frame); err != nil {
		return nil, fault.Wrap(err, fault.InvalidResult, "the frames of the element cannot be read").WithDispatched(fault.WasDispatched)
	}
	delete(out, "frame")
	if chosen.documentID != "" {
		frame = append(p.outerFrame(ctx), frame...)
	}
	if len(frame) > 0 && p.finds(ctx, frame, out["selector"]) {
		out["frame"], _ = json.Marshal(frame) // texts
	}
	return primitive.Output(out)
}

// outerFrame returns the selectors that lead to the frame in the tab's own document in which
// the chosen element is; nil where none do.
func (p *picking) outerFrame(ctx context.Context) []string {
	var at pickedElement
	var holder struct {
		Selector string   `json:"selector"`
		Frame    []string `json:"frame"`
	}
	_, err := p.run(ctx, "", "picker.element", map[string]any{"x": p.marked.x, "y": p.marked.y, "level": 0, "outside": true}, &at)
	if err == nil && at.Frame {
		_, err = p.run(ctx, "", "picker.describe", map[string]any{"token": at.Token}, &holder)
	}
	if err != nil || holder.Selector == "" {
		return nil
	}
	return append(holder.Frame, holder.Selector)
}

func (p *picking) finds(ctx context.Context, frame []string, selector json.RawMessage) bool {
	var answer struct {
		Found bool `json:"found"`
	}
	args := map[string]any{"token": p.marked.Token, "locator": map[string]any{"selector": selector, "frame": frame}}
	_, err := p.run(ctx, "", "picker.finds", args, &answer)
	return err == nil && answer.Found
}
