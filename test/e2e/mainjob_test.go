package e2e

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"image"
	_ "image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/repo"
	"github.com/actionsjson/actions-host/test/sites"
)

// teahouse opens the sample shop in a browser that knows its map.
func teahouse(t *testing.T) (*harness.Home, *harness.Launched, *sites.Recorder) {
	t.Helper()
	home := harness.NewHome(t)
	rec := sites.NewRecorder(nil)
	url := serve(t, sites.Teahouse(rec))
	l := home.Launch(t, "--storage", filepath.Join(repo.Root(), "test/sites/storage"), url)
	return home, l, rec
}

func TestMainJob(t *testing.T) {
	// Ensure that a claimed tab's actions are listed, called, seen by the page's server, and in the log.
	t.Parallel()
	home, l, rec := teahouse(t)
	if len(l.Tabs) != 1 || !l.Tabs[0].Claimed || l.Tabs[0].RuntimeID == "" || len(l.ProfileID) != 32 {
		t.Fatalf("launch said %+v", l)
	}

	var list struct {
		Actions []struct {
			Name       string `json:"name"`
			ReviewedBy string `json:"reviewed_by"`
		} `json:"actions"`
		StateProjections []struct {
			Name string `json:"name"`
		} `json:"state_projections"`
		Guidance []any `json:"guidance"`
	}
	harness.Must(t, home.Call(t, "actions.site", `{"mode":"list"}`), &list)
	if len(list.Actions) != 12 || list.Actions[0].Name != "teahouse.summary" || list.Actions[0].ReviewedBy == "" || len(list.Guidance) != 1 {
		t.Fatalf("list %+v", list)
	}
	if len(list.StateProjections) != 1 || list.StateProjections[0].Name != "teahouse.teas" {
		t.Fatalf("projections %+v", list.StateProjections)
	}

	var guide struct{ Delivery string }
	harness.Must(t, home.SiteCall(t, "teahouse.guide", `{}`), &guide)
	if guide.Delivery != "the same day" {
		t.Fatalf("static output %+v", guide)
	}
	var teas struct {
		Items []struct{ Tea string } `json:"items"`
	}
	harness.Must(t, home.SiteCall(t, "teahouse.teas.list", `{}`), &teas)
	if len(teas.Items) < 4 || teas.Items[0].Tea != "Da Hong Pao" {
		t.Fatalf("handler output %+v", teas)
	}

	var found struct {
		Teas  []string
		Count int
	}
	search := home.SiteCall(t, "teahouse.search", `{"query":"oolong"}`)
	harness.Must(t, search, &found)
	if found.Count != 2 || len(found.Teas) != 2 || found.Teas[1] != "Tie Guan Yin" {
		t.Fatalf("search gave %+v", found)
	}
	if search.Meta.Tab == nil || search.Meta.Steps == nil || !strings.HasSuffix(search.Meta.Map, "teahouse/actions.json") {
		t.Fatalf("meta %+v", search.Meta)
	}
	if ok, _ := search.Meta.Postcondition.(map[string]any)["ok"].(bool); !ok {
		t.Fatalf("the postcondition of the search: %+v", search.Meta.Postcondition)
	}
	var state struct {
		Summary struct {
			Count int
			Names []string
		}
	}
	harness.Must(t, home.Call(t, "actions.site", `{"mode":"state_summary","projection":"teahouse.teas"}`), &state)
	if state.Summary.Count != 2 || len(state.Summary.Names) != 2 || state.Summary.Names[0] != "Da Hong Pao" {
		t.Fatalf("summary %+v", state)
	}
	var receipt struct{ Receipt string }
	harness.Must(t, home.SiteCall(t, "teahouse.order", `{"tea":"Tie Guan Yin","name":"Ada","note":"thanks"}`), &receipt)
	if receipt.Receipt != "Order T-001: Tie Guan Yin for Ada" {
		t.Fatalf("receipt %+v", receipt)
	}
	if got := received(rec, "GET", "/search"); len(got) != 1 || got[0] != "/search?q=oolong" {
		t.Fatalf("the server received the searches %v", got)
	}
	want := `{"tea":"Tie Guan Yin","name":"Ada","note":"thanks"}`
	if all := rec.All(); all[len(all)-1].Body != want {
		t.Fatalf("the server received the order %s", all[len(all)-1].Body)
	}

	var shot shot
	harness.Must(t, home.Call(t, "browser.screenshot", `{"format":"png"}`), &shot)
	png, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(shot.picture, "data:image/png;base64,"))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := image.Decode(bytes.NewReader(png)); err != nil {
		t.Fatalf("the screenshot is no picture: %v", err)
	}

	checkLog(t, home)
}

