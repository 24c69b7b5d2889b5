package voice

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/key"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/harness/drive"
	"github.com/actionsjson/actions-host/test/repo"
	"github.com/actionsjson/actions-host/test/sites"
)

const (
	shopSurface = "teahouse"
	orderForAda = `{"mode":"call","action":"teahouse.order","arguments":{"tea":"Da Hong Pao","name":"Ada"}}`
	neverRings  = `{"locator":{"selector":"#bell"},"timeout_ms":30000,"policy_exception_report":{"kind":"generic","intended_tool":"locator.wait_for","actions_json_path":"none","reason":"the user asked to wait"}}`
)

// talk is a conversation with the real program in a real browser; the model is
// the test.
type talk struct {
	t        *testing.T
	ctx      context.Context
	home     *harness.Home
	service  *realtime.Server
	browser  *launch.Browser
	shop     string
	received *sites.Recorder
	wire     *realtime.Session // the latest
	waiting  *sync.WaitGroup   // messages that are not answered yet
}

// converse opens the shop in a browser whose host uses the fake service; more are
// members of its settings.
func converse(t *testing.T, more ...string) *talk {
	t.Helper()
	return converseWith(t, []string{fakeDevice, fakeConsent}, more...)
}

// converseWith is converse with another microphone than one that is allowed.
func converseWith(t *testing.T, microphone []string, more ...string) *talk {
	t.Helper()
	harness.TakeTurn(t) // the limit begins with it
	ctx, cancel := context.WithTimeout(t.Context(), 3*harness.Patience)
	t.Cleanup(cancel)
	k := &talk{t: t, ctx: ctx, home: harness.NewHome(t), service: realtime.New(t), received: sites.NewRecorder(nil), waiting: &sync.WaitGroup{}}
	site := httptest.NewServer(sites.Teahouse(k.received))
	t.Cleanup(site.Close)
	k.shop = strings.Replace(site.URL, "127.0.0.1", "localhost", 1) + "/"
	text, err := os.ReadFile(filepath.Join(repo.Root(), "test", "sites", "storage", "scopes", "public", "sites", "localhost", shopSurface, "actions.json"))
	if err != nil {
		t.Fatal(err)
	}
	k.home.Map(t, "public", "localhost", shopSurface, string(text))
	k.home.Settings(t, "{"+strings.Join(append(more, fmt.Sprintf(`"voice_base":%q`, k.service.Base)), ",")+"}")
	k.browser = k.home.OpenWith(t, []string{key.Environment(key.OpenAI) + "=" + realtime.Key}, append(microphone, loopback), k.shop)
	return k
}

// start starts the agent by voice; it has greeted and listens.
func (k *talk) start() {
	k.t.Helper()
	harness.Must(k.t, k.home.Call(k.t, "runtime.agent.start", `{"text_only":false}`), nil)
	k.next()
	k.wire.Begin(k.ctx)
	k.wire.Speak("Good day.")
	k.wire.Finish("completed")
	k.wire.Hush(false)
	k.shows("listening")
}

// next takes the next session that the host opens, whose call stands.
func (k *talk) next() {
	k.t.Helper()
	k.wire = k.service.Next(k.ctx)
	if k.wire.Call == nil || k.wire.Call.Peer == nil {
		k.t.Fatal("a session without a call of the browser's")
	}
	k.wire.Call.Peer.Opened(k.ctx)
}

// hears makes the service hear the user; it begins to answer by itself.
func (k *talk) hears(text string) {
	k.wire.Speech(true)
	k.wire.Speech(false)
	k.wire.BeginUnasked()
	k.wire.Transcribe(text)
}

// results waits for the answers to so many tool calls, by their ids.
func (k *talk) results(n int) map[string]string {
	k.t.Helper()
	found := map[string]string{}
	for len(found) < n {
		if item := k.wire.Expect(k.ctx, "conversation.item.create").Item; item.Type == "function_call_output" {
			found[item.CallID] = item.Output
		}
	}
	return found
}

// told waits until the conversation has an item with the text.
func (k *talk) told(text string) {
	k.t.Helper()
	for !strings.Contains(string(k.wire.Expect(k.ctx, "conversation.item.create").Raw), text) {
	}
}

// surface waits for a session.update that has the text.
func (k *talk) surface(text string) {
	k.t.Helper()
	for !strings.Contains(string(k.wire.Expect(k.ctx, "session.update").Raw), text) {
	}
}

