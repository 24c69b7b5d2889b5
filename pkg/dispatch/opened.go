package dispatch

import (
	"context"

	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// noteOpened puts the tabs that the call's page opens meanwhile into the answer:
// the run stays on its own tab, and the caller must know where the page went on.
func (d *Dispatcher) noteOpened(ctx context.Context, in invocation, tab tabs.Tab) (done func()) {
	if in.stored() || tab.TabID == 0 || d.Opened == nil {
		return func() {}
	}
	take := d.Opened(tab.TabID)
	return func() {
		opened := take(ctx)
		for i := range opened {
			_, opened[i].Claimed = d.Tabs.Get(opened[i].TabID)
		}
		in.meta.OpenedTabs = append(in.meta.OpenedTabs, opened...)
	}
}

// Opened watches for tabs that a tab's page opens; what it gives ends the watch
// and tells of them.
type Opened func(tabID int) (take func(context.Context) []primitive.OpenedTab)
