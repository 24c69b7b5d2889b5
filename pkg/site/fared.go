package site

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/pkg/runhistory"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// fared returns how an action fared in its last runs; false if it never ran.
func (s *Site) fared(o storage.Offer) (runhistory.Summary, bool) {
	if s.History == nil {
		return runhistory.Summary{}, false
	}
	return s.History.Of(runhistory.Action{Map: o.Entry.Path, Name: o.Tool.Name})
}

// unfit returns, by name, why actions no longer fit the page: their declared target is not
// there, or the last runs found the page otherwise. The targets of the first page of a list are
// looked for with few calls; one that cannot be looked for is not reported.
func (s *Site) unfit(ctx context.Context, offers []storage.Offer, args listArguments, read pagemodel.Read) map[string]string {
	reasons := map[string]string{}
	var names []string
	var targets []json.RawMessage
	for _, o := range offers {
		if fared, ok := s.fared(o); ok && fared.Drift != "" {
			reasons[o.Tool.Name] = "its last runs failed, the newest with " + string(fared.Drift)
		}
		if o.Tool.Target != nil && args.Offset == 0 && !args.NamesOnly {
			names, targets = append(names, o.Tool.Name), append(targets, o.Tool.Target)
		}
	}
	for i, there := range pagemodel.TargetsThere(ctx, read, targets) {
		if !there {
			reasons[names[i]] = "the element that it works on is not on the page now"
		}
	}
	return reasons
}

// Unfit is an action that no longer fits the page, and why.
type Unfit struct {
	Action string `json:"action"`
	Why    string `json:"why"`
}

// Unfit returns the actions of the page that no longer fit it; read reads the page.
func (s *Site) Unfit(ctx context.Context, url string, read pagemodel.Read) []Unfit {
	offers := s.Store.Match(url).Offers()
	reasons := s.unfit(ctx, offers, listArguments{}, read)
	list := []Unfit{}
	for _, o := range offers {
		if why := reasons[o.Tool.Name]; why != "" {
			list = append(list, Unfit{o.Tool.Name, why})
		}
	}
	return list
}

// InputSchema returns that of an action of the page.
func (s *Site) InputSchema(url, action string) (json.RawMessage, bool) {
	tool, _, ok := s.Store.Match(url).Tool(action)
	if !ok {
		return nil, false
	}
	return tool.InputSchema, true
}
