package site

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// installPrimitive puts attachments beside elements of a tab's document.
const installPrimitive = "attachment.install"

// What the primitive takes.
const (
	attachedMost     = 50
	attachedEach     = 10
	attachedSelector = 20
)

// attached is an attachment as the primitive takes it.
type attached struct {
	ID           string   `json:"id"`
	Kind         string   `json:"kind"`
	Label        string   `json:"label"`
	Title        string   `json:"title,omitempty"`
	Placement    string   `json:"placement,omitempty"`
	MaxInstances int      `json:"max_instances"`
	Selectors    []string `json:"selectors,omitempty"`
	TextContains string   `json:"text_contains,omitempty"`
	TextEquals   string   `json:"text_equals,omitempty"`
	URLContains  string   `json:"url_contains,omitempty"`
	// URLMatches is held against the address here and never in the page, where an
	// expression that takes for ever would stop the page with it.
	URLMatches string `json:"url_matches,omitempty"`
}

// on tells whether the attachment is for the address.
func (a attached) on(url string) bool {
	if a.URLMatches == "" {
		return true
	}
	pattern, err := regexp.Compile(a.URLMatches) // in time linear to the address
	return err == nil && pattern.MatchString(url)
}

// installedAt tells where an attachment stands.
type installedAt struct {
	ID         string `json:"id"`
	Placement  string `json:"placement"`
	TargetText string `json:"target_text"`
}

// Attach makes sure that the attachments of the maps and the tab's registered
// launchers stand in the tab's document; a document that has them is not asked again. One that never had any
// is not asked at all.
func (s *Site) Attach(ctx context.Context, tabID int, runtimeID, url string) error {
	_, err := s.attach(ctx, tabID, runtimeID, url, false)
	return err
}

// attach is Attach, which gives what stands in the document by its id; with
// always it is asked in any case, and only then is that given.
func (s *Site) attach(ctx context.Context, tabID int, runtimeID, url string, always bool) (map[string]installedAt, error) {
	if s.Watch == nil {
		return nil, nil
	}
	list, err := s.attachable(tabID, url)
	if err != nil {
		return nil, err
	}
	args, err := marshal(map[string]any{"attachments": list})
	if err != nil {
		return nil, err
	}
	of := s.signals.tab(tabID)
	of.mu.Lock()
	defer of.mu.Unlock()
	same := runtimeID != "" && of.attachedRuntime == runtimeID
	// Another address of the same document may have no attachments: those that
	// stand there must go.
	if !always && (len(list) == 0 && !same || same && of.attachments == string(args)) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, observeTime)
	defer cancel()
	raw, err := s.Watch(ctx, tabID, installPrimitive, json.RawMessage(args))
	if err != nil {
		return nil, err
	}
	of.attachedRuntime, of.attachments = runtimeID, string(args)
	if !always {
		return nil, nil
	}
	var out struct {
		Installed []installedAt `json:"installed"`
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, fault.Wrap(err, fault.InvalidResult, "%s gave %v", installPrimitive, err)
	}
	installed := map[string]installedAt{}
	for _, at := range out.Installed {
		installed[at.ID] = at
	}
	return installed, nil
}

// AttachHandler runs attachment.install. What acts when the user clicks it is put
// up by the host alone, for a map or a registered launcher: the click does what
// those declare, whatever words stand on the button.
func AttachHandler(page primitive.Handler) primitive.Handler {
	return func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
		if c.Session.SessionID() == dispatch.OwnSession {
			return page(ctx, c)
		}
		var args struct {
			Attachments []attached `json:"attachments"`
		}
		if err := json.Unmarshal(c.Arguments, &args); err != nil {
			return nil, fault.Wrap(err, fault.InvalidInput, "the arguments are not valid: %v", err)
		}
		for _, a := range args.Attachments {
			if a.Kind != "annotation" && a.Kind != "status_badge" {
				return nil, fault.New(fault.PermissionDenied, "only the host puts up a %s, for a map or a registered launcher", a.Kind).
					WithNextStep("Use the kind annotation or status_badge, or overlay.register_launcher for a button that opens a report.").
					WithDispatched(fault.NotDispatched)
			}
		}
		return page(ctx, c)
	}
}

// attachable lists the registered launchers and the attachments that CSS finds,
// within the primitive's limits.
func (s *Site) attachable(tabID int, url string) ([]attached, error) {
	list := []attached{}
	if s.Launchers != nil {
		registrations, err := s.Launchers.of(tabID)
		if err != nil {
			return nil, err
		}
		for _, r := range registrations {
			for _, one := range r.Launchers {
				if one.on(url) {
					one.URLMatches = ""
					list = append(list, one)
				}
			}
		}
	}
	for _, entry := range s.Store.Match(url).Maps {
		for _, a := range s.compiled.get(entry).surface.Attachments {
			var selectors []string
			if a.Target.Selector != "" {
				selectors = append(selectors, a.Target.Selector)
			}
			selectors = append(selectors, a.Target.FallbackSelectors...)
			if len(selectors) == 0 || len(list) == attachedMost {
				continue
			}
			one := attached{
				ID: a.ID, Kind: a.Kind, Label: cmp.Or(a.Affordance.Label, a.ID), Title: a.Affordance.Title,
				MaxInstances: min(a.Affordance.MaxInstances, attachedEach), Selectors: selectors[:min(len(selectors), attachedSelector)],
			}
			switch a.Affordance.Placement {
			case "beforebegin", "afterbegin", "beforeend", "afterend":
				one.Placement = a.Affordance.Placement
			}
			list = append(list, one)
		}
	}
	return list, nil
}
