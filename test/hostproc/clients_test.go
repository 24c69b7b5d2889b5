package hostproc

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/fakes"
	"github.com/actionsjson/actions-host/test/harness"
)

// async makes a call that the test does not wait for. An error of the
// connection comes as an envelope too.
func async(t *testing.T, c *control.Client, p control.CallParams) <-chan dispatch.Envelope {
	answer, _ := cancellable(t, c, p)
	return answer
}

// cancellable is async with a function that takes the call back.
func cancellable(t *testing.T, c *control.Client, p control.CallParams) (<-chan dispatch.Envelope, context.CancelFunc) {
	ctx, cancel := context.WithCancel(patient(t))
	answer := make(chan dispatch.Envelope, 1)
	go func() {
		var e dispatch.Envelope
		if err := c.Call(ctx, control.MethodCall, p, &e); err != nil {
			e = dispatch.Envelope{Name: p.Name, Error: fault.From(err)}
		}
		answer <- e
	}()
	return answer, cancel
}

// gate is a page that holds each call until it is let through, and tells of
// each that arrives.
type gate struct {
	arrived chan protocol.ActionCall
	open    chan struct{}
}

func (g gate) page(ctx context.Context, c protocol.ActionCall) (any, error) {
	g.arrived <- c
	select {
	case <-g.open:
		return fakes.Answer(c)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestTwoClientsOnTwoTabs(t *testing.T) {
	// Ensure that calls on two tabs run at the same time.
	t.Parallel()
	home := harness.NewHome(t)
	g := gate{make(chan protocol.ActionCall, 10), make(chan struct{})}
	home.Ready(t, &fakes.Browser{Page: g.page}, shop, shop)
	one, two := async(t, dial(t, home), at(clickCall(), 1)), async(t, dial(t, home), at(clickCall(), 2))
	a, b := wait(t, "the first call arrives", g.arrived), wait(t, "the second arrives while the first runs", g.arrived)
	if a.TabID == b.TabID {
		t.Fatalf("both on tab %d", a.TabID)
	}
	close(g.open)
	harness.Must(t, wait(t, "tab 1", one), nil)
	harness.Must(t, wait(t, "tab 2", two), nil)
}

func TestTwoClientsOnOneTab(t *testing.T) {
	// Ensure that calls on one tab run one after the other, reads too, and that all of them run.
	t.Parallel()
	home := harness.NewHome(t)
	g := gate{make(chan protocol.ActionCall, 10), make(chan struct{})}
	home.Ready(t, &fakes.Browser{Page: g.page}, shop)
	clients := []*control.Client{dial(t, home), dial(t, home)}
	var answers []<-chan dispatch.Envelope
	for i := range 6 {
		p := clickCall()
		if i%3 == 0 {
			p = direct("page.info", `{}`)
		}
		answers = append(answers, async(t, clients[i%2], p))
	}
	for range answers {
		wait(t, "a call arrives", g.arrived)
		// Both connections answer something else, so every call is on its way.
		for _, c := range clients {
			var status control.Status
			if err := c.Call(patient(t), control.MethodStatus, control.Empty{}, &status); err != nil {
				t.Fatal(err)
			}
		}
		if len(g.arrived) > 0 {
			t.Fatal("a second call arrived while the first ran")
		}
		g.open <- struct{}{}
	}
	for _, answer := range answers {
		harness.Must(t, wait(t, "an answer", answer), nil)
	}
}

func TestClientThatGoesAway(t *testing.T) {
	// Ensure that a client which hangs up, or takes its call back, cancels the call in the page and frees the tab's lane, and that the log says how it ended.
	t.Parallel()
	for name, leave := range map[string]func(c *control.Client, cancel context.CancelFunc){
		"hangs up":      func(c *control.Client, _ context.CancelFunc) { c.Close() },
		"takes it back": func(_ *control.Client, cancel context.CancelFunc) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := harness.NewHome(t)
			page, started, cancelled := blocking("pointer.click")
			p := home.Ready(t, &fakes.Browser{Page: page}, shop)
			c := dial(t, home)
			_, cancel := cancellable(t, c, clickCall())
			wait(t, "the page gets the call", started)
			leave(c, cancel)
			wait(t, "the page hears of the cancellation", cancelled)
			harness.Must(t, call(t, dial(t, home), direct("page.info", `{}`)), nil)
			hangUp(t, p)
			wantClosed(t, records(t, home))
		})
	}
}

