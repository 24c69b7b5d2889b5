package testbrowser

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/maptest"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/policy"
)

const (
	// stillInterval is how long the tree of a page keeps still before its action runs.
	stillInterval = 150 * time.Millisecond
	// answerDelay is how much longer than a call's own limit its answer is waited for.
	answerDelay = 5 * time.Second
	// tidyTimeout bounds what comes between two cases.
	tidyTimeout = 20 * time.Second
)

// runSuite runs the cases of one map.
func (r *runner) runSuite(ctx context.Context, s Suite, report func(maptest.Result)) error {
	if len(s.Cases) == 0 {
		return nil
	}
	if err := r.install(s); err != nil {
		return err
	}
	for _, c := range s.Cases {
		if err := r.tidy(ctx, c); err != nil {
			return fmt.Errorf("before the case %q: %w", c.Name, err)
		}
		limit := c.Timeout(r.Timeout)
		began := time.Now()
		one, cancel := context.WithTimeout(ctx, limit)
		differences, next := r.runCase(one, s, c, limit)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		select {
		case <-r.browser.Wait():
			return fault.New(fault.BrowserNotConnected, "the browser ended during the case %q", c.Name)
		default:
		}
		report(maptest.Result{
			Name: c.Name, Action: c.Action, OK: len(differences) == 0, Differences: differences, NextStep: next,
			DurationMS: float64(time.Since(began).Microseconds()) / 1000,
		})
	}
	return nil
}

// tidy takes away what the case before has left.
func (r *runner) tidy(ctx context.Context, c Case) error {
	ctx, cancel := context.WithTimeout(ctx, tidyTimeout)
	defer cancel()
	if err := r.browser.CloseTabs(ctx); err != nil {
		return err
	}
	at, err := origin.Parse(c.Address)
	if err != nil {
		return err
	}
	if err := r.browser.Open(ctx); err != nil { // the extension's page alone
		return err
	}
	return r.browser.ClearData(ctx, at.String())
}

// runCase returns how the case differs from what it expects, and the next step where it does.
func (r *runner) runCase(ctx context.Context, s Suite, c Case, limit time.Duration) (differences []string, next string) {
	answer, err := r.answer(ctx, s, c, limit)
	if err != nil {
		f := fault.From(err)
		switch {
		case f.Code == fault.RestrictedPage: // the browser shows a page of its own instead
			f = fault.New(fault.FetchFailed, "%s cannot be loaded", c.Address).
				WithNextStep("Start its server. Where the site is served elsewhere for a test, name that with --base and write the page as a path.")
		case ctx.Err() != nil && f.Code != fault.Timeout:
			f = fault.New(fault.Timeout, "its limit of %s was over: %s", limit, f.Message)
		}
		return []string{fmt.Sprintf("page: %s (%s)", f.Message, f.Code)}, f.NextStep
	}
	if differences = c.Judge(answer); len(differences) == 0 {
		return nil, ""
	}
	if ctx.Err() != nil {
		differences = append(differences, fmt.Sprintf("its limit of %s was over", limit))
	}
	if answer.Error != nil {
		next = answer.Error.NextStep
	}
	if c.Saved != "" {
		if request := r.site.unanswered(); request != "" {
			next = strings.TrimSpace(next + " The action may need the site's server: " + request + " has no answer on a saved page. Write \"page\" as a path of the site, without \"url\", and name the server with --base.")
		}
	}
	return differences, next
}

