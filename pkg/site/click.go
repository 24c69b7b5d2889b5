package site

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// HandleClick opens what a launcher in the tab's page declares: the report of a
// registered one, or the target of a map's attachment. The id comes from the extension
// and the target from the registration or the map, nothing from the page. run runs an
// action of the page's maps.
func (s *Site) HandleClick(ctx context.Context, tabID int, id, url string, run func(action string, args json.RawMessage) error) error {
	r, found, err := s.Launchers.reportOf(tabID, id)
	if err != nil {
		return err
	}
	if found {
		return s.show(ctx, tabID, r)
	}
	site := s.Store.Match(url)
	for _, entry := range site.Maps {
		for _, a := range s.compiled.get(entry).model.Attachments {
			if a.ID != id || a.Affordance.OpensTool == "" {
				continue
			}
			args := a.Affordance.OpensArgs
			if len(args) == 0 {
				args = json.RawMessage(`{}`)
			}
			if _, _, ok := site.Tool(a.Affordance.OpensTool); ok {
				return run(a.Affordance.OpensTool, args)
			}
			if a.Affordance.OpensTool != "overlay.open" {
				return fault.New(fault.UnknownAction, "the attachment %q opens %q, which no map of the page has", id, a.Affordance.OpensTool)
			}
			var r report
			if err := json.Unmarshal(args, &r); err != nil {
				return fault.Wrap(err, fault.InvalidMap, "what the attachment %q opens is no report: %v", id, err).With("map", entry.Path)
			}
			return s.show(ctx, tabID, r)
		}
	}
	return nil // an attachment that opens nothing
}

// show shows a report that the user asked for.
func (s *Site) show(ctx context.Context, tabID int, r report) error {
	content, _, err := r.render(s.Store)
	if err != nil {
		return err
	}
	content.Focus = true
	args, err := primitive.Output(content)
	if err != nil {
		return err
	}
	_, err = s.CallAsHost(ctx, tabID, renderPrimitive, args)
	return err
}