func TestClientThatGoesAwayInAWorkflow(t *testing.T) {
	// Ensure that a workflow whose caller hangs up runs no further step.
	t.Parallel()
	home := harness.NewHome(t)
	home.Map(t, "public", "shop.example.com", "s", mapOf("flow.two", workflow("",
		step("a", "pointer.click", `,"args":{"x":1,"y":1},"on_error":"continue"`), step("b", "page.info", ""))))
	page, started, cancelled := blocking("pointer.click")
	b := &fakes.Browser{Page: page}
	p := home.Ready(t, b, shop)
	c := dial(t, home)
	async(t, c, siteCall("flow.two", `{}`))
	wait(t, "the page gets the first step", started)
	c.Close()
	wait(t, "the page hears of the cancellation", cancelled)
	// The lane is free: the workflow is over.
	harness.Must(t, call(t, dial(t, home), direct("dom.snapshot_text", `{}`)), nil)
	if calls := b.Calls(); len(calls) != 2 || calls[1].Name != "dom.snapshot_text" {
		t.Errorf("the page saw %+v", calls)
	}
	hangUp(t, p)
	wantClosed(t, records(t, home))
}

func TestSessionThatEndsInTheMiddle(t *testing.T) {
	// Ensure that a client which goes in the middle of a stored action ends its session after that: the log has the step's and the action's outcome, with the reason, before the session's end; what waited for the lane never ran, its tasks and its question are gone, and the tab is free.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["tab"]}`)
	home.Map(t, "public", "shop.example.com", "s", mapOf("flow.two", workflow("", step("a", "pointer.click", `,"args":{"x":1,"y":1}`), step("b", "page.info", ""))))
	page, started, _ := blocking("pointer.click")
	b := &fakes.Browser{Page: page}
	p := home.Ready(t, b, shop)
	own := func(c control.CallParams) control.CallParams {
		c.Session = control.SessionParams{Kind: policy.SessionMCP, ID: "gone"}
		return at(c, 1)
	}
	c, other := dial(t, home), dial(t, home)
	harness.Must(t, call(t, c, own(direct("task.add", `{"text":"x"}`))), nil)
	wantCode(t, call(t, c, own(direct("browser.navigate", `{"url":"`+shop+`"}`))), fault.NeedsApproval)
	async(t, c, own(siteCall("flow.two", `{}`)))
	wait(t, "the page gets the first step", started)
	async(t, c, own(direct("dom.snapshot_text", `{}`))) // waits for the lane
	c.Close()
	harness.Until(t, "the session has ended", func() bool {
		var part control.LogPage
		if err := other.Call(patient(t), control.MethodLog, control.LogParams{Filter: journal.Filter{Session: "mcp:gone", Types: []string{journal.TypeSessionEnded}}}, &part); err != nil {
			t.Fatal(err)
		}
		return len(part.Records) == 1
	})
	if open := waiting(t, other); len(open) != 0 {
		t.Errorf("questions are open: %+v", open)
	}
	var list struct{ Total float64 }
	harness.Must(t, call(t, other, own(direct("task.list", `{}`))), &list)
	if list.Total != 0 {
		t.Errorf("%v tasks are left", list.Total)
	}
	harness.Must(t, call(t, other, at(direct("page.info", `{}`), 1)), nil)
	if calls := b.Calls(); len(calls) != 2 {
		t.Errorf("the page saw %+v", calls)
	}
	hangUp(t, p)
	all := records(t, home)
	wantClosed(t, all)
	ended := slices.IndexFunc(all, func(r journal.Record) bool { return r.Type == journal.TypeSessionEnded })
	outcomes := map[string]string{}
	for _, r := range all[:ended] {
		if r.Type == journal.TypeOutcome && r.SessionID == "mcp:gone" {
			outcomes[r.Name] = string(r.Data)
		}
	}
	for _, name := range []string{dispatch.SiteTool, "pointer.click"} {
		if !strings.Contains(outcomes[name], `"ok":false`) {
			t.Errorf("%s: %s", name, outcomes[name])
		}
	}
	if !strings.Contains(outcomes[dispatch.SiteTool], "the caller went away while the call ran") {
		t.Errorf("the log does not say why it ended: %s", outcomes[dispatch.SiteTool])
	}
}

