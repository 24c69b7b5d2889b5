package primitives

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestTraffic(t *testing.T) {
	// Ensure that what is under way is known after any order of events: also of a request that began before it was listened, of one whose document or frame has gone, and never of what does not end by its nature.
	type event [3]string // session, method, parameters
	begun := func(id, frame string) event {
		return event{"", "Network.requestWillBeSent", `{"requestId":"` + id + `","frameId":"` + frame + `","type":"Fetch"}`}
	}
	answered := func(id, kind string) event {
		return event{"", "Network.responseReceived", `{"requestId":"` + id + `","frameId":"f","type":"Fetch","response":{"mimeType":"` + kind + `"}}`}
	}
	ended := func(id string) event { return event{"", "Network.loadingFinished", `{"requestId":"` + id + `"}`} }
	navigated := func(frame, parent, loader, how string) event {
		return event{"", "Page.frameNavigated", `{"frame":{"id":"` + frame + `","parentId":"` + parent + `","loaderId":"` + loader + `"},"type":"` + how + `"}`}
	}
	answeredDocument := func(id, frame string) event {
		return event{"", "Network.responseReceived", `{"requestId":"` + id + `","frameId":"` + frame + `","type":"Document","response":{"mimeType":"text/html"}}`}
	}
	for name, test := range map[string]struct {
		before, events []event
		pending        int
		observed       bool
	}{
		"nothing":                {},
		"under way":              {events: []event{begun("1", "f"), begun("2", "f"), ended("1")}, pending: 1},
		"failed":                 {events: []event{begun("1", "f"), {"", "Network.loadingFailed", `{"requestId":"1"}`}}},
		"redirected":             {events: []event{begun("1", "f"), begun("1", "f"), ended("1")}},
		"ended by another":       {events: []event{begun("1", "f"), {"child", "Network.loadingFinished", `{"requestId":"1"}`}}},
		"another's top document": {events: []event{begun("1", "f"), {"child", "Page.frameNavigated", `{"frame":{"id":"inner","loaderId":"new"}}`}}, pending: 1},
		"frame of a new process": {events: []event{begun("1", "f"), begun("2", "inner"), {"", "Page.frameDetached", `{"frameId":"inner","reason":"swap"}`}}, pending: 2},
		"too much":               {events: []event{begun("1", "f"), {"", browser.FloodEvent, `{"domain":"network","dropped":7,"off":true}`}}},
		"too much of another":    {events: []event{begun("1", "f"), {"", browser.FloodEvent, `{"domain":"console","dropped":7,"off":true}`}}, pending: 1},
		"answered, begun early":  {events: []event{answered("1", "text/html")}, pending: 1},
		"ended, begun early":     {events: []event{answered("1", "text/html"), ended("1")}},
		"worker's script":        {events: []event{{"", "Network.requestWillBeSent", `{"requestId":"1","frameId":"f","loaderId":"","type":"Script"}`}}},
		"document's script":      {events: []event{{"", "Network.requestWillBeSent", `{"requestId":"1","frameId":"f","loaderId":"new","type":"Script"}`}}, pending: 1},
		"event source":           {events: []event{{"", "Network.requestWillBeSent", `{"requestId":"1","frameId":"f","type":"EventSource"}`}}},
		"event stream":           {events: []event{begun("1", "f"), answered("1", "text/event-stream; charset=utf-8")}},
		"web socket":             {events: []event{{"", "Network.webSocketCreated", `{"requestId":"1"}`}}},
		"new document": {
			events: []event{begun("1", "f"), begun("2", "inner"), begun("new", "f"), navigated("f", "", "new", "Navigation")}, pending: 1, observed: true,
		},
		"document of before":          {before: []event{navigated("f", "", "old", "Navigation")}},
		"document of the past":        {events: []event{navigated("f", "", "old", "BackForwardCacheRestore")}},
		"frame's new document":        {events: []event{begun("1", "f"), begun("2", "inner"), navigated("inner", "f", "new", "Navigation")}, pending: 1},
		"frame that went":             {events: []event{begun("1", "f"), begun("2", "inner"), {"", "Page.frameDetached", `{"frameId":"inner","reason":"remove"}`}}, pending: 1},
		"answered document of before": {before: []event{begun("new", "f"), answeredDocument("new", "f"), navigated("f", "", "new", "Navigation")}},
		"answered document":           {before: []event{begun("new", "f")}, events: []event{answeredDocument("new", "f"), navigated("f", "", "new", "Navigation")}, pending: 1, observed: true},
		"answered before, other":      {before: []event{answered("1", "text/plain")}, pending: 1},
		"what cannot be read":         {events: []event{{"", "Network.requestWillBeSent", `[]`}}},
		"begun before, unknown":       {before: []event{begun("1", "f")}, pending: 1},
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTraffic()
			for _, e := range test.before {
				tr.handleEvent(e[0], e[1], json.RawMessage(e[2]))
			}
			tr.start()
			for _, e := range test.events {
				tr.handleEvent(e[0], e[1], json.RawMessage(e[2]))
			}
			if now := tr.state(); now.pending != test.pending || now.observed != test.observed {
				t.Errorf("%+v", now)
			}
		})
	}
}

func TestTrafficAwait(t *testing.T) {
	// Ensure that the wait ends so long after the last request began or ended, and not while one is under way; with the context; and when the debugger leaves.
	synctest.Test(t, func(t *testing.T) {
		tr, started := newTraffic(), time.Now()
		tr.start()
		hear := func(after time.Duration, method string) {
			time.AfterFunc(after, func() { tr.handleEvent("", method, json.RawMessage(`{"requestId":"1"}`)) })
		}
		hear(300*time.Millisecond, "Network.requestWillBeSent")
		hear(2*time.Second, "Network.loadingFinished")
		if err := tr.await(t.Context(), 500*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(started); took != 2500*time.Millisecond {
			t.Errorf("it took %s", took)
		}
		hear(0, "Network.requestWillBeSent")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		synctest.Wait()
		if err := tr.await(ctx, 500*time.Millisecond); !fault.Is(err, fault.HandlerTimeout) {
			t.Errorf("with a request under way: %v", err)
		}
		time.AfterFunc(time.Second, func() { tr.listener().Detached("gone") })
		if err := tr.await(t.Context(), 500*time.Millisecond); !fault.Is(err, fault.DebuggerUnavailable) {
			t.Errorf("without a debugger: %v", err)
		}
	})
}
