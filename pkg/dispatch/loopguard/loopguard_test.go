package loopguard

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// step is a call with what comes of it if it is sent.
type step struct {
	call    Call
	outcome Outcome
}

func call(name string) step { return step{call: Call{Name: name, Arguments: "{}"}} }

func (s step) at(target string) step {
	s.call.Target, s.call.Arguments = target, target
	return s
}

func (s step) failing(code string) step { s.outcome.Code = code; return s }
func (s step) giving(hash string) step  { s.outcome.OutputHash = hash; return s }

func request(method, url string) step {
	return step{call: Call{Name: "net.fetch_url", Arguments: `{"url":"` + url + `"}`, Method: method, URL: url}}
}

func clickAt(x, y float64) step {
	return step{call: Call{Name: "pointer.click", Arguments: fmt.Sprint(x, y), Point: &Point{x, y}}, outcome: Outcome{OutputHash: fmt.Sprint(rand.Uint64())}}
}

func scroll(by string, unmoved bool) step {
	return step{call: Call{Name: "page.scroll", Arguments: by, Target: "list", Scrolls: true}, outcome: Outcome{Unmoved: unmoved, OutputHash: fmt.Sprint(rand.Uint64())}}
}

func look(ref string) step {
	return step{call: Call{Name: "page.snapshot", Arguments: ref, SingleRef: true}, outcome: Outcome{OutputHash: ref}}
}

func times(n int, s func(i int) step) (all []step) {
	for i := range n {
		all = append(all, s(i))
	}
	return all
}

func same(n int, s step) []step { return times(n, func(int) step { return s }) }

// play returns the first nudge and the first stop, each as "call: rule", calls counted from 1.
func play(g *Guard, steps []step) (nudge, stop string) {
	for i, s := range steps {
		if refused := g.Check(s.call); refused != nil {
			if stop == "" {
				stop = fmt.Sprintf("%d: %s", i+1, refused.Rule)
			}
			continue
		}
		if told := g.Note(s.call, s.outcome); told != nil && nudge == "" {
			nudge = fmt.Sprintf("%d: %s", i+1, told.Code)
		}
	}
	return nudge, stop
}

func TestRules(t *testing.T) {
	// Ensure that each rule nudges and refuses at its count, and not before.
	failing := func(name string) step { return call(name).at("#a").failing("target_not_found") }
	for name, row := range map[string]struct {
		steps       []step
		nudge, stop string
	}{
		"the same call with the same outcome":   {same(12, call("page.info").giving("h")), "3: repeated", "11: repeated"},
		"a page that changes":                   {times(20, func(i int) step { return call("page.snapshot").giving(fmt.Sprint(i)) }), "", ""},
		"two calls in turns":                    {times(4, func(i int) step { return call(fmt.Sprint("c", i%2)).giving("h") }), "4: alternating", ""},
		"in turns with other outcomes":          {times(8, func(i int) step { return call(fmt.Sprint("c", i%2)).giving(fmt.Sprint(i)) }), "", ""},
		"the same failing target":               {same(3, failing("locator.click")), "2: failing_target", "3: failing_target"},
		"a failing target in other arguments":   {times(3, func(i int) step { s := failing("locator.click"); s.call.Arguments += fmt.Sprint(i); return s }), "2: failing_target", "3: failing_target"},
		"a target that fails in several ways":   {times(4, func(i int) step { return failing("locator.click").failing(fmt.Sprint("code", i)) }), "", ""},
		"a target that another primitive takes": {[]step{failing("locator.click"), failing("locator.hover"), failing("locator.fill")}, "", ""},
		"looks between failures":                {[]step{failing("locator.click"), call("page.snapshot").giving("1"), failing("locator.click"), call("page.snapshot").giving("2"), failing("locator.click")}, "3: failing_target", "5: failing_target"},
		"two good calls between failures":       {[]step{failing("locator.click"), failing("locator.click"), call("page.snapshot").giving("1"), call("locator.fill").giving("2"), failing("locator.click"), call("page.snapshot").giving("3"), call("locator.fill").giving("4"), failing("locator.click")}, "2: failing_target", ""},
		"one good call between failures":        {[]step{failing("locator.click"), failing("locator.click"), call("page.snapshot").giving("1"), failing("locator.click")}, "2: failing_target", "4: failing_target"},
		"a success between failures":            {[]step{failing("locator.click"), call("locator.click").at("#a"), failing("locator.click"), call("locator.click").at("#a"), failing("locator.click")}, "4: alternating", ""},
		"a GET that fails":                      {same(3, request("GET", "https://a.test/x?page=1").failing("fetch_failed")), "", "3: failing_url"},
		"a GET of other pages": {times(5, func(i int) step {
			return request("GET", fmt.Sprint("https://a.test/x?page=", i)).failing("fetch_failed")
		}), "", ""},
		"writes that differ": {times(20, func(i int) step {
			s := request("POST", "https://a.test/x")
			s.call.Arguments += fmt.Sprint(i)
			return s
		}), "", ""},
		"a write after GETs that failed": {append(same(2, request("GET", "https://a.test/x").failing("fetch_failed")), request("POST", "https://a.test/x")), "", ""},
		"forms of one GitHub file":       {[]step{request("GET", "https://github.com/o/r/blob/main/a/b.go").failing("f"), request("GET", "https://raw.githubusercontent.com/o/r/master/a/b.go").failing("f"), request("GET", "https://api.github.com/repos/O/R/contents/a/b.go?ref=main").failing("f")}, "", "3: failing_url"},
		"clicks at one place":            {times(9, func(i int) step { return clickAt(100+float64(i%5), 50) }), "5: same_point", "8: same_point"},
		"clicks at many places":          {times(30, func(i int) step { return clickAt(float64(i)*6, 50) }), "", ""},
		"scrolls that move nothing":      {times(4, func(i int) step { return scroll(fmt.Sprint(i), true) }), "2: not_scrolling", "3: not_scrolling"},
		"a scroll that moves between":    {times(8, func(i int) step { return scroll(fmt.Sprint(i), i%2 == 0) }), "", ""},
		"reads by single refs":           {times(7, func(i int) step { return look(fmt.Sprint("e", i)) }), "3: single_refs", "6: single_refs"},
		"another call between reads of one ref": {times(12, func(i int) step {
			return []step{look(fmt.Sprint("e", i)), call("locator.click").at(fmt.Sprint(i))}[i%2]
		}), "", ""},
		"waiting":                                {same(20, step{call: Call{Name: "page.wait_for", Exempt: true}}), "", ""},
		"a failure that nothing mends, repeated": {[]step{{Call{Name: "x", Arguments: "{}"}, Outcome{Code: "blocked", NotRecoverable: true}}, call("y"), {Call{Name: "x", Arguments: "{}"}, Outcome{}}}, "", "3: not_repairable"},
	} {
		t.Run(name, func(t *testing.T) {
			if nudge, stop := play(&Guard{}, row.steps); nudge != row.nudge || stop != row.stop {
				t.Errorf("nudge %q, stop %q; want %q, %q", nudge, stop, row.nudge, row.stop)
			}
		})
	}
}

