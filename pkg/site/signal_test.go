package site_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/site"
)

const sold = `"signals":[
	{"name":"tea.sold","event":"tea:sold","ingestion":"enabled","payload":{"type":"object","required":["count"],"properties":{"count":{"type":"integer"}}}},
	{"name":"tea.order","event":"tea:order","ingestion":"enabled","direction":"agent_to_html"},
	{"name":"tea.quiet","event":"tea:quiet"}],`

func selling(t *testing.T) *rig {
	return newRig(t, map[string]string{
		"public/sites/shop.example.com/cart":  mapOf(sold, tool("go", open+greeting)),
		"private/sites/shop.example.com/cart": mapOf(`"signals":[{"name":"mine","event":"tea:ready","ingestion":"enabled"}],`, ""),
	})
}

func dispatched(name, payload string) site.Event {
	return site.Event{ID: "e", TabID: 1, Name: name, Payload: json.RawMessage(payload), URL: page, At: time.UnixMilli(1000)}
}

func TestEvent(t *testing.T) {
	// Ensure that only an event that is declared, let in and of the declared payload is accepted, on a page of the map.
	r := selling(t)
	elsewhere := dispatched("tea:sold", `{"count":1}`)
	elsewhere.URL = "https://other.example.com/cart"
	for _, e := range []site.Event{
		dispatched("tea:sold", `{"count":"many secrets"}`), dispatched("tea:sold", `{"count":1,"count":2}`), dispatched("tea:sold", `{`),
		dispatched("tea:order", `null`), dispatched("tea:quiet", `null`), dispatched("tea:gone", `null`), dispatched("tea:ready", `{"a":1}`), elsewhere,
	} {
		told, err := r.site.Event(e)
		f := wantCode(t, err, fault.InvalidInput)
		if len(told) != 0 || strings.Contains(fmt.Sprint(f, f.Evidence), "secrets") {
			t.Errorf("%s %s gave %v %v", e.Name, e.Payload, told, f)
		}
	}
	for name, want := range map[string]string{"tea:sold": "tea.sold", "tea:ready": "mine"} {
		payload := map[string]string{"tea:sold": `{"count":3}`, "tea:ready": `null`}[name]
		told, err := r.site.Event(dispatched(name, payload))
		if err != nil || len(told) != 1 || told[0].Signal != want || told[0].Trust != "untrusted" || string(told[0].Payload) != payload {
			t.Errorf("%s gave %+v %v", name, told, err)
		}
	}
}

func TestEventsInAList(t *testing.T) {
	// Ensure that a list gives the last ten events of its own tab, and none after the tab was released.
	r := selling(t)
	for i := range 60 {
		if _, err := r.site.Event(dispatched("tea:sold", fmt.Sprintf(`{"count":%d}`, i))); err != nil {
			t.Fatal(err)
		}
	}
	other := dispatched("tea:ready", "null")
	other.TabID = 2
	if _, err := r.site.Event(other); err != nil {
		t.Fatal(err)
	}
	var list struct{ Events []site.PageEvent }
	look := func() int {
		list.Events = nil
		text, err := r.handle(t, `{"mode":"list"}`)
		if err != nil || json.Unmarshal([]byte(text), &list) != nil {
			t.Fatalf("%s %v", text, err)
		}
		return len(list.Events)
	}
	if look() != 10 || string(list.Events[0].Payload) != `{"count":50}` || string(list.Events[9].Payload) != `{"count":59}` {
		t.Errorf("listed %+v", list.Events)
	}
	r.site.Forget(1)
	if look() != 0 {
		t.Errorf("after the release %+v", list.Events)
	}
}

func TestObserve(t *testing.T) {
	// Ensure that a document is asked once for the events of all its maps, a new one again, one that could not be asked again, and a page without signals never.
	r := selling(t)
	var asked []string
	var refusal error
	r.site.CallAsHost = func(_ context.Context, tabID int, name string, args json.RawMessage) (json.RawMessage, error) {
		asked = append(asked, fmt.Sprint(tabID, " ", name, " ", string(args)))
		return nil, refusal
	}
	runtime := "first"
	r.site.Runtime = func(int) string { return runtime }
	refusal = fault.New(fault.RuntimeNotReady, "not yet")
	for range 2 {
		if _, err := r.handle(t, `{"mode":"list"}`); err != nil {
			t.Errorf("a list failed with the observation: %v", err)
		}
		refusal = nil
	}
	if _, err := r.call(t, "go", `{}`); err != nil {
		t.Error(err)
	}
	if err := r.site.Observe(t.Context(), 1, runtime, "https://other.example.com/"); err != nil {
		t.Error(err)
	}
	if len(asked) != 2 || asked[1] != `1 signal.observe {"events":["tea:ready","tea:sold"]}` {
		t.Errorf("asked %q", asked)
	}
	runtime = "second"
	if err := r.site.Observe(t.Context(), 1, runtime, page); err != nil || len(asked) != 3 {
		t.Errorf("of the new document %q %v", asked, err)
	}
}