// lifecycle returns the session's states so far, as a client sees them.
func (k *talk) lifecycle() (states []string) {
	k.t.Helper()
	for cursor := int64(-1); ; {
		var feed struct {
			Events []struct {
				Kind    string
				Payload struct{ State string }
			}
			Cursor int64
		}
		harness.Must(k.t, k.home.Call(k.t, "runtime.agent.await_event", fmt.Sprintf(`{"cursor":%d,"timeout_ms":1000}`, cursor)), &feed)
		for _, e := range feed.Events {
			if e.Kind == "lifecycle" {
				states = append(states, e.Payload.State)
			}
		}
		if len(feed.Events) < 100 { // as many as one answer holds
			return states
		}
		cursor = feed.Cursor
	}
}

// state is the session's state.
func (k *talk) state() string {
	k.t.Helper()
	states := k.lifecycle()
	if len(states) == 0 {
		return ""
	}
	return states[len(states)-1]
}

func (k *talk) shows(state string) {
	k.t.Helper()
	harness.Until(k.t, "the state is "+state, func() bool { return k.state() == state })
}

// orders are the orders that the shop's server received.
func (k *talk) orders() []string {
	var bodies []string
	for _, r := range k.received.All() {
		if r.Path == "/order" {
			bodies = append(bodies, r.Body)
		}
	}
	return bodies
}

// gone waits until the service's end of a call was told that it is over.
func (k *talk) gone(peer *realtime.Peer) {
	k.t.Helper()
	select {
	case <-peer.Ended():
	case <-time.After(harness.Patience):
		k.t.Fatal("the call goes on")
	}
}

// targets returns the documents that show the address.
func (k *talk) targets(kind, url string) []target.ID {
	k.t.Helper()
	all, err := cdp.Call(k.ctx, k.browser.Session(), target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{}}})
	if err != nil {
		k.t.Fatal(err)
	}
	var found []target.ID
	for _, info := range all.TargetInfos {
		if info.Type == kind && strings.HasPrefix(info.URL, url) {
			found = append(found, info.TargetID)
		}
	}
	return found
}

// target waits until one document shows the address and returns it.
func (k *talk) target(kind, url string) target.ID {
	k.t.Helper()
	var found []target.ID
	harness.Until(k.t, "one target is "+url, func() bool {
		found = k.targets(kind, url)
		return len(found) == 1
	})
	return found[0]
}

func (k *talk) closeTarget(kind, url string) {
	k.t.Helper()
	if _, err := cdp.Call(k.ctx, k.browser.Session(), target.CloseTarget, target.CloseTargetParams{TargetID: k.target(kind, url)}); err != nil {
		k.t.Fatal(err)
	}
}

// front shows the shop's tab in front of the others.
func (k *talk) front() {
	k.t.Helper()
	if _, err := cdp.Call(k.ctx, k.browser.Session(), target.ActivateTarget, target.ActivateTargetParams{TargetID: k.target("page", k.shop)}); err != nil {
		k.t.Fatal(err)
	}
}

// reload loads the shop's page anew; it is there when this returns.
func (k *talk) reload() {
	k.t.Helper()
	k.document("page", k.shop, `(window.former = true, setTimeout(() => location.reload()), true)`)
	harness.Until(k.t, "the page is there again", func() bool {
		there, err := k.evaluate("page", k.shop, `!window.former && document.readyState === "complete"`)
		return err == nil && there == "true"
	})
}

// document runs JavaScript in a document and returns its value as JSON.
func (k *talk) document(kind, url, js string) string {
	k.t.Helper()
	text, err := k.evaluate(kind, url, js)
	if err != nil {
		k.t.Fatalf("%s: %v", js, err)
	}
	return text
}

// evaluate is document where the document may just be going.
func (k *talk) evaluate(kind, url, js string) (string, error) {
	k.t.Helper()
	found := k.targets(kind, url)
	if len(found) != 1 {
		return "", fmt.Errorf("%d targets of %s", len(found), url)
	}
	document, detach := drive.Attach(k.browser, found[0])
	defer detach()
	value, err := chromedp.Run(document, chromedp.Evaluate[any](js, chromedp.EvalAwaitPromise))
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(value)
	return string(text), err
}

// pane waits until the pane shows the state and the turns.
func (k *talk) pane(state string, turns ...string) {
	k.t.Helper()
	const shown = `JSON.stringify([document.body?.dataset.status, document.getElementById("log")?.textContent])`
	last := ""
	defer func() {
		if k.t.Failed() {
			k.t.Logf("the pane shows %s", last)
		}
	}()
	harness.Until(k.t, "the pane shows "+state, func() bool {
		var err error
		if last, err = k.evaluate("iframe", paneURL, shown); err != nil {
			return false
		}
		for _, text := range turns {
			if !strings.Contains(last, text) {
				return false
			}
		}
		return strings.Contains(last, state)
	})
}

const (
	offscreenURL = manifest.ExtensionURL + "offscreen.html"
	paneURL      = manifest.ExtensionURL + "pane.html"
)
