package profile

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/site"
)

func TestUnfit(t *testing.T) {
	// Ensure that events which do not fit make one record a minute, which tells how many there were.
	var u rejectedEvents
	now := time.Now()
	for i, want := range []int{1, 0, 0} {
		if n := u.add(now.Add(time.Duration(i) * time.Second)); n != want {
			t.Errorf("event %d: %d", i, n)
		}
	}
	if n := u.add(now.Add(rejectedEventsInterval)); n != 3 {
		t.Errorf("a minute later: %d", n)
	}
}

func TestEventsAreLimited(t *testing.T) {
	// Ensure that a page cannot push the log out by events that its map lets in: what a tab's events add in a minute is bounded, the next record counts those left out, and another tab has its own limit.
	const count = 500
	p := openProfile(t)
	folder := filepath.Join(paths.Storage(), "scopes", "private", "sites", "a.test")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{"protocol":"actions.json","version":1,"signals":[{"name":"s","event":"e","ingestion":"enabled","payload":{"type":"string"}}],"tools":[]}`
	if err := os.WriteFile(filepath.Join(folder, "actions.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(strings.Repeat("full ", 16<<10/5))
	if err != nil {
		t.Fatal(err)
	}
	for _, tabID := range []int{1, 2} {
		if _, err := p.Claim(t.Context(), protocol.Tab{TabID: tabID, URL: "https://a.test/"}); err != nil {
			t.Fatal(err)
		}
	}
	send := func(tabID int) {
		p.DOMEvent(protocol.DomEvent{TabID: tabID, EventID: "id", Name: "e", Payload: payload, URL: "https://a.test/"})
	}
	for range count - 1 {
		send(1)
	}
	send(2)
	p.eventLimits.tabs[1].since = time.Now().Add(-eventsInterval)
	send(1)
	if err := p.journal.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	page, err := p.journal.Scan(t.Context(), journal.Filter{Types: []string{journal.TypeDOMEvent}}, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	events, size := 0, 0
	for _, r := range page.Records {
		var e site.PageEvent
		if err := json.Unmarshal(r.Data, &e); err != nil {
			t.Fatal(err)
		}
		events, size = events+1+e.Dropped, size+len(r.Data)
	}
	if page.Next != 0 || events != count+1 || size > 2*maxLoggedEventBytes {
		t.Errorf("%d records of %d bytes count %d events, want %d", len(page.Records), size, events, count+1)
	}
	if err := p.tabs.Release(1); err != nil || p.eventLimits.tabs[1] != nil {
		t.Errorf("after the release: %v, %v", err, p.eventLimits.tabs[1])
	}
}