// answer opens the page and runs the action. The error is that there is no page to run it on,
// or no host.
func (r *runner) answer(ctx context.Context, s Suite, c Case, limit time.Duration) (a maptest.Answer, err error) {
	if c.Saved != "" {
		if err := r.site.show(c.Address, filepath.Dir(s.Map), c.Saved); err != nil {
			return a, err
		}
	}
	if err := r.browser.Open(ctx, c.Address); err != nil {
		if ctx.Err() != nil {
			return a, unsettled(limit)
		}
		return a, err
	}
	tab := r.browser.Tabs[0].TabID
	settle, err := settleArguments(left(ctx))
	if err != nil {
		return a, err
	}
	e, err := r.call(ctx, tab, waitTool, settle)
	switch {
	case err != nil:
		return a, err
	case e.Error != nil && (e.Error.Code == fault.Timeout || e.Error.Code == fault.HandlerTimeout || ctx.Err() != nil):
		return a, unsettled(limit)
	case !e.OK:
		return a, e.Error
	}
	input := c.Input
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	args, err := json.Marshal(map[string]any{"mode": "call", "action": c.Action, "arguments": input})
	if err != nil {
		return a, err
	}
	if e, err = r.call(ctx, tab, dispatch.SiteTool, args); err != nil {
		return a, err
	}
	a = maptest.Answer{Output: e.Output, Error: e.Error, Steps: steps(e)}
	if c.State != nil {
		a.State, a.StateError = r.state(ctx, tab, c.State.Projection)
	}
	return a, nil
}

// waitTool is the primitive that waits for a page to come to rest.
const waitTool = "page.wait_for"

func settleArguments(limit time.Duration) (json.RawMessage, error) {
	return json.Marshal(map[string]any{
		"load_state": "load", "stable": stillInterval.Milliseconds(), "timeout_ms": min(limit, time.Minute).Milliseconds(),
		"policy_exception_report": policy.Report{Kind: policy.KindGeneric, IntendedTool: waitTool, ActionsJSONPath: "none", Reason: "A test begins on a page at rest."},
	})
}

// unsettled is the fault of a page that never comes to rest.
func unsettled(limit time.Duration) *fault.Error {
	return fault.New(fault.Timeout, "it never settled within %s: it goes on loading, or changes all the time", limit).
		WithNextStep("Test a saved page instead: actions-host test save leaves the scripts out. A slow page needs a longer timeout_ms.")
}

func steps(e dispatch.Envelope) (list []maptest.Step) {
	raw, err := json.Marshal(e.Meta.Steps)
	if err == nil {
		_ = json.Unmarshal(raw, &list) // an action without a workflow has none
	}
	return list
}

// state reads the page's state by a projection of the map.
func (r *runner) state(ctx context.Context, tab int, projection string) (json.RawMessage, *fault.Error) {
	args := map[string]string{"mode": "state_read"}
	if projection != "" {
		args["projection"] = projection
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil, fault.From(err)
	}
	e, err := r.call(ctx, tab, dispatch.SiteTool, raw)
	switch {
	case err != nil:
		return nil, fault.From(err)
	case !e.OK:
		return nil, e.Error
	}
	var read struct {
		State json.RawMessage `json:"state"`
	}
	if err := json.Unmarshal(e.Output, &read); err != nil || read.State == nil {
		return e.Output, nil
	}
	return read.State, nil
}

// call makes a call of a terminal's session in the tab.
func (r *runner) call(ctx context.Context, tab int, name string, args json.RawMessage) (e dispatch.Envelope, err error) {
	limit := left(ctx)
	wait, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit+answerDelay)
	defer cancel()
	err = r.client.Call(wait, control.MethodCall, control.CallParams{
		Session: control.SessionParams{Kind: policy.SessionCLI, Mode: policy.ModeAct, AllowCode: r.AllowCode},
		Name:    name, Arguments: args, Target: control.TargetParams{TabID: tab}, TimeoutMS: int(limit.Milliseconds()),
	}, &e)
	if err != nil && strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
		err = fault.New(fault.Timeout, "the host did not answer")
	}
	return e, err
}

// left is the time until the context ends, at least one millisecond.
func left(ctx context.Context) time.Duration {
	end, ok := ctx.Deadline()
	if !ok {
		return maptest.DefaultTimeout
	}
	return max(time.Until(end), time.Millisecond)
}
