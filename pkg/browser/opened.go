package browser

import (
	"context"
	"sync"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// maxOpened bounds what one call tells of.
const maxOpened = 20

// openers tells those who watch a tab which tabs its page opens.
type openers struct {
	mu       sync.Mutex
	watching map[*opener]struct{}
}

type opener struct {
	tabID  int
	opened []primitive.OpenedTab
}

// WatchOpened notes from now on the tabs that the tab's page opens; take ends
// that and gives them, those too of which the browser told just before it gave
// its last answer.
func (b *Browser) WatchOpened(tabID int) (take func(context.Context) []primitive.OpenedTab) {
	o := &opener{tabID: tabID}
	b.opened.mu.Lock()
	defer b.opened.mu.Unlock()
	if b.opened.watching == nil {
		b.opened.watching = map[*opener]struct{}{}
	}
	b.opened.watching[o] = struct{}{}
	return func(ctx context.Context) []primitive.OpenedTab {
		// Without a connection or time, what is known already is all there is.
		_ = b.conn.CatchUp(ctx)
		b.opened.mu.Lock()
		defer b.opened.mu.Unlock()
		delete(b.opened.watching, o)
		return o.opened
	}
}

func (o *openers) tell(e protocol.TabOpened) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for w := range o.watching {
		if w.tabID == e.OpenerTabID && len(w.opened) < maxOpened {
			w.opened = append(w.opened, primitive.OpenedTab{TabID: e.TabID, URL: e.URL})
		}
	}
}
