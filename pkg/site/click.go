package site

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Clicked does what a launcher in the tab's page declares: it shows the report
// of a registered one, or what a map's attachment opens. The id comes from the
// extension, what is opened from the registration or the map, nothing from the
// page. Run runs an action of the page's maps.
func (s *Site) Clicked(ctx context.Context, tabID int, id, url string, run func(action string, args json.RawMessage) error) error {
	r, found, err := s.Launchers.opens(tabID, id)
	if err != nil {
		return err
	}
	if found {
		return s.show(ctx, tabID, r)
	}
	site := s.Store.Match(url)
	for _, entry := range site.Maps {
		for _, a := range s.compiled.get(entry).surface.Attachments {
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
	args, err := marshal(content)
	if err != nil {
		return err
	}
	_, err = s.Watch(ctx, tabID, renderPrimitive, args)
	return err
}