func TestRefusalEnds(t *testing.T) {
	// Ensure that a refusal holds for its call alone and until another call succeeded, and names the last failure.
	g := &Guard{}
	failing := call("locator.click").at("#a").failing("target_not_found")
	play(g, same(2, failing))
	stop := g.Check(failing.call)
	if stop == nil || *stop != (Stop{FailingTarget, 3, "target_not_found"}) {
		t.Fatalf("%+v", stop)
	}
	if g.Check(failing.call) == nil {
		t.Error("it was refused once only")
	}
	other := call("locator.click").at("#b")
	if refused := g.Check(other.call); refused != nil {
		t.Errorf("another call: %+v", refused)
	}
	g.Note(other.call, Outcome{Code: "target_not_visible"})
	if g.Check(failing.call) == nil {
		t.Error("a failure took the refusal back")
	}
	g.Note(other.call, Outcome{})
	if refused := g.Check(failing.call); refused != nil {
		t.Errorf("after a success: %+v", refused)
	}
}

func TestArrivals(t *testing.T) {
	// Ensure that a new address begins all counts anew, and that going to and fro does not.
	failing := call("locator.click").at("#a").failing("target_not_found")
	to := func(address string) step {
		return step{Call{Name: "browser.navigate", Arguments: address}, Outcome{Arrived: address, OutputHash: address}}
	}
	steps := []step{to("/1"), failing, to("/2"), failing, to("/3"), failing}
	if nudge, stop := play(&Guard{}, steps); nudge != "" || stop != "" {
		t.Errorf("new pages: %q, %q", nudge, stop)
	}
	steps = []step{to("/1"), to("/2"), failing, to("/1"), failing, to("/2"), failing}
	if _, stop := play(&Guard{}, steps); stop != "7: failing_target" {
		t.Errorf("to and fro: %q", stop)
	}
}

func TestNudgesEnd(t *testing.T) {
	// Ensure that two good calls take the nudges back, and one does not.
	round := same(3, call("page.info").giving("h"))
	good := func(n, k int) []step {
		return times(n, func(i int) step { return call("ok").giving(fmt.Sprint(k, "-", i)) })
	}
	for n, want := range map[int]bool{1: true, 2: false} {
		g, stopped := &Guard{}, false
		for k := range 30 {
			_, stop := play(g, append(append([]step{}, round...), good(n, k)...))
			stopped = stopped || stop != ""
		}
		if stopped != want {
			t.Errorf("with %d good calls between: stopped %v", n, stopped)
		}
	}
}

func TestBounded(t *testing.T) {
	// Ensure that a guard remembers no more than its bounds, whatever is called.
	g := &Guard{}
	for i := range 5000 {
		s := call(fmt.Sprint("c", i)).at(fmt.Sprint(i)).failing(fmt.Sprint(i % 7))
		s.outcome.NotRecoverable = i%3 == 0
		play(g, []step{s, clickAt(float64(i), 1)})
	}
	for name, n := range map[string]int{"counts": len(g.counts), "stopped": len(g.stopped), "last": len(g.last), "recent": len(g.recent), "points": len(g.points)} {
		if n > maxCounts {
			t.Errorf("%d %s", n, name)
		}
	}
}

func BenchmarkGuard(b *testing.B) {
	g := &Guard{}
	s := call("locator.click").at(`{"role":"button","name":"Go"}`)
	for i := 0; b.Loop(); i++ {
		s.outcome.OutputHash = fmt.Sprint(i)
		g.Check(s.call)
		g.Note(s.call, s.outcome)
	}
}

func TestFailuresOfAPage(t *testing.T) {
	// Ensure that what failed on one page may be tried on another, and is refused where it goes on failing on the same.
	on := func(page string) step {
		s := call("actions.site").at("shop.order").failing("target_not_found")
		s.call.Page = page
		return s
	}
	var g Guard
	if _, stop := play(&g, []step{on("https://a.example/help"), on("https://a.example/help"), on("https://a.example/order")}); stop != "" {
		t.Errorf("on another page it is refused: %s", stop)
	}
	if _, stop := play(&g, []step{on("https://a.example/order"), on("https://a.example/order")}); stop != "2: failing_target" {
		t.Errorf("the third time on one page: %q", stop)
	}
}
