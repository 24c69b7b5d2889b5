package scripts

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestExpression(t *testing.T) {
	// Ensure that the libraries stand before the function, that code which ends in a comment hides nothing, that the page's main world gets nothing it could take, that it knows when its time is over, and that the script has the name by which it is ended.
	s := &pageScript{until: time.UnixMilli(12345), source: "() => tea() // last", args: json.RawMessage(`["a\u2028b"]`), libraries: []Library{{"tea", "const tea = () => 1 // one"}}}
	code := s.expression()
	library, function := strings.Index(code, "const tea = () => 1 // one\n;"), strings.Index(code, "return (() => tea() // last\n);")
	if library < 0 || function < library || !strings.Contains(code, `, ["a\u2028b"])`) || !strings.HasSuffix(code, "\n//# sourceURL="+callScript) {
		t.Error(code[max(0, len(code)-600):])
	}
	s.world, s.libraries = worldMain, nil
	if main := s.expression(); strings.Contains(main, "async ({ console, ") || !strings.Contains(main, `"main":true`) || !strings.Contains(main, `"until":12345`) || !strings.Contains(main, `"capability":""`) {
		t.Error(main[max(0, len(main)-600):])
	}
}

func TestLeaveWatch(t *testing.T) {
	// Ensure that only navigations of the tab's own page count that code began, also one that replaced the frame, and none of the host's own or before any code ran.
	requested := func(frame, disposition string) []string {
		return []string{"Page.frameRequestedNavigation", `{"frameId":"` + frame + `","url":"https://a.test/","disposition":"` + disposition + `"}`}
	}
	navigated := func(id, parent string) []string {
		return []string{"Page.frameNavigated", `{"frame":{"id":"` + id + `","parentId":"` + parent + `","url":"https://b.test/"}}`}
	}
	for name, c := range map[string]struct {
		events       [][]string
		rests, early bool
		want         string
	}{
		"requested":      {events: [][]string{requested("m", "currentTab")}, want: "https://a.test/"},
		"navigated":      {events: [][]string{navigated("m", "")}, want: "https://b.test/"},
		"a new frame":    {events: [][]string{navigated("n", ""), requested("m", "currentTab")}, want: "https://b.test/"},
		"a child":        {events: [][]string{requested("c", "currentTab"), navigated("c", "m")}},
		"a new tab":      {events: [][]string{requested("m", "newTab")}},
		"a download":     {events: [][]string{requested("m", "download")}},
		"the host's own": {events: [][]string{navigated("m", "")}, rests: true},
		"before":         {events: [][]string{navigated("m", "")}, early: true},
		"broken":         {events: [][]string{{"Page.frameNavigated", `{"frame":1}`}, {"Page.loadEventFired", `{}`}}},
	} {
		w := &leaveWatch{}
		if !c.early {
			w.begin("m")
		}
		if c.rests {
			w.rest()
		}
		for _, e := range c.events {
			w.onEvent(e[0], json.RawMessage(e[1]))
		}
		if w.url != c.want {
			t.Errorf("%s: it went to %q", name, w.url)
		}
	}
}

func TestHold(t *testing.T) {
	// Ensure that modifier keys are held once each until they are released, and that other keys are none.
	s := &replState{}
	for _, k := range []struct {
		key  string
		down bool
	}{{"Shift", true}, {"Alt", true}, {"Shift", true}, {"Alt", false}, {"Meta", false}} {
		if !s.hold(k.key, k.down) {
			t.Errorf("%s is no modifier", k.key)
		}
	}
	if s.hold("a", true) || !slices.Equal(s.modifiers, []string{"Shift"}) {
		t.Errorf("held: %v", s.modifiers)
	}
}

func TestFailure(t *testing.T) {
	// Ensure that a run fails with the error of the step that the code did not catch, else with what it threw, and that both say what was put out before.
	denied := fault.New(fault.NeedsApproval, "ask").With("id", "q")
	s := &replState{left: &leaveWatch{}, faults: map[int]*fault.Error{2: denied}}
	if err := s.failure(t.Context(), protocol.ReplResult{Output: "a"}); err != nil {
		t.Error(err)
	}
	f := fault.From(s.failure(t.Context(), protocol.ReplResult{Output: "a", Error: protocol.ReplError{Message: "ask", Step: 2}}))
	if f.Code != fault.NeedsApproval || f.Evidence["id"] != "q" || f.Evidence["output"] != "a" {
		t.Errorf("%+v", f)
	}
	for _, thrown := range []protocol.ReplError{{Message: "x"}, {Message: "forged", Step: 9}} {
		f = fault.From(s.failure(t.Context(), protocol.ReplResult{Output: strings.Repeat("o", 5000), Error: thrown}))
		output, _ := f.Evidence["output"].(string)
		if f.Code != fault.JavascriptFailed || f.Evidence["trust"] != "untrusted" || len(output) > maxReplErrorOutput+10 {
			t.Errorf("%+v", f)
		}
	}
	s.left.url = "https://a.test/"
	if f = fault.From(s.failure(t.Context(), protocol.ReplResult{})); f.Code != fault.CodeNavigationRefused {
		t.Errorf("%+v", f)
	}
	s.native = true // a click may lead to another page
	if err := s.failure(t.Context(), protocol.ReplResult{}); err != nil {
		t.Error(err)
	}
}
