package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/harness/drive"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Clean()
	os.Exit(code)
}

// chain runs the primitives through everything: socket, host, policy, log,
// native messaging, worker, content script.
type chain struct {
	picture   string // of the last answer
	client    *control.Client
	page      context.Context
	catalogue *primitive.Catalogue
	host      Host
	modes     modes
	browser   *launch.Browser
	home      *harness.Home
}

// Ensure that every page primitive behaves through the whole chain as its
// conformance cases say.
func TestWholeChain(t *testing.T) {
	t.Parallel()
	Run(t, newChain(t), Cases())
}

// Ensure that what acts on a page and looks at it through the browser behaves as its
// conformance cases say.
func TestActing(t *testing.T) {
	t.Parallel()
	Run(t, newChain(t), ActingCases())
}

// Ensure that what the browser and the host do for a page behaves as its conformance
// cases say.
func TestBrowserAndHost(t *testing.T) {
	t.Parallel()
	Run(t, newChain(t), HostCases())
}

// Ensure that the tools of pages behave as their conformance cases say, in a
// browser that has WebMCP.
func TestPageTools(t *testing.T) {
	t.Parallel()
	Run(t, newChain(t, "--enable-features=WebMCP"), PageToolCases())
}

func newChain(t *testing.T, args ...string) *chain {
	t.Helper()
	home := harness.NewHome(t)
	data := filepath.Join(home.Dir, "data")
	host := Host{Uploads: filepath.Join(data, "uploads"), KeyFile: filepath.Join(data, "openai-api-key"), Voice: realtime.New(t)}
	home.Settings(t, fmt.Sprintf(`{"allow_code":true,"private_networks":["127.0.0.0/8"],"voice_base":%q}`, host.Voice.Base))
	host.writeKey(t)
	if err := os.WriteFile(filepath.Join(data, "agent.json"), []byte(`{"automationEnabled":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	name := home.Map(t, "public", "127.0.0.1", "cases", caseMap)
	for file, text := range map[string]string{"SKILL.md": "---\ntitle: Cases\n---\nRead the heading.", "proof/p/actions.json": "{}", "report.html": reportTemplate, "report.json": reportData} {
		file = filepath.Join(filepath.Dir(name), filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// In a browser that launch has not started, a page works on an input only with the next frame.
	args = append(args, "--enable-features=DeferRendererTasksAfterInput")
	b := home.OpenWith(t, nil, args, NewSite(t).page(Case{HTML: "<p>start</p>"}))
	clients, err := control.Await(t.Context(), home.Sockets())
	if err != nil || len(clients) != 1 {
		t.Fatalf("%d hosts, %v", len(clients), err)
	}
	t.Cleanup(func() { clients[0].Close() })
	c := &chain{client: clients[0], page: pageOf(t, b), catalogue: primitive.Load(), host: host, modes: modes{}, browser: b, home: home}
	t.Cleanup(func() { c.modes.check(t) })
	return c
}

// Host returns where the chain's host has its files and its voice service.
func (c *chain) Host() Host { return c.host }

// pageOf attaches to the claimed page, to ask it what happened.
func pageOf(t *testing.T, b *launch.Browser) context.Context {
	t.Helper()
	all, err := cdp.Call(t.Context(), b.Session(), target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range all.TargetInfos {
		if info.Type == "page" && info.URL == b.Tabs[0].URL {
			page, cancel := drive.Attach(b, info.TargetID)
			t.Cleanup(cancel)
			if err := chromedp.Do(page); err != nil {
				t.Fatal(err)
			}
			return page
		}
	}
	t.Fatal("the page is not there")
	return nil
}

func (c *chain) Open(t *testing.T, url string) {
	t.Helper()
	args, err := json.Marshal(map[string]any{"url": url, "force": true})
	if err != nil {
		t.Fatal(err)
	}
	if _, f := c.Call(t.Context(), t, "browser.navigate", string(args)); f != nil {
		t.Fatal(f)
	}
	var complete bool
	c.Eval(t, `new Promise(done => document.readyState === "complete" ? done(true) : addEventListener("load", () => done(true)))`, &complete)
}

// Picture returns the picture of the last answer, a data URL.
func (c *chain) Picture() string { return c.picture }

// Call runs a primitive as the user's own calls: in ask mode where it only looks.
func (c *chain) Call(ctx context.Context, t *testing.T, name, args string) (json.RawMessage, *fault.Error) {
	t.Helper()
	session := control.SessionParams{Kind: policy.SessionCLI, Mode: policy.ModeAct, AllowCode: true}
	if record, ok := c.catalogue.Record(name); ok && onlyLooks(record) {
		session.Mode = policy.ModeAsk
	}
	for {
		c.modes.ran(name, session.Mode)
		output, f := c.CallAs(ctx, t, session, name, args)
		switch {
		case f != nil && f.Code == fault.PermissionDenied && session.Mode == policy.ModeAsk:
			session.Mode = policy.ModeAct // with these arguments it does more than look
			c.modes.refused(name)
		case f != nil && f.Code == fault.NeedsApproval:
			c.Allow(ctx, t, f, policy.ScopeOnce) // the user allows what is asked
		default:
			return output, f
		}
	}
}

// Allow answers the question of an error as the user.
func (c *chain) Allow(ctx context.Context, t *testing.T, asked *fault.Error, scope policy.Scope) {
	t.Helper()
	id, _ := asked.Evidence["id"].(string)
	if err := c.client.Call(ctx, control.MethodAnswer, c.home.Answer(t, id, true, scope), &control.Empty{}); err != nil {
		t.Fatal(err)
	}
}

// CallAs runs a primitive in a session of the case's own, for which nobody answers questions.
func (c *chain) CallAs(ctx context.Context, t *testing.T, session control.SessionParams, name, args string) (json.RawMessage, *fault.Error) {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(args), &members); err != nil {
		t.Fatal(err)
	}
	kind := policy.KindGeneric
	if record, ok := c.catalogue.Record(name); ok && (record.Effect == string(policy.EffectCode) || record.CapabilityClass == policy.ClassDebug) {
		kind = policy.KindDebugger
	}
	members["policy_exception_report"] = policy.Report{Kind: kind, IntendedTool: name, ActionsJSONPath: "none", Reason: "A test."}
	decorated, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	var e dispatch.Envelope
	if err := c.client.Call(ctx, control.MethodCall, control.CallParams{Session: session, Name: name, Arguments: decorated}, &e); err != nil {
		return nil, fault.From(err)
	}
	c.picture = e.Picture()
	return e.Output, e.Error
}

func (c *chain) Eval(t *testing.T, js string, out any) {
	t.Helper()
	run, cancel := context.WithCancel(c.page)
	defer cancel()
	timer := time.AfterFunc(harness.Patience, cancel)
	defer timer.Stop()
	raw, err := chromedp.Run(run, chromedp.Evaluate[json.RawMessage](js, chromedp.EvalAwaitPromise))
	for err != nil && strings.Contains(err.Error(), "$ is not defined") && run.Err() == nil {
		// A document that has just come has not run its scripts yet.
		raw, err = chromedp.Run(run, chromedp.Evaluate[json.RawMessage](js, chromedp.EvalAwaitPromise))
	}
	if err != nil {
		t.Fatalf("%s: %v", js, err)
	}
	if err := json.Unmarshal(raw, out); err != nil {
		t.Fatalf("%s gave %s: %v", js, raw, err)
	}
}
