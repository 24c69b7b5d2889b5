package primitives

import (
	"context"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// claimOpenedTimeout is how long an answer waits for the page of a tab that it names as claimed.
const claimOpenedTimeout = 3 * time.Second

// WatchOpenedTabs records from now on the tabs that the tab's page opens; take stops that and
// returns them. A tab that opens through a call which acts is handed over if it shows a page of
// the same origin, or by the user's setting any page.
func (h *Handlers) WatchOpenedTabs(opener tabs.Tab, acts bool) (take func(context.Context) []primitive.OpenedTab) {
	claim := func(ctx context.Context, opened primitive.OpenedTab) {
		ctx, cancel := context.WithTimeout(ctx, claimOpenedTimeout)
		defer cancel()
		h.claimOpened(ctx, opener, opened)
	}
	if !acts {
		return h.Browser.WatchOpenedTabs(opener.TabID, nil)
	}
	watched := h.Browser.WatchOpenedTabs(opener.TabID, func(opened primitive.OpenedTab) { claim(context.Background(), opened) })
	return func(ctx context.Context) []primitive.OpenedTab {
		opened := watched(ctx)
		var claims sync.WaitGroup
		for _, tab := range opened {
			claims.Go(func() { claim(context.WithoutCancel(ctx), tab) })
		}
		claims.Wait()
		return opened
	}
}

// claimOpened claims the opened tab. One that cannot be claimed stays the user's.
func (h *Handlers) claimOpened(ctx context.Context, opener tabs.Tab, opened primitive.OpenedTab) {
	query := protocol.TabClaimOpened{TabID: opened.TabID, OpenerTabID: opener.TabID}
	if !h.ClaimOpened {
		own, err := origin.Parse(opener.URL)
		if err != nil {
			return
		}
		query.Origin = own.String()
	}
	result, err := h.Browser.ClaimOpenedTab(ctx, query)
	if err != nil || !result.Claimed {
		return
	}
	h.Tabs.Update(browser.FromProtocol(result.Tab))
	_ = h.Tabs.Opened(opened.TabID) // if it fails, the tab is claimed all the same
}
