package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestOperateAShop(t *testing.T) {
	// Ensure that a client finds the tools, the tab and its actions, that a primitive runs with a report and not without, that a picture is a picture, that the steps of an action are told, and that the server saw what was done.
	t.Parallel()
	s := openShop(t, "")
	steps := make(chan string, 100)
	c := s.client(t, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
		steps <- req.Params.Message
	}})
	tools, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(tools.Tools) > 19 || tools.Tools[0].Name != "actions_site" || tools.Tools[0].OutputSchema != nil {
		t.Errorf("%d tools, the first is %s", len(tools.Tools), tools.Tools[0].Name)
	}

	var tabs struct {
		Tabs []struct {
			TabID            int `json:"tab_id"`
			Profile, Browser string
		}
	}
	must(t, call(t, c, "browser_claimed_tabs_list", `{`+report("browser.claimed_tabs.list")+`}`), &tabs)
	if len(tabs.Tabs) != 1 || tabs.Tabs[0].Profile == "" || tabs.Tabs[0].Browser == "" {
		t.Fatalf("tabs %+v", tabs)
	}
	var list struct{ Actions []struct{ Name string } }
	must(t, call(t, c, "actions_site", `{"mode":"list"}`), &list)
	if len(list.Actions) != 12 {
		t.Fatalf("actions %+v", list)
	}
	search := call(t, c, "actions_site", `{"mode":"call","action":"teahouse.search","arguments":{"query":"oolong"}}`)
	var found struct{ Count int }
	must(t, search, &found)
	if found.Count != 2 || search.result.StructuredContent != nil || search.Meta != nil {
		t.Errorf("found %+v, a second time %v, meta %v", found, search.result.StructuredContent, search.Meta)
	}
	if a := call(t, c, "actions.site", `{"mode":"list","names_only":true,"detail":true}`); !a.OK || a.Meta["tab"] == nil {
		t.Errorf("by the dotted name, in detail: %+v", a)
	}

	refused := wantCode(t, call(t, c, "locator_click", `{"locator":{"selector":"h1"}}`), fault.PolicyExceptionReportRequired)
	if refused.Dispatched != fault.NotDispatched {
		t.Errorf("dispatched %q", refused.Dispatched)
	}
	must(t, call(t, c, "locator_text_content", `{"locator":{"selector":"h1"},`+report("locator.text_content")+`}`), nil)
	must(t, call(t, c, "locator_text_content", `{"locator":{"selector":"h1"},`+report("locator_text_content")+`}`), nil)
	must(t, call(t, c, "primitives_call", `{"name":"page.info","arguments":{}}`), nil) // the report about reading holds
	wantCode(t, call(t, c, "locator_hover", `{"locator":{"selector":"h1"}}`), fault.PolicyExceptionReportRequired)

	var batch struct{ Results []struct{ Name string } }
	must(t, call(t, c, "primitives_batch", `{"calls":[{"name":"page_info"},{"name":"locator.text_content","arguments":{"locator":{"selector":"h1"}}}]}`), &batch)
	if len(batch.Results) != 2 || batch.Results[0].Name != "page.info" {
		t.Errorf("the batch gives %+v", batch)
	}

	shot := call(t, c, "browser_screenshot", `{`+report("browser.screenshot")+`}`)
	must(t, shot, nil)
	if len(shot.result.Content) != 2 || strings.Contains(string(shot.Output), "base64") {
		t.Fatalf("%d blocks: %.200s", len(shot.result.Content), shot.Output)
	}
	if picture, ok := shot.result.Content[1].(*sdk.ImageContent); !ok || picture.MIMEType != "image/jpeg" || len(picture.Data) < 1000 {
		t.Errorf("the picture: %+v", shot.result.Content[1])
	}

	params := &sdk.CallToolParams{Name: "actions_site", Arguments: json.RawMessage(`{"mode":"call","action":"teahouse.order","arguments":` + order + `}`)}
	params.SetProgressToken("order")
	result, err := c.CallTool(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	must(t, read(t, result), nil)
	if s.ordered() != 1 {
		t.Errorf("the server got %d orders", s.ordered())
	}
	if step := <-steps; !strings.Contains(step, ".") {
		t.Errorf("the first step is %q", step)
	}
}

