package scripts

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// leaveFenceTimeout bounds the wait for the events of a page that may be gone.
const leaveFenceTimeout = time.Second

// leaveWatch notices when a tab's page is led elsewhere, also by a navigation that has only
// begun.
type leaveWatch struct {
	debugger *browser.Debugger
	tabID    int
	stop     func()

	mu    sync.Mutex
	begun bool   // code has run in the page that is there
	main  string // the id of the tab's own frame
	url   string // where it went; empty while it stays
}

func (h *Handlers) watchLeaving(tabID int) *leaveWatch {
	w := &leaveWatch{debugger: h.Browser.Debugger(tabID), tabID: tabID}
	w.stop = w.debugger.Listen(browser.Listener{Event: w.onEvent, Detached: func(string) {}})
	return w
}

// begin names the tab's own frame, before code runs in it.
func (w *leaveWatch) begin(main string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun, w.main = true, main
}

// rest ignores what happens until the next [leaveWatch.begin]: the host leads the tab itself,
// and the page that comes may lead on.
func (w *leaveWatch) rest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun = false
}

func (w *leaveWatch) onEvent(method string, params json.RawMessage) {
	var event struct {
		FrameID     string `json:"frameId"`
		URL         string `json:"url"`
		Disposition string `json:"disposition"`
		Frame       struct {
			ID       string `json:"id"`
			ParentID string `json:"parentId"`
			URL      string `json:"url"`
		} `json:"frame"`
	}
	switch method {
	case "Page.frameRequestedNavigation", "Page.frameNavigated":
		if json.Unmarshal(params, &event) != nil {
			return
		}
	default:
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	own := method == "Page.frameNavigated" && event.Frame.ParentID == ""
	requested := method == "Page.frameRequestedNavigation" && event.FrameID == w.main && event.Disposition == "currentTab"
	if own {
		w.main, event.URL = event.Frame.ID, event.Frame.URL
	}
	if w.begun && (own || requested) {
		w.url = event.URL
	}
}

// at returns where the page has been led so far; empty while it stays.
func (w *leaveWatch) at(ctx context.Context) string {
	w.mu.Lock()
	begun := w.begun
	w.mu.Unlock()
	if begun {
		ctx, cancel := context.WithTimeout(ctx, leaveFenceTimeout)
		defer cancel()
		// A page that is busy or gone sends no more; what it has sent counts.
		_ = w.debugger.Fence(ctx)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.url
}

// pageLeft returns the error of code that led its page elsewhere.
func pageLeft(url string) *fault.Error {
	return fault.New(fault.CodeNavigationRefused, "the code led the tab to another page").
		With("left", true).With("url", url).WithDispatched(fault.WasDispatched).
		WithNextStep("The tab may show another page now. Lead it by navigate({url}) in the code, and run the rest on the new page by another browserjs().")
}
