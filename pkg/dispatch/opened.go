package dispatch

import (
	"context"

	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// trackOpened adds the tabs that the call's page opens meanwhile to the answer: the
// run stays on its own tab, and the caller must know where the page went on.
func (d *Dispatcher) trackOpened(ctx context.Context, in invocation, tab tabs.Tab) (done func()) {
	if in.stored() || tab.TabID == 0 || d.Opened == nil {
		return func() {}
	}
	take := d.Opened(tab, in.record.Acts() || in.record.Name == SiteTool)
	return func() {
		opened := take(ctx)
		for i := range opened {
			_, opened[i].Claimed = d.Tabs.Get(opened[i].TabID)
		}
		in.meta.OpenedTabs = append(in.meta.OpenedTabs, opened...)
	}
}

// Opened watches for tabs that a tab's page opens during a call, which acts on it or only reads;
// the returned function ends the watch and returns them.
type Opened func(tab tabs.Tab, acts bool) (take func(context.Context) []primitive.OpenedTab)
