package e2e

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

// pickerShown is how many layers of a picker the page has.
const pickerShown = `document.querySelectorAll("[data-actions-json-attachment^=actions-json-pick]").length`

func TestPickerEnds(t *testing.T) {
	// Ensure that a picker ends with its code, and leaves nothing in the page, when the user stops the agents, when the browser's connection breaks, and when its tab is closed.
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title><button>Tea</button>`, "/other": `<title>Other</title>`})
	b := home.Open(t, url+"/", url+"/other")
	if err := os.WriteFile(filepath.Join(home.Dir, "data", "agent.json"), []byte(`{"automationEnabled":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	tab := strconv.Itoa(b.Tabs[0].TabID)
	doc := pageAt(t, b, url+"/")
	doc.bringToFront()
	pick := func() <-chan dispatch.Envelope {
		t.Helper()
		done := make(chan dispatch.Envelope, 1)
		go func() {
			done <- home.Call(t, "automation.ask_user_which_element", `{"message":"Which tea?"}`, "--tab", tab)
		}()
		doc.until("the picker is there", pickerShown+` > 0`)
		return done
	}
	done := pick()
	doc.until("it can be stopped", `document.querySelector("[data-actions-json-attachment=actions-json-picker]:popover-open") !== null`)
	if run := home.Run(t, "stop", "--all"); run.Exit != 0 {
		t.Fatalf("%+v", run)
	}
	if e := <-done; e.OK || e.Error.Code != fault.Cancelled {
		t.Errorf("stopped: %v", e.Error)
	}
	doc.until("it is gone", pickerShown+` === 0`)
	goOn(ownPage(t, b, popupURL))
	doc.bringToFront()

	done = pick()
	endWorker(t, home, b)
	if e := <-done; e.OK {
		t.Error("it went on without its worker")
	}
	doc.until("it is gone with its host", pickerShown+` === 0`)
	harness.Until(t, "the host is back", func() bool { return home.Call(t, "page.info", `{}`, "--tab", tab).OK })

	done = pick()
	for _, info := range targets(t, b) {
		if info.Type == "page" && info.URL == url+"/" {
			if _, err := cdp.Call(t.Context(), b.Session(), target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if e := <-done; e.OK || e.Error.Code != fault.PickerCancelled {
		t.Errorf("closed: %v", e.Error)
	}
}