// checkLog looks for the order in the log, while the host runs.
func checkLog(t *testing.T, home *harness.Home) {
	t.Helper()
	text := home.Run(t, "log", "dump")
	if text.Exit != 0 || !strings.Contains(text.Stdout, "pointer.click") {
		t.Fatalf("log dump: exit %d %s %s", text.Exit, text.Stdout, text.Stderr)
	}
	dump := home.Run(t, "log", "dump", "--json")
	intents, outcomes := map[string]journal.Record{}, map[string]bool{}
	last := uint64(0)
	for line := range strings.Lines(dump.Stdout) {
		var r journal.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if r.Seq != last+1 {
			t.Fatalf("sequence %d after %d", r.Seq, last)
		}
		last = r.Seq
		switch r.Type {
		case journal.TypeIntent:
			intents[r.CallID] = r
		case journal.TypeOutcome:
			outcomes[r.CallID] = true
		}
		if strings.Contains(line, "base64,") {
			t.Fatalf("the log holds a picture: %.200s", line)
		}
	}
	clicks := 0
	for id, r := range intents {
		if !outcomes[id] {
			t.Errorf("%s has no outcome", r.Name)
		}
		if r.Name == "pointer.click" {
			clicks++
			if r.ParentID == "" || r.SessionID != "cli" {
				t.Errorf("click %+v", r)
			}
		}
		if r.Name == "text.insert" && strings.Contains(string(r.Data), "Ada") {
			t.Errorf("the intent holds the typed text: %s", r.Data)
		}
	}
	if clicks != 3 {
		t.Errorf("%d clicks in the log", clicks)
	}
}

// smallExample cuts the example out of the founding document.
func smallExample(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repo.Root(), "..", "shared", "seeds", "actions-json-format.txt"))
	if err != nil {
		t.Skip("the founding document is not beside the repository:", err)
	}
	_, rest, _ := strings.Cut(string(text), "A Small Action Example")
	example := regexp.MustCompile(`(?s)\{.*?\n\}\n`).FindString(rest)
	if !json.Valid([]byte(example)) {
		t.Fatalf("no example found: %s", example)
	}
	return example
}

func TestSmallActionExample(t *testing.T) {
	// Ensure that the format's own example runs as it is written: a click focuses, typing replaces, Enter submits.
	t.Parallel()
	example := smallExample(t)
	rec := sites.NewRecorder(nil)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := rec.Add(r); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/search" {
			_, _ = w.Write([]byte(`<title>Results</title><p>found</p>`))
			return
		}
		_, _ = w.Write([]byte(`<title>Search</title><body style="margin:300px 40px"><form role="search" aria-label="Site search" action="/search">
			<input name="q" value="an old draft"></form>`))
	}))
	t.Cleanup(server.Close)
	spki := sha256.Sum256(server.Certificate().RawSubjectPublicKeyInfo)

	home := harness.NewHome(t)
	home.Map(t, "public", "example.com", "search", example)
	home.OpenWith(t, nil, []string{
		"--host-resolver-rules=MAP example.com " + server.Listener.Addr().String(),
		"--ignore-certificate-errors-spki-list=" + base64.StdEncoding.EncodeToString(spki[:]),
	}, "https://example.com/")
	e := home.SiteCall(t, "search.submit", `{"query":"oolong & jasmine"}`)
	harness.Must(t, e, nil)
	if string(e.Output) != `{"ok":true,"query":"oolong & jasmine"}` {
		t.Fatalf("output %s", e.Output)
	}
	harness.Until(t, "the server receives the query", func() bool {
		return len(received(rec, "GET", "/search")) > 0
	})
	if got := received(rec, "GET", "/search"); got[0] != "/search?q=oolong+%26+jasmine" {
		t.Fatalf("the server received %v", got)
	}
}
