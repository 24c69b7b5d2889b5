package inspect

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/pkg/redact"
)

func (r *console) texts() []string {
	var all []string
	for _, m := range r.ring.Since(0) {
		all = append(all, m.Level+" "+m.Text)
	}
	return all
}

func TestConsoleEvents(t *testing.T) {
	// Ensure that the page's own messages are kept and those of content scripts are not, that a new document ends what is known of contexts, and that what cannot be read is passed over.
	r := newConsole()
	say := func(context int, text string) {
		r.handleEvent("", "Runtime.consoleAPICalled", json.RawMessage(fmt.Sprintf(
			`{"type":"warning","executionContextId":%d,"timestamp":1,"args":[{"type":"string","value":%q}],"stackTrace":{"callFrames":[{"functionName":"","scriptId":"1","url":"https://a.example/?token=x","lineNumber":4,"columnNumber":0}]}}`, context, text)))
	}
	r.handleEvent("", "Runtime.executionContextCreated", json.RawMessage(`{"context":{"id":1,"origin":"","name":"","uniqueId":"1","auxData":{"type":"default"}}}`))
	r.handleEvent("", "Runtime.executionContextCreated", json.RawMessage(`{"context":{"id":2,"origin":"","name":"Other extension","uniqueId":"2","auxData":{"type":"isolated"}}}`))
	say(1, "page")
	say(2, "extension")
	r.handleEvent("", "Runtime.exceptionThrown", json.RawMessage(`{"timestamp":1,"exceptionDetails":{"exceptionId":1,"text":"Uncaught","lineNumber":0,"columnNumber":0,"executionContextId":2}}`))
	r.handleEvent("", "Runtime.executionContextsCleared", json.RawMessage(`{}`))
	say(2, "page again")
	r.handleEvent("", "Log.entryAdded", json.RawMessage(`{"entry":{"source":"security","level":"verbose","text":"note","timestamp":1}}`))
	r.handleEvent("", "Runtime.consoleAPICalled", json.RawMessage(`{"args":7}`))
	r.handleEvent("", "Page.loadEventFired", json.RawMessage(`{}`))
	got := fmt.Sprintf("%q", r.texts())
	if want := `["warning page" "info The tab shows another document from here on." "warning page again" "debug note"]`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	for _, m := range r.ring.Since(0) {
		if m.Source == "console" && (m.URL != "https://a.example/?token=[redacted]" || m.Line != 5 || len(m.Stack) != 1) {
			t.Errorf("the place is %+v", m)
		}
	}
}

func TestNetworkEvents(t *testing.T) {
	// Ensure that a request becomes an entry when it has ended, each hop of a redirect one of its own, a web socket when it is closed, and that a page cannot begin more than are kept.
	r := newNetwork()
	begin := func(id, url, redirect string) {
		r.handleEvent("", "Network.requestWillBeSent", json.RawMessage(fmt.Sprintf(
			`{"requestId":%q,"loaderId":"l","documentURL":"https://a.example/","request":{"url":%q,"method":"GET","headers":{},"initialPriority":"High","referrerPolicy":"origin"},"timestamp":1,"wallTime":2,"initiator":{"type":"other"},"type":"Fetch"%s}`, id, url, redirect)))
	}
	begin("1", "https://a.example/one", "")
	begin("1", "https://a.example/two", `,"redirectResponse":{"url":"https://a.example/one","status":302,"statusText":"Found","headers":{},"mimeType":"","encodedDataLength":1}`)
	r.handleEvent("", "Network.loadingFinished", json.RawMessage(`{"requestId":"1","timestamp":1.5,"encodedDataLength":42}`))
	r.handleEvent("", "Network.loadingFinished", json.RawMessage(`{"requestId":"unknown","timestamp":1.5,"encodedDataLength":42}`))
	r.handleEvent("", "Network.webSocketCreated", json.RawMessage(`{"requestId":"w","url":"wss://a.example/?key=abc"}`))
	r.handleEvent("", "Network.webSocketClosed", json.RawMessage(`{"requestId":"w","timestamp":9}`))
	var got []string
	for _, e := range r.ring.Since(0) {
		got = append(got, fmt.Sprint(e.Type, " ", e.URL, " ", e.Status, " ", e.RedirectedTo, " ", e.Bytes, " ", e.DurationMS))
	}
	want := []string{"Fetch https://a.example/one 302 https://a.example/two 1 0", "Fetch https://a.example/two 0  42 500", "WebSocket wss://a.example/?key=[redacted] 0  0 0"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	for i := range 2 * maxInFlight {
		begin(fmt.Sprint("flood", i), "https://a.example/", "")
	}
	if shown, count := r.inFlight(networkArguments{shownURL: func(url string) string { return url }, permitted: func(Request) bool { return true }}); count != maxInFlight || len(shown) != maxShownInFlight || len(r.pending) != maxInFlight {
		t.Errorf("%d in flight, %d shown, %d known", count, len(shown), len(r.pending))
	}
}

func TestEntriesOfAMap(t *testing.T) {
	// Ensure that what a map has under the name of a secret is found as one.
	entry := func(key, value string) *runtime.EntryPreview {
		return &runtime.EntryPreview{Key: &runtime.ObjectPreview{Type: "string", Description: key}, Value: &runtime.ObjectPreview{Type: "string", Description: value}}
	}
	text := formatPreview(&runtime.ObjectPreview{Description: "Map(2)", Subtype: "map", Entries: []*runtime.EntryPreview{entry("password", `hun"ter2`), entry("tea", "Sencha")}})
	if got, want := redact.Text(text), `Map(2) {password: [redacted], tea: "Sencha"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
