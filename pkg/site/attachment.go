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

// installPrimitive installs attachments next to elements of a tab's document.
const installPrimitive = "attachment.install"

// Limits of the primitive.
const (
	maxAttachments = 50
	maxInstances   = 10
	maxSelectors   = 20
)

// attachment is an attachment as the primitive takes it.
type attachment struct {
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
	// URLMatches is matched here and never in the page, where an expression that takes
	// forever would block the page.
	URLMatches string `json:"url_matches,omitempty"`
}

// appliesTo reports whether the attachment is for the address.
func (a attachment) appliesTo(url string) bool {
	if a.URLMatches == "" {
		return true
	}
	pattern, err := regexp.Compile(a.URLMatches) // in time linear to the address
	return err == nil && pattern.MatchString(url)
}

// installedAt is where an attachment is installed.
type installedAt struct {
	ID         string `json:"id"`
	Placement  string `json:"placement"`
	TargetText string `json:"target_text"`
}

// Attach makes sure that the attachments of the maps and the tab's registered
// launchers are in the tab's document. A document that has them is not asked again;
// one that never had any is not asked at all.
func (s *Site) Attach(ctx context.Context, tabID int, runtimeID, url string) error {
	_, err := s.attach(ctx, tabID, runtimeID, url, false)
	return err
}

// attach is [Site.Attach] that also returns, with always, the launchers that are in
// the document, by id; with always the document is asked in any case.
func (s *Site) attach(ctx context.Context, tabID int, runtimeID, url string, always bool) (map[string]installedAt, error) {
	if s.CallAsHost == nil {
		return nil, nil
	}
	list, err := s.attachable(ctx, tabID, url)
	if err != nil {
		return nil, err
	}
	args, err := primitive.Output(map[string]any{"attachments": list})
	if err != nil {
		return nil, err
	}
	of := s.signals.tab(tabID)
	of.mu.Lock()
	defer of.mu.Unlock()
	same := runtimeID != "" && of.attachedRuntime == runtimeID
	// Another address of the same document may have no attachments: the old ones
	// must be removed.
	if !always && (len(list) == 0 && !same || same && of.attachments == string(args)) {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, observeTimeout)
	defer cancel()
	raw, err := s.CallAsHost(ctx, tabID, installPrimitive, json.RawMessage(args))
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

// AttachHandler runs attachment.install. Only the host installs attachments that act
// when the user clicks them, for a map or a registered launcher: the click does what
// those declare, whatever the button's label is.
func AttachHandler(page primitive.Handler) primitive.Handler {
	return func(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
		if c.Session.SessionID() == dispatch.OwnSession {
			return page(ctx, c)
		}
		args, err := primitive.Arguments[struct {
			Attachments []attachment `json:"attachments"`
		}](c)
		if err != nil {
			return nil, err
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
func (s *Site) attachable(ctx context.Context, tabID int, url string) ([]attachment, error) {
	list := []attachment{}
	if s.Launchers != nil {
		registrations, err := s.Launchers.of(tabID)
		if err != nil {
			return nil, err
		}
		for _, r := range registrations {
			for _, one := range r.Launchers {
				if one.appliesTo(url) {
					one.URLMatches = ""
					list = append(list, one)
				}
			}
		}
	}
	for _, entry := range s.Store.View(ctx, url).Maps {
		for _, a := range s.compiled.get(entry).model.Attachments {
			var selectors []string
			if a.Target.Selector != "" {
				selectors = append(selectors, a.Target.Selector)
			}
			selectors = append(selectors, a.Target.FallbackSelectors...)
			if len(selectors) == 0 || len(list) == maxAttachments {
				continue
			}
			one := attachment{
				ID: a.ID, Kind: a.Kind, Label: cmp.Or(a.Affordance.Label, a.ID), Title: a.Affordance.Title,
				MaxInstances: min(a.Affordance.MaxInstances, maxInstances), Selectors: selectors[:min(len(selectors), maxSelectors)],
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
