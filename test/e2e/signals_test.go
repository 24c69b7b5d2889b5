package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/site"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/repo"
)

const signalMap = `{"protocol":"actions.json","version":1,"tools":[],"signals":[
	{"name":"contact.submitted","direction":"html_to_agent","event":"contact:submitted","ingestion":"enabled",
	"payload":{"type":"object","properties":{"name":{"type":"string"},"result":{"type":"string"}},"required":["name","result"],"additionalProperties":false}},
	{"name":"contact.opened","event":"contact:opened"}]}`

// signalPage logs what its buttons are named after, when they are pressed.
const signalPage = `<title>Contact</title>
<style>button {position: fixed; left: 0; width: 100px; height: 30px}</style>
<script>
	const say = (detail, type = "contact:submitted", on = document.body) => on.dispatchEvent(new CustomEvent(type, {detail, bubbles: true}));
	const good = {name: "Ada", result: "Submitted"};
	document.addEventListener("contact:submitted", (e) => e.stopImmediatePropagation(), true);
</script>
<button style="top:0px" onclick="say(good)">good</button>
<button style="top:40px" onclick="say({name: 1, result: 'marmalade'})">bad</button>
<button style="top:80px" onclick="say(good, 'contact:opened')">disabled</button>
<button style="top:120px" onclick="say({name: 'x'.repeat(20000), result: ''})">huge</button>
<button style="top:160px" onclick="say({name: 'x'.repeat(2000), result: ''})">long</button>
<button style="top:200px" onclick="for (let i = 0; i < 200; i++) say({name: 'flood' + i, result: ''})">flood</button>`

func events(t *testing.T, home *harness.Home) []site.PageEvent {
	t.Helper()
	var list struct{ Events []site.PageEvent }
	harness.Must(t, home.Call(t, dispatch.SiteTool, `{"mode":"list"}`), &list)
	return list.Events
}

func press(t *testing.T, home *harness.Home, id string) {
	t.Helper()
	y := 15 + 40*slices.Index([]string{"good", "bad", "disabled", "huge", "long", "flood"}, id)
	harness.Must(t, home.Call(t, "pointer.click", fmt.Sprintf(`{"x":50,"y":%d}`, y)), nil)
}

// logged returns the records of a type whose data has the words.
func logged(t *testing.T, home *harness.Home, kind, words string) []journal.Record {
	t.Helper()
	var found []journal.Record
	for _, r := range records(t, home) {
		if r.Type == kind && strings.Contains(r.Name+string(r.Data), words) {
			found = append(found, r)
		}
	}
	return found
}

