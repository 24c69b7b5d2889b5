package site

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/pkg/primitive"
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

// maxBeginnings bounds the elements that are looked for one by one.
const maxBeginnings = 10

// unfit returns, by name, why actions no longer fit the page: their declared target is not there,
// or the element with which they began on this very page when they went well, or the last runs
// found the page otherwise. The targets of the first page of a list are looked for with few calls;
// one that cannot be looked for is not reported.
func (s *Site) unfit(ctx context.Context, url string, offers []storage.Offer, args listArguments, read pagemodel.Read) map[string]string {
	reasons := map[string]string{}
	var names []string
	var targets []json.RawMessage
	beginnings := 0
	for _, o := range offers {
		if fared, ok := s.fared(o); ok && fared.Drift != "" {
			reasons[o.Tool.Name] = "its last runs failed, the newest with " + string(fared.Drift)
		}
		if o.Tool.Target != nil && args.Offset == 0 && !args.NamesOnly {
			names, targets = append(names, o.Tool.Name), append(targets, o.Tool.Target)
			continue
		}
		if args.Offset != 0 || args.NamesOnly || s.History == nil || beginnings == maxBeginnings || reasons[o.Tool.Name] != "" {
			continue
		}
		first := beginning(o.Tool)
		if first == nil || !s.History.PassedOn(runhistory.Action{Map: o.Entry.Path, Name: o.Tool.Name}, url) {
			continue
		}
		if beginnings++; isMissing(ctx, read, first) {
			reasons[o.Tool.Name] = "the element that it begins with is not on the page now; it was when it went well here"
		}
	}
	for i, there := range pagemodel.TargetsThere(ctx, read, targets) {
		if !there {
			reasons[names[i]] = "the element that it works on is not on the page now"
		}
	}
	return reasons
}

// beginning returns the locator of an action's first step; nil where it has none, or one that is made
// of the input.
func beginning(tool *actionmap.Tool) json.RawMessage {
	uses := tool.Uses()
	if len(uses) == 0 {
		return nil
	}
	for _, member := range locatorMembers(uses[0]) {
		if member.IsObject() && !bytes.Contains(member.Raw, []byte("{%")) {
			return member.Raw
		}
	}
	return nil
}

// isMissing reports whether the page has no element of the locator, hidden ones included. A page that has
// just come may still be made: it is asked once more a moment later.
func isMissing(ctx context.Context, read pagemodel.Read, locator json.RawMessage) bool {
	args, err := primitive.Output(map[string]any{"locator": locator, "auto_scroll": false})
	if err != nil {
		return false
	}
	for range 2 {
		if _, err := read(ctx, "locator.element_info", args); !fault.Is(err, fault.TargetNotFound) {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(settleDelay):
		}
	}
	return true
}

// settleDelay is what most pages need to show their controls once they are loaded.
const settleDelay = 300 * time.Millisecond

// Unfit is an action that no longer fits the page, and why.
type Unfit struct {
	Action string `json:"action"`
	Why    string `json:"why"`
}

// Unfit returns the actions of the page that no longer fit it; read reads the page.
func (s *Site) Unfit(ctx context.Context, url string, read pagemodel.Read) []Unfit {
	offers := s.Store.Match(url).Offers()
	reasons := s.unfit(ctx, url, offers, listArguments{}, read)
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
