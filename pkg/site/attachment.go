package site

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/storage"
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
	Selectors    []string `json:"selectors"`
}

// Attach makes sure that the attachments of the maps stand in the tab's
// document; a document that has them is not asked again. One that never had any
// is not asked at all.
func (s *Site) Attach(ctx context.Context, tabID int, runtimeID, url string) error {
	if s.Watch == nil {
		return nil
	}
	list := s.attachable(s.Store.Match(url))
	args, err := marshal(map[string]any{"attachments": list})
	if err != nil {
		return err
	}
	of := s.signals.tab(tabID)
	of.mu.Lock()
	defer of.mu.Unlock()
	same := runtimeID != "" && of.attachedRuntime == runtimeID
	// Another address of the same document may have no attachments: those that
	// stand there must go.
	if len(list) == 0 && !same || same && of.attachments == string(args) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, observeTime)
	defer cancel()
	if _, err := s.Watch(ctx, tabID, installPrimitive, json.RawMessage(args)); err != nil {
		return err
	}
	of.attachedRuntime, of.attachments = runtimeID, string(args)
	return nil
}

// attachable lists the attachments that CSS finds, within the primitive's limits.
func (s *Site) attachable(site storage.Site) []attached {
	list := []attached{}
	for _, entry := range site.Maps {
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
	return list
}
