package site

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/pkg/runhistory"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// fared returns how an action fared in its last runs; false if it never ran.
func (s *Site) fared(o storage.Offer) (runhistory.Summary, bool) {
	return s.History.Of(historyOf(o))
}

// historyOf returns what an action is called in the history.
func historyOf(o storage.Offer) runhistory.Action {
	return runhistory.Action{Map: o.Entry.Path, Name: o.Tool.Name}
}

// maxBeginnings bounds the elements that are looked for one by one.
const maxBeginnings = 10

// settleDelay is what most pages need to show their controls once they are loaded.
const settleDelay = 300 * time.Millisecond

// unfit returns, by name, why actions no longer fit the page: their declared target is not there,
// or the element with which they began on this very page when they went well, or the last runs
// found the page otherwise. The targets of the first page of a list are looked for with few calls;
// one that cannot be looked for is not reported.
func (s *Site) unfit(ctx context.Context, url string, offers []storage.Offer, args listArguments, read pagemodel.Read) map[string]string {
	reasons := map[string]string{}
	for _, o := range offers {
		if fared, ok := s.fared(o); ok && fared.Drift != "" {
			reasons[o.Tool.Name] = "its last runs failed, the newest with " + string(fared.Drift)
		}
	}
	if args.Offset != 0 || args.NamesOnly {
		return reasons
	}
	var names []string
	var targets []json.RawMessage
	beginnings := map[string]json.RawMessage{}
	for _, o := range offers {
		name := o.Tool.Name
		switch {
		case o.Tool.Target != nil:
			names, targets = append(names, name), append(targets, o.Tool.Target)
		case reasons[name] == "" && len(beginnings) < maxBeginnings && s.History.PassedOn(historyOf(o), url):
			if first := beginning(o.Tool); first != nil {
				beginnings[name] = first
			}
		}
	}
	for i, there := range pagemodel.TargetsThere(ctx, read, targets) {
		if !there {
			reasons[names[i]] = "the element that it works on is not on the page now"
		}
	}
	for name := range missing(ctx, read, beginnings) {
		reasons[name] = "the element that it begins with is not on the page now; it was when it went well here"
	}
	return reasons
}

// missing returns those of the locators of which the page has no element, hidden ones included. A page that
// has just come may still be made: it is asked once more a moment later.
func missing(ctx context.Context, read pagemodel.Read, locators map[string]json.RawMessage) map[string]json.RawMessage {
	gone := func(of map[string]json.RawMessage) map[string]json.RawMessage {
		left := maps.Clone(of)
		maps.DeleteFunc(left, func(_ string, locator json.RawMessage) bool {
			f := findBy(ctx, read, locator)
			return f.err != nil || f.count > 0
		})
		return left
	}
	left := gone(locators)
	if len(left) == 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return nil
	case <-time.After(settleDelay):
		return gone(left)
	}
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
