package conformance

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/test/harness"
)

// direct runs the page code alone, in an isolated world as a content script
// has one, in a real Chromium.
type direct struct {
	tab       context.Context
	bundle    string
	catalogue *primitive.Catalogue
	calls     int
}

// Ensure that what no caller can name, as it serves other primitives, behaves as its
// conformance cases say, in a real browser. Whoever runs a case by its name gets those of
// the page primitives as well, which TestWholeChain runs otherwise.
func TestPageCode(t *testing.T) {
	t.Parallel()
	cases := InternalCases()
	if strings.Contains(flag.Lookup("test.run").Value.String(), "/") {
		cases = append(Cases(), cases...)
	}
	Run(t, newDirect(t), cases)
}

// Ensure that the records list exactly the cases that exist.
func TestRecordsNameTheCases(t *testing.T) {
	catalogue := primitive.Load()
	var listed, existing []string
	for _, name := range catalogue.Names() {
		record, _ := catalogue.Record(name)
		listed = append(listed, record.Conformance...)
	}
	for _, c := range slices.Concat(Cases(), InternalCases(), ActingCases(), HostCases(), PageToolCases()) {
		existing = append(existing, c.Name)
	}
	for _, name := range listed {
		if !slices.Contains(existing, name) {
			t.Errorf("a record lists the case %q, which does not exist", name)
		}
	}
	for i, name := range existing {
		if !slices.Contains(listed, name) {
			t.Errorf("no record lists the case %q", name)
		}
		if slices.Contains(existing[:i], name) {
			t.Errorf("two cases are called %q", name)
		}
	}
}

func newDirect(t *testing.T) *direct {
	t.Helper()
	harness.TakeTurn(t)
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal("chromium is missing: apt-get install chromium")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.Env("HOME="+t.TempDir()), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("headless", "new"), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.WindowSize(1280, 900))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	t.Cleanup(stop)
	browser, closeBrowser := chromedp.NewContext(allocator)
	t.Cleanup(closeBrowser)
	if err := chromedp.Do(browser); err != nil {
		t.Fatal(err)
	}
	// A headless window has no focus of its own.
	if _, err := chromedp.Call(browser, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err)
	}
	return &direct{tab: browser, bundle: bundlePageCode(t), catalogue: primitive.Load()}
}

func bundlePageCode(t *testing.T) string {
	t.Helper()
	extension, err := filepath.Abs("../../extension")
	if err != nil {
		t.Fatal(err)
	}
	code := ""
	for _, source := range []string{"src/page/run.ts", "src/page/reader/index.ts"} {
		build := exec.Command(filepath.Join(extension, "node_modules/.bin/esbuild"), source,
			"--bundle", "--format=iife", "--global-name=ActionsPage", "--target=chrome120", "--log-level=warning")
		if len(code) > 0 {
			build.Args = slices.DeleteFunc(build.Args, func(arg string) bool { return strings.HasPrefix(arg, "--global-name") })
		}
		build.Dir = extension
		var complaints strings.Builder
		build.Stderr = &complaints
		bundle, err := build.Output()
		if err != nil {
			t.Fatalf("esbuild: %v (npm ci in extension/ installs it)\n%s", err, complaints.String())
		}
		code += string(bundle) + ";"
	}
	// The world's own entry: errors become data, and calls can be cancelled.
	return code + `;globalThis.ActionsCall = async (id, name, args, ms) => {
		const abort = new AbortController();
		(globalThis.ActionsAborts ??= new Map()).set(id, abort);
		try {
			return JSON.stringify({output: await ActionsPage.run(name, args, {signal: abort.signal, deadline: performance.now() + ms})});
		} catch (e) {
			return JSON.stringify({error: {code: e.code ?? "internal_error", message: String(e.message), dispatched: e.dispatched, evidence: e.evidence}});
		}
	};`
}

func (d *direct) Open(t *testing.T, url string) {
	t.Helper()
	// The case before may have left a navigation of its page under way, which
	// can cut this one off; the second one meets a page at rest.
	var err error
	for range 3 {
		if err = chromedp.Do(d.tab, chromedp.Navigate(url)); err == nil {
			return
		}
		if !strings.Contains(err.Error(), "net::ERR_ABORTED") {
			break
		}
	}
	t.Fatal(err)
}

func (d *direct) Call(ctx context.Context, t *testing.T, name, args string) (json.RawMessage, *fault.Error) {
	t.Helper()
	record, ok := d.catalogue.Record(name)
	if !ok {
		t.Fatalf("no record of %s", name)
	}
	if err := record.CheckInput(json.RawMessage(args)); err != nil {
		return nil, fault.From(err)
	}
	world := d.world(t)
	d.calls++
	id := d.calls
	done := make(chan struct{})
	defer close(done)
	go func() {
		select {
		case <-ctx.Done():
			_, _ = d.evaluate(world, fmt.Sprintf("ActionsAborts.get(%d)?.abort()", id))
		case <-done:
		}
	}()
	result, err := d.evaluate(world, fmt.Sprintf("ActionsCall(%d, %q, %s, 10000)", id, name, args))
	if err != nil {
		t.Fatal(err)
	}
	var text string
	if err := json.Unmarshal(result, &text); err != nil {
		t.Fatalf("%s: %v", result, err)
	}
	var answer struct {
		Output json.RawMessage
		Error  *struct {
			Code       fault.Code
			Message    string
			Dispatched fault.Dispatched
			Evidence   map[string]any
		}
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if answer.Error == nil {
		return answer.Output, nil
	}
	fail := fault.New(answer.Error.Code, "%s", answer.Error.Message).WithDispatched(answer.Error.Dispatched)
	for key, value := range answer.Error.Evidence {
		fail = fail.With(key, value)
	}
	return nil, fail
}

// world returns the isolated world of the current document, with the page code.
func (d *direct) world(t *testing.T) runtime.ExecutionContextID {
	t.Helper()
	tree, err := chromedp.Call(d.tab, page.GetFrameTree, struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	world, err := chromedp.Call(d.tab, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: tree.FrameTree.Frame.ID, WorldName: "conformance"})
	if err != nil {
		t.Fatal(err)
	}
	present, err := d.evaluate(world.ExecutionContextID, "!!globalThis.ActionsCall")
	if err == nil && string(present) != "true" {
		_, err = d.evaluate(world.ExecutionContextID, d.bundle+";true")
	}
	if err != nil {
		t.Fatal(err)
	}
	return world.ExecutionContextID
}

func (d *direct) evaluate(world runtime.ExecutionContextID, js string) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(d.tab, 20*time.Second)
	defer cancel()
	result, err := chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{
		Expression: js, ContextID: world, ReturnByValue: new(true), AwaitPromise: new(true),
	})
	if err != nil {
		return nil, err
	}
	if result.ExceptionDetails != nil {
		return nil, fmt.Errorf("%.80s: %s", js, result.ExceptionDetails.Exception.Description)
	}
	return json.RawMessage(result.Result.Value), nil
}

func (d *direct) Eval(t *testing.T, js string, out any) {
	t.Helper()
	value, err := d.evaluate(0, js)
	if err != nil {
		t.Fatal(err)
	}
	if len(value) == 0 {
		return // undefined
	}
	if err := json.Unmarshal(value, out); err != nil {
		t.Fatalf("%s: %v", value, err)
	}
}
