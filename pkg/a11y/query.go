package a11y

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// maxCandidates is how many of several matches are named.
const maxCandidates = 10

type queryArguments struct {
	Role         string `json:"role"`
	Name         string `json:"name"`
	NameContains string `json:"name_contains"`
	Nth          int    `json:"nth"`
}

type candidate struct {
	Role string `json:"role"`
	Name string `json:"name"`
}

// query answers a11y.query.
func (h *Handlers) query(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[queryArguments](c)
	if err != nil {
		return nil, err
	}
	if args.Role == "" && args.Name == "" && args.NameContains == "" {
		return nil, fault.New(fault.InvalidInput, "a11y.query needs a role, a name or name_contains").WithDispatched(fault.NotDispatched)
	}
	f, leave, err := h.readForest(ctx, c)
	if err != nil {
		return nil, err
	}
	defer leave()
	var found []*node
	f.root.walk(func(n *node) bool {
		if args.matches(n) {
			found = append(found, n)
		}
		return true
	})
	if args.Nth >= len(found) {
		return primitive.Output(map[string]any{
			"found": false, "role": args.Role, "name": args.Name + args.NameContains, "match_count": len(found),
			"frames_not_included": append([]missingFrame{}, f.missing...),
		})
	}
	out, err := f.describe(ctx, found[args.Nth])
	if err != nil {
		return nil, err
	}
	out["match_count"], out["nth"], out["ambiguous"] = len(found), args.Nth, len(found) > 1
	if len(found) > 1 {
		var others []candidate
		for _, n := range found[:min(len(found), maxCandidates)] {
			others = append(others, candidate{n.role, truncate.Characters(collapseSpace(n.name), maxName)})
		}
		out["candidates"] = others
	}
	out["frames_not_included"] = append([]missingFrame{}, f.missing...)
	return primitive.Output(out)
}

// matches: a text inside a named element repeats its name, so texts count only
// where their role is asked for.
func (a queryArguments) matches(n *node) bool {
	if a.Role == "" && (n.role == "StaticText" || n.role == "InlineTextBox") {
		return false
	}
	name, role := collapseSpace(n.name), a.Role
	if strings.EqualFold(role, "image") {
		role = "img"
	}
	return (role == "" || strings.EqualFold(role, n.role)) && (a.Name == "" || name == collapseSpace(a.Name)) &&
		(a.NameContains == "" || strings.Contains(strings.ToLower(name), strings.ToLower(collapseSpace(a.NameContains))))
}

// describe describes one node: its box, and whether a click there hits it.
func (f *axTree) describe(ctx context.Context, n *node) (map[string]any, error) {
	value := any(nil)
	if n.value != "" {
		value = n.value
	}
	out := map[string]any{
		"found": true, "role": n.role, "name": collapseSpace(n.name), "value": value, "state": n.states,
		"backend_dom_node_id": n.backend, "visible_rect": nil, "visible_center": nil,
		"clickable": false, "receives_events": false, "actionability_attested": false, "occluded_by": nil,
	}
	m, err := f.measure(ctx, n)
	if err != nil || m == nil {
		return out, err
	}
	out["actionability_attested"], out["receives_events"], out["clickable"] = true, m.receives, m.clickable
	if m.box != nil {
		out["visible_rect"], out["visible_center"] = m.box.rect(), m.box.center()
	}
	if m.blocker != nil {
		out["occluded_by"] = m.blocker
	}
	if m.clickable {
		out["clickable_center"] = m.box.center()
	}
	return out, nil
}
