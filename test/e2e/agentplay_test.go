package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/repo"
)

const optionsURL = manifest.ExtensionURL + "options.html"

type object = map[string]any

// playedAgent is a hosted agent whose view the test writes.
type playedAgent struct {
	t      *testing.T
	played *harness.Played

	mu       sync.Mutex
	view     object
	requests []string // with their parameters, but for view
	refusal  error    // of the next request
}

// playAgent opens the pages in a shared browser whose host shows an agent.
func playAgent(t *testing.T, urls ...string) *playedAgent {
	t.Helper()
	return playedBy(t, harness.Play(t, urls...))
}

// playedBy has the host show an agent.
func playedBy(t *testing.T, played *harness.Played) *playedAgent {
	t.Helper()
	a := &playedAgent{t: t, played: played, view: object{"state": state("disconnected", nil), "rows": []object{}, "approvals": []object{}, "settings": agentSettings()}}
	played.ServeAgent(a.answer)
	return a
}

func agentSettings() object {
	return object{
		"model": "gpt-realtime-2.1", "voice": "cedar", "mode": "act", "memory": true, "spending_limit_usd": 5, "pictures": "state_change",
		"turns": object{"mode": "server_vad", "threshold": 0.5, "prefix_padding_ms": 300, "silence_duration_ms": 800},
		"base":  "https://api.openai.com/v1", "key": object{"source": "keychain", "masked": "sk…4242"},
		"voices": []string{"alloy", "ash", "ballad", "coral", "echo", "sage", "shimmer", "verse", "marin", "cedar"},
	}
}

func (a *playedAgent) answer(method string, params json.RawMessage) (json.RawMessage, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !strings.HasSuffix(method, "view") {
		a.requests = append(a.requests, method+" "+string(params))
		if err := a.refusal; err != nil {
			a.refusal = nil
			return nil, err
		}
	}
	return json.Marshal(a.view)
}

// shows changes a part of the view and tells the pages; a row takes its place
// among the rows.
func (a *playedAgent) shows(part string, value any) {
	a.t.Helper()
	a.mu.Lock()
	if part == "row" {
		a.view["rows"] = append(a.view["rows"].([]object), value.(object))
	} else {
		a.view[part] = value
	}
	a.mu.Unlock()
	change, err := json.Marshal(object{part: value})
	if err == nil {
		err = a.played.Connection().AgentChanged(a.t.Context(), change)
	}
	if err != nil {
		a.t.Fatal(err)
	}
}

// refuse makes the next request fail.
func (a *playedAgent) refuse(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.refusal = err
}

// heard waits until the pages have asked for exactly these, and forgets them.
func (a *playedAgent) heard(want ...string) {
	a.t.Helper()
	all := ""
	defer func() {
		if a.t.Failed() {
			a.t.Logf("the pages asked for\n%s", all)
		}
	}()
	harness.Until(a.t, "the pages ask for "+strings.Join(want, ", "), func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		all = strings.Join(a.requests, "\n")
		return all == strings.Join(want, "\n")
	})
	a.forget()
}

// forget leaves out what the pages have asked for so far.
func (a *playedAgent) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests = nil
}

// asked is how many requests of the pages nobody has looked at yet.
func (a *playedAgent) asked() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.requests)
}

// pane opens the pane in the first tab.
func (a *playedAgent) pane() document {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), 15*time.Second)
	defer cancel()
	_, err := a.played.Connection().Page(ctx, protocol.ActionCall{
		CallID: "pane", Name: "overlay.menu.show", Arguments: json.RawMessage(`{}`), TabID: a.played.Launched.Tabs[0].TabID,
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return inFrame(a.t, a.played.Launched, paneURL)
}

// page opens a page of the extension in front of the others.
func (a *playedAgent) page(url string) document {
	a.t.Helper()
	return openPage(a.t, a.played.Launched, url, false)
}

// violations runs axe in the document.
func (d document) violations() []string {
	d.t.Helper()
	if !eval[bool](d, `!!window.axe`) {
		source, err := os.ReadFile(filepath.Join(repo.Root(), "extension", "node_modules", "axe-core", "axe.min.js"))
		if err != nil {
			d.t.Fatal(err)
		}
		eval[bool](d, "((()=>{"+string(source)+"\n})(), true)")
	}
	return eval[[]string](d, `axe.run(document, {resultTypes: ["violations"]}).then(({violations}) =>
		violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.html.slice(0, 120) + " " + n.failureSummary.slice(0, 200))))`)
}

func state(status string, more object) object {
	s := object{"status": status, "cost": object{"session_usd": 0, "last_usd": 0, "responses": 0, "cache": ""}}
	for name, value := range more {
		s[name] = value
	}
	return s
}

func row(id any, role, text string) object {
	return object{"id": fmt.Sprint(id), "role": role, "text": text, "done": true}
}

// changes changes a part of the view without telling the pages.
func (a *playedAgent) changes(part string, value any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.view[part] = value
}
