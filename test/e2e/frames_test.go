package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/harness"
)

// answer answers the approval that the fault names, for always.
func answer(t *testing.T, home *harness.Home, f *fault.Error, allow bool) {
	t.Helper()
	clients, err := control.Await(t.Context(), home.Sockets())
	if err != nil || len(clients) != 1 {
		t.Fatalf("%d hosts, %v", len(clients), err)
	}
	defer clients[0].Close()
	id, _ := f.Evidence["id"].(string)
	if err := clients[0].Call(t.Context(), control.MethodAnswer, home.Answer(t, id, allow, policy.ScopeAlways), &control.Empty{}); err != nil {
		t.Fatal(err)
	}
}

func TestFramesAfterTheWorkerDied(t *testing.T) {
	// Ensure that refs, frame paths and the questions to the documents above work when the worker that knew the frames is gone, also beside a frame that never answers (A10).
	t.Parallel()
	home := harness.NewHome(t)
	silent, _ := held(t)
	inner, rec := pages(t, map[string]string{
		"/in":    `<button onclick="fetch('/click')">one</button><button>two</button>`,
		"/hung":  `<p>hung</p><script>setTimeout(() => { ` + waitsFor(silent) + ` }, 500)</script>`,
		"/click": "ok",
	})
	port := inner[strings.LastIndex(inner, ":"):]
	middle, _ := pages(t, map[string]string{"/": `<iframe id=in src="http://in.localhost` + port + `/in"></iframe>`})
	middle = foreign(t, middle)
	outer, _ := pages(t, map[string]string{"/": `<title>t</title><iframe id=hung src="http://hung.localhost` + port + `/hung"></iframe><iframe id=f src="` + middle + `/" style="width:500px;height:300px"></iframe>`})
	b := home.Open(t, outer)

	path := `"frame":["#f",{"host":"in.localhost"}]`
	harness.Must(t, home.Call(t, "locator.wait_for", `{"locator":{"selector":"button",`+path+`},"timeout_ms":5000}`), nil)
	ambiguous := wantCode(t, home.Call(t, "locator.text_content", `{"locator":{"selector":"button","strict":true,`+path+`}}`), fault.MultipleTargets)
	endWorker(t, home, b)
	ref := firstRef(t, ambiguous)
	harness.Must(t, home.Call(t, "locator.element_info", `{"locator":{"ref":"`+ref+`"}}`, "--wait", "10s"), nil)
	endWorker(t, home, b)
	harness.Must(t, home.Call(t, "locator.click", `{"locator":{"text_equals":"one",`+path+`}}`, "--wait", "10s"), nil)
	harness.Until(t, "the click arrives", func() bool { return len(received(rec, "GET", "/click")) == 1 })
	endWorker(t, home, b)
	harness.Must(t, home.Call(t, "locator.click", `{"locator":{"ref":"`+ref+`"}}`, "--wait", "10s"), nil)
	harness.Until(t, "the second click arrives", func() bool { return len(received(rec, "GET", "/click")) == 2 })
}

// firstRef returns the ref of the first candidate that the fault names.
func firstRef(t *testing.T, f *fault.Error) string {
	t.Helper()
	var evidence struct{ Candidates []struct{ Ref string } }
	text, err := json.Marshal(f.Evidence)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &evidence); err != nil || len(evidence.Candidates) == 0 {
		t.Fatalf("candidates %s %v", text, err)
	}
	return evidence.Candidates[0].Ref
}

func TestPolicyOfAFrame(t *testing.T) {
	// Ensure that a frame of another origin is decided for by its own origin, however the call comes into it, and that a deny there holds while the page around it is allowed (E3).
	t.Parallel()
	home := harness.Shared(t, harness.Profile{Settings: `{"ask_effects":["input"]}`})
	inner, rec := pages(t, map[string]string{
		"/in":    `<style>body{margin:0}</style><button id=b onclick="fetch('/click')" style="width:100px;height:40px">b</button><input id=i><button>two</button>`,
		"/click": "ok",
	})
	inner = foreign(t, inner)
	outer, _ := pages(t, map[string]string{"/": `<title>t</title><style>body{margin:0}</style><iframe id=f src="` + inner + `/in" style="border:0;display:block"></iframe><button id=top style="width:90px;height:40px">top</button>`})
	home.Open(t, outer)

	harness.Must(t, home.Call(t, "locator.wait_for", `{"locator":{"selector":"#b","frame":"#f"},"timeout_ms":5000}`), nil)
	answer(t, home, wantCode(t, home.Call(t, "pointer.click", `{"x":50,"y":20}`), fault.NeedsApproval), true)
	asked := wantCode(t, home.Call(t, "pointer.click", `{"x":50,"y":20}`), fault.NeedsApproval)
	if text, _ := json.Marshal(asked); !strings.Contains(string(text), inner) {
		t.Fatalf("the question does not name the frame's origin %s: %s", inner, text)
	}
	answer(t, home, asked, false)
	ambiguous := wantCode(t, home.Call(t, "locator.text_content", `{"locator":{"selector":"button","frame":"#f","strict":true}}`), fault.MultipleTargets)
	for _, call := range [][2]string{
		{"pointer.click", `{"x":50,"y":20}`},
		{"text.insert", `{"target":{"selector":"#i","frame":"#f"},"text":"x"}`},
		{"text.insert", `{"target":{"selector":"#i","frame":{"host":"127.0.0.1"}},"text":"x"}`},
		{"locator.click", `{"locator":{"selector":"#b","frame":"#f"}}`},
		{"locator.click", `{"locator":{"ref":"` + firstRef(t, ambiguous) + `"}}`},
	} {
		wantCode(t, home.Call(t, call[0], call[1]), fault.PermissionDenied)
	}
	if n := len(received(rec, "GET", "/click")); n != 0 {
		t.Fatalf("%d clicks arrived in the frame", n)
	}
	harness.Must(t, home.Call(t, "locator.click", `{"locator":{"selector":"#top"}}`), nil)
}
