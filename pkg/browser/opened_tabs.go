package browser

import (
	"context"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// maxOpened bounds the tabs that one call reports.
const maxOpened = 20

// lateTimeout is how long a page may open tabs by itself after a real click or key, as the
// browser permits.
const lateTimeout = 5 * time.Second

// openedTabs reports to watchers of a tab which tabs its page opens.
type openedTabs struct {
	mu       sync.Mutex
	watching map[*openedTabsWatcher]struct{}
}

type openedTabsWatcher struct {
	tabID  int
	opened []primitive.OpenedTab
	// takenAt is when the tabs were taken; zero before.
	takenAt time.Time
	late    func(primitive.OpenedTab)
}

// WatchOpenedTabs records from now on the tabs that the tab's page opens; take stops that and
// returns them, including those reported just before the browser's last answer. A tab that the
// page opens a little later is passed to late, which may be nil.
func (b *Browser) WatchOpenedTabs(tabID int, late func(primitive.OpenedTab)) (take func(context.Context) []primitive.OpenedTab) {
	o := &openedTabsWatcher{tabID: tabID, late: late}
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
		o.takenAt = time.Now()
		time.AfterFunc(lateTimeout, func() { b.openedTabs.forget(o) })
		return o.opened
	}
}

func (o *openedTabs) notify(e protocol.TabOpened) {
	o.mu.Lock()
	defer o.mu.Unlock()
	opened := primitive.OpenedTab{TabID: e.TabID, URL: e.URL}
	var late *openedTabsWatcher
	during := false
	for w := range o.watching {
		switch {
		case w.tabID != e.OpenerTabID:
		case w.takenAt.IsZero():
			during = during || w.late != nil
			if len(w.opened) < maxOpened {
				w.opened = append(w.opened, opened)
			}
		case w.late != nil && (late == nil || w.takenAt.After(late.takenAt)):
			late = w
		}
	}
	if !during && late != nil {
		go late.late(opened)
	}
}

func (o *openedTabs) forget(w *openedTabsWatcher) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.watching, w)
}
