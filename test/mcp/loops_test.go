package mcp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestLoops(t *testing.T) {
	// Ensure that a client which repeats a call that fails, or gives the same again and again, is told so beside the answer and refused then, in the session and nowhere else; that a page which was left meanwhile is told; and that scripts can switch the guard off, which the log says.
	t.Parallel()
	s := openShop(t, "")
	c, script := s.client(t, nil), s.client(t, nil, "--no-loop-guard")
	press := `{"locator":{"selector":"#no-such"},"timeout_ms":1,` + report("locator.click") + `}`
	for i, want := range []fault.Code{fault.TargetNotFound, fault.TargetNotFound, fault.LoopStopped} {
		a := call(t, c, "locator_click", press)
		wantCode(t, a, want)
		if told := strings.Contains(fmt.Sprint(a.Nudge), "failing_target"); told != (i == 1) {
			t.Errorf("call %d: %v", i+1, a.Nudge)
		}
		wantCode(t, call(t, script, "locator_click", press), fault.TargetNotFound)
	}
	look := `{"mode":"list"}`
	for i := range 4 { // the first has a note that the others have not
		a := call(t, c, "actions_site", look)
		must(t, a, nil)
		if told := strings.Contains(fmt.Sprint(a.Nudge), "repeated"); told != (i == 3) {
			t.Errorf("list %d: %v", i+1, a.Nudge)
		}
	}
	wantCode(t, call(t, c, "locator_click", press), fault.TargetNotFound)
	must(t, call(t, script, "primitives_call", `{"name":"browser.navigate","arguments":{"url":"`+s.url+`/search?q=oolong",`+report("browser.navigate")+`}}`), nil)
	a := call(t, c, "actions_site", look)
	must(t, a, nil)
	if moved, _ := a.Meta["navigated"].(map[string]any); moved["from"] != s.url+"/" || moved["to"] != s.url+"/search?q=oolong" {
		t.Errorf("the other client's navigation is told as %v", a.Meta)
	}
	if log := s.Run(t, "log", "dump"); strings.Count(log.Stdout, "loop_guard_off") != 1 {
		t.Errorf("the log tells of the guard %d times", strings.Count(log.Stdout, "loop_guard_off"))
	}
}
