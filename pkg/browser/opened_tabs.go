package browser

import (
	"context"
	"sync"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// maxOpened bounds the tabs that one call reports.
const maxOpened = 20

// openedTabs reports to watchers of a tab which tabs its page opens.
type openedTabs struct {
	mu       sync.Mutex
	watching map[*openedTabsWatcher]struct{}
}

type openedTabsWatcher struct {
	tabID  int
	opened []primitive.OpenedTab
}

// WatchOpenedTabs records from now on the tabs that the tab's page opens; take stops that and
// returns them, including those reported just before the browser's last answer.
func (b *Browser) WatchOpenedTabs(tabID int) (take func(context.Context) []primitive.OpenedTab) {
	o := &openedTabsWatcher{tabID: tabID}
	b.openedTabs.mu.Lock()
	defer b.openedTabs.mu.Unlock()
	if b.openedTabs.watching == nil {
		b.openedTabs.watching = map[*openedTabsWatcher]struct{}{}
	}
	b.openedTabs.watching[o] = struct{}{}
	return func(ctx context.Context) []primitive.OpenedTab {
		// If it fails, only the tabs known so far are returned.
		_ = b.conn.WaitForNotifications(ctx)
		b.openedTabs.mu.Lock()
		defer b.openedTabs.mu.Unlock()
		delete(b.openedTabs.watching, o)
		return o.opened
	}
}

func (o *openedTabs) notify(e protocol.TabOpened) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for w := range o.watching {
		if w.tabID == e.OpenerTabID && len(w.opened) < maxOpened {
			w.opened = append(w.opened, primitive.OpenedTab{TabID: e.TabID, URL: e.URL})
		}
	}
}