// order is what the shop's form takes.
const order = `{"tea":"Tie Guan Yin","name":"Ada"}`

func TestApproval(t *testing.T) {
	// Ensure that what the user must allow is asked for, done once it was allowed, and not before.
	t.Parallel()
	s := openShop(t, `{"ask_effects":["input"]}`)
	c := s.client(t, nil)
	args := `{"mode":"call","action":"teahouse.order","arguments":` + order + `}`
	asked := wantCode(t, call(t, c, "actions_site", args), fault.NeedsApproval)
	if s.ordered() != 0 {
		t.Fatal("it ordered without an approval")
	}
	s.Allow(t, fmt.Sprint(asked.Evidence["id"]))
	must(t, call(t, c, "actions_site", args), nil)
	if s.ordered() != 1 {
		t.Errorf("the server got %d orders", s.ordered())
	}
}

func TestHostStartsAnew(t *testing.T) {
	// Ensure that a call waits for a browser that is coming up, that a client goes on after the extension's worker was killed and the host with it, in the same tab, that a click whose host was killed is not said to be undone, and that a tab that was closed is an error that says so.
	t.Parallel()
	s := openShop(t, "")
	c := s.client(t, nil, "--wait", "20s", "--no-loop-guard")
	var tabs struct {
		Tabs []struct {
			TabID   int `json:"tab_id"`
			Current bool
		}
	}
	must(t, call(t, c, "browser_claimed_tabs_list", `{`+report("browser.claimed_tabs.list")+`}`), &tabs)
	must(t, call(t, c, "browser_claimed_tabs_activate", fmt.Sprintf(`{"tab_id":%d,%s}`, tabs.Tabs[0].TabID, report("browser.claimed_tabs.activate"))), nil)
	former := s.Host(t)
	killWorker(t, s)
	s.HostEnded(t, former)
	must(t, call(t, c, "browser_claimed_tabs_list", `{`+report("browser.claimed_tabs.list")+`}`), nil) // waits for the host's next start
	harness.Until(t, "a call goes through again", func() bool {
		return call(t, c, "actions_site", `{"mode":"list","names_only":true}`).OK
	})
	must(t, call(t, c, "browser_claimed_tabs_list", `{`+report("browser.claimed_tabs.list")+`}`), &tabs)
	if len(tabs.Tabs) != 1 || !tabs.Tabs[0].Current {
		t.Errorf("after the restart: %+v", tabs)
	}

	lost := make(chan answer, 1)
	go func() {
		lost <- call(t, c, "locator_click", `{"locator":{"selector":"#never"},"timeout_ms":30000,`+report("locator.click")+`}`)
	}()
	harness.Until(t, "the click runs", func() bool {
		return strings.Contains(s.Run(t, "log", "dump", "--json").Stdout, "#never")
	})
	killHost(t, s)
	wantCode(t, <-lost, fault.OutcomeUnknown)
	harness.Until(t, "a call goes through again", func() bool {
		return call(t, c, "actions_site", `{"mode":"list","names_only":true}`).OK
	})

	closePage(t, s)
	harness.Until(t, "the tab is gone", func() bool {
		must(t, call(t, c, "browser_claimed_tabs_list", `{`+report("browser.claimed_tabs.list")+`}`), &tabs)
		return len(tabs.Tabs) == 0
	})
	wantCode(t, call(t, c, "actions_site", `{"mode":"list"}`), fault.TabNotClaimed)
}