func TestSignals(t *testing.T) {
	// Ensure that an event of the page that the map declares reaches a list and the log as data, that others do not, also in the next document, that a listener of the page's own code does not keep one back, and that a page cannot send too many.
	t.Parallel()
	texts := map[string]string{"own": signalMap}
	shared, err := os.ReadFile(filepath.Join(repo.Root(), "..", "shared", "maps", "simple-form", "actions.json"))
	if err != nil {
		t.Log("the shared maps are not here: their part is left out")
	} else {
		texts["simple-form"] = string(shared)
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			// Its own host: one notes what it refuses of all pages once a minute.
			home := harness.NewHome(t)
			home.Map(t, "private", harness.Site(t), "", text)
			url, _ := pages(t, map[string]string{"/": signalPage, "/next": signalPage})
			home.Open(t, url+"/")
			if got := events(t, home); len(got) != 0 {
				t.Fatalf("before anything happened: %+v", got)
			}
			for _, id := range []string{"bad", "disabled", "huge", "good"} {
				press(t, home, id)
			}
			harness.Until(t, "the event is listed", func() bool { return len(events(t, home)) > 0 })
			got := events(t, home)
			if len(got) != 1 || got[0].Signal != "contact.submitted" || got[0].Event != "contact:submitted" || got[0].Trust != "untrusted" ||
				string(got[0].Payload) != `{"name":"Ada","result":"Submitted"}` || got[0].URL != url+"/" || got[0].Dropped != 1 ||
				!strings.HasSuffix(got[0].Map, harness.Site(t)+"/actions.json") {
				t.Errorf("listed %+v", got)
			}
			if n := len(logged(t, home, journal.TypeDOMEvent, `"Ada"`)); n != 1 {
				t.Errorf("%d records of the event", n)
			}
			if unfit := logged(t, home, journal.TypePolicy, "contact:submitted"); len(unfit) != 1 || strings.Contains(string(unfit[0].Data), "marmalade") {
				t.Errorf("of the bad one the log says %+v", unfit)
			}

			harness.Must(t, home.Call(t, "browser.navigate", `{"url":"`+url+`/next"}`), nil)
			harness.Until(t, "the next document is observed", func() bool {
				return slices.ContainsFunc(logged(t, home, journal.TypeOutcome, "signal.observe"), func(r journal.Record) bool {
					return strings.Contains(string(r.Data), `"ok":true`) && strings.Contains(string(r.Data), "/next")
				})
			})
			press(t, home, "long")
			harness.Until(t, "its event is listed", func() bool { return len(events(t, home)) == 2 })
			if got := events(t, home)[1]; got.URL != url+"/next" || got.Payload != nil || got.PayloadBytes < 2000 {
				t.Errorf("listed %+v", got)
			}

			press(t, home, "flood")
			harness.Until(t, "all 200 events came or are counted by a later one as dropped", func() bool {
				press(t, home, "good")
				came := len(logged(t, home, journal.TypeDOMEvent, `"flood`))
				dropped := -1 // the huge one of before
				for _, r := range logged(t, home, journal.TypeDOMEvent, "") {
					var e site.PageEvent
					if err := json.Unmarshal(r.Data, &e); err != nil {
						t.Fatal(err)
					}
					dropped += e.Dropped
				}
				return came+dropped >= 200
			})
			// A second may end among them, and another one begin.
			if n := len(logged(t, home, journal.TypeDOMEvent, `"flood`)); n == 0 || n > 40 {
				t.Errorf("of 200 events %d came", n)
			}
			if n := len(events(t, home)); n != 10 {
				t.Errorf("%d events are listed", n)
			}
		})
	}
}

func TestSignalsOfAnUnclaimedTab(t *testing.T) {
	// Ensure that the events of a tab that is no longer claimed do not reach the host, while those of another one do.
	t.Parallel()
	const ticking = `<title>tick</title><script>setInterval(() => dispatchEvent(new CustomEvent("tick", {detail: 1})), 100)</script>`
	url, _ := pages(t, map[string]string{"/a": ticking, "/b": ticking})
	p := harness.Play(t, url+"/a", url+"/b")
	ctx, cancel := context.WithTimeout(t.Context(), 2*harness.Patience)
	defer cancel()
	first, second := p.Launched.Tabs[0].TabID, p.Launched.Tabs[1].TabID
	for _, id := range []int{first, second} {
		if _, err := p.Host.Page(ctx, protocol.ActionCall{CallID: "c", Name: "signal.observe", TabID: id, Arguments: json.RawMessage(`{"events":["tick","keydown"]}`)}); err != nil {
			t.Fatal(err)
		}
	}
	count := map[int]int{}
	harness.Until(t, "events of both tabs", func() bool {
		for _, e := range p.TakeEvents() {
			count[e.TabID]++
			if e.Name != "tick" || string(e.Payload) != "1" || e.RuntimeID == "" || e.EventID == "" {
				t.Errorf("event %+v", e)
			}
		}
		return count[first] > 0 && count[second] > 0
	})
	if err := p.Host.ClaimsChanged(ctx, []int{second}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Host.Ping(ctx); err != nil { // the worker has heard of it
		t.Fatal(err)
	}
	p.TakeEvents()
	later := 0
	harness.Until(t, "later events of the other tab", func() bool {
		for _, e := range p.TakeEvents() {
			if e.TabID == first {
				t.Fatalf("an unclaimed tab's event came: %+v", e)
			}
			later++
		}
		return later >= 3
	})
}