func TestTimeouts(t *testing.T) {
	// Ensure that --timeout ends a call with handler_timeout, says that it may have been sent, tells the page how long it has and cancels it there.
	t.Parallel()
	home := harness.NewHome(t)
	page, started, cancelled := blocking("pointer.click")
	b := &fakes.Browser{Page: page}
	home.Ready(t, b, shop)
	e := home.Call(t, "pointer.click", `{"x":1,"y":1}`, "--timeout", "1s")
	f := wantCode(t, e, fault.HandlerTimeout)
	if f.Dispatched != fault.DispatchedUnknown || f.Retryable {
		t.Errorf("the caller is told %+v", f)
	}
	wait(t, "the page got the call", started)
	wait(t, "the page hears of the end", cancelled)
	if ms := b.Calls()[0].TimeoutMS; ms < 1 || ms > 1000 {
		t.Errorf("the page was given %d ms", ms)
	}
	// One that waits for the lane all its time was never sent.
	blocked := async(t, dial(t, home), clickCall())
	wait(t, "the page got the call", started)
	if f := wantCode(t, home.Call(t, "page.info", `{}`, "--timeout", "100ms"), fault.HandlerTimeout); f.Dispatched != fault.NotDispatched {
		t.Errorf("a call that waited is told %+v", f)
	}
	if len(b.Calls()) != 2 {
		t.Errorf("the page saw %+v", b.Calls())
	}
	select {
	case e := <-blocked:
		t.Errorf("the other call ended: %+v", e)
	default:
	}
}

func TestInterruptedTerminal(t *testing.T) {
	// Ensure that Ctrl-C at a terminal cancels the call in the page, and that the command says so.
	t.Parallel()
	home := harness.NewHome(t)
	page, started, cancelled := blocking("pointer.click")
	p := home.Ready(t, &fakes.Browser{Page: page}, shop)
	for _, json := range []bool{true, false} {
		cmd := home.Command(patient(t), "call", "pointer.click", `{"x":1,"y":1}`, fmt.Sprintf("--json=%t", json))
		var out output
		cmd.Stdout, cmd.Stderr = &out.stdout, &out.stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wait(t, "the page gets the call", started)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		wait(t, "the page hears of the cancellation", cancelled)
		_ = cmd.Wait() // the exit status tells
		if status := cmd.ProcessState.ExitCode(); status != 1 {
			t.Errorf("exit status %d", status)
		}
		out.says(t, json, "cancelled")
	}
	hangUp(t, p)
	wantClosed(t, records(t, home))
}

func TestManyClients(t *testing.T) {
	// Ensure that many clients at once are all served, each with its own answer.
	t.Parallel()
	home := harness.NewHome(t)
	b := &fakes.Browser{Page: page}
	home.Ready(t, b, shop, shop, shop, shop)
	began := time.Now()
	var answers []<-chan dispatch.Envelope
	for i := range 20 {
		c := dial(t, home)
		for range 10 {
			answers = append(answers, async(t, c, at(clickCall(), 1+i%4)))
		}
	}
	ids := map[string]bool{}
	for i, answer := range answers {
		e := wait(t, "an answer", answer)
		harness.Must(t, e, nil)
		ids[e.CallID] = true
		if want := 1 + i/10%4; e.Meta.Tab == nil || e.Meta.Tab.TabID != want {
			t.Errorf("the answer is of %+v, not of tab %d", e.Meta.Tab, want)
		}
	}
	if len(ids) != len(answers) || len(b.Calls()) != len(answers) {
		t.Errorf("%d answers, %d ids, %d calls", len(answers), len(ids), len(b.Calls()))
	}
	t.Logf("%d calls in %s", len(answers), time.Since(began))
}