func TestCancel(t *testing.T) {
	// Ensure that a client's cancellation reaches the running call in the browser, so that the tab is free for the next one at once.
	t.Parallel()
	s := openShop(t, "")
	c := s.client(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "locator_click", Arguments: json.RawMessage(
			`{"locator":{"selector":"#never"},"timeout_ms":30000,` + report("locator.click") + `}`)})
		done <- err
	}()
	other := s.client(t, nil)
	harness.Until(t, "the host has the call", func() bool { // whose intent a click writes at once
		return strings.Contains(s.Run(t, "log", "dump", "--json").Stdout, "#never")
	})
	harness.Until(t, "the call has the tab", func() bool { // on a busy machine it may be on its way still
		short, stop := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer stop()
		_, err := other.CallTool(short, &sdk.CallToolParams{Name: "actions_site", Arguments: json.RawMessage(`{"mode":"list"}`)})
		return err != nil
	})
	cancel()
	if err := <-done; err == nil {
		t.Error("the cancelled call gave an answer")
	}
	must(t, call(t, other, "actions_site", `{"mode":"list","names_only":true}`), nil)
	harness.Until(t, "the log says that the call was cancelled", func() bool {
		return slices.ContainsFunc(strings.Split(s.Run(t, "log", "dump", "--json").Stdout, "\n"), func(line string) bool {
			return strings.Contains(line, `"locator.click"`) && strings.Contains(line, `"`+string(fault.Cancelled)+`"`)
		})
	})
}

func TestTwoClients(t *testing.T) {
	// Ensure that two clients side by side have queues, modes and pages of their own, whatever the other one does.
	t.Parallel()
	s := openShop(t, "")
	one, looking := s.client(t, nil), s.client(t, nil, "--mode", "ask")
	elsewhere := s.client(t, nil, "--origin", "https://other.test")
	must(t, call(t, one, "primitives_call", `{"name":"task.add","arguments":{"text":"mine",`+report("task.add")+`}}`), nil)
	var queue struct{ Total int }
	must(t, call(t, looking, "primitives_call", `{"name":"task.list","arguments":{`+report("task.list")+`}}`), &queue)
	if queue.Total != 0 {
		t.Errorf("the other client sees %d tasks", queue.Total)
	}
	wantCode(t, call(t, looking, "actions_site", `{"mode":"call","action":"teahouse.order","arguments":`+order+`}`), fault.PermissionDenied)
	wantCode(t, call(t, looking, "primitives_call", `{"name":"locator.click","arguments":{"locator":{"selector":"h1"},`+report("locator.click")+`}}`), fault.PermissionDenied)
	wantCode(t, call(t, elsewhere, "actions_site", `{"mode":"list"}`), fault.PermissionDenied)
	if s.ordered() != 0 {
		t.Error("an order went out")
	}
	tools, err := looking.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(tools.Tools, func(tool *sdk.Tool) bool { return tool.Name == "locator_click" }) {
		t.Error("a client that only looks is offered a click")
	}
}

func TestNoBrowser(t *testing.T) {
	// Ensure that a browser that is not there is waited for, about five seconds, and then is a failure that a model can read, with what to do.
	t.Parallel()
	c := connect(t, harness.NewHome(t), nil)
	started := time.Now()
	f := wantCode(t, call(t, c, "actions_site", `{"mode":"list"}`), fault.BrowserNotConnected)
	if took := time.Since(started); took < 4*time.Second {
		t.Errorf("it waited %s", took)
	}
	if !f.Retryable || f.Dispatched != fault.NotDispatched {
		t.Errorf("%+v", f)
	}
}

func killWorker(t *testing.T, s *shop) {
	t.Helper()
	for _, info := range targets(t, s) {
		if info.Type == "service_worker" {
			if _, err := cdp.Call(t.Context(), s.browser.Session(), target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID}); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatal("there is no worker")
}

// killHost ends the host as a machine without memory would.
func killHost(t *testing.T, s *shop) {
	t.Helper()
	pid := s.Host(t)
	process, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.HostEnded(t, pid)
}

// closePage closes the shop's page.
func closePage(t *testing.T, s *shop) {
	t.Helper()
	// The browser would end with its last tab.
	if _, err := cdp.Call(t.Context(), s.browser.Session(), target.CreateTarget, target.CreateTargetParams{URL: "about:blank"}); err != nil {
		t.Fatal(err)
	}
	for _, info := range targets(t, s) {
		if info.Type == "page" && strings.HasPrefix(info.URL, s.url) {
			if _, err := cdp.Call(t.Context(), s.browser.Session(), target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func targets(t *testing.T, s *shop) []*target.Info {
	t.Helper()
	all, err := cdp.Call(t.Context(), s.browser.Session(), target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		t.Fatal(err)
	}
	return all.TargetInfos
}
