package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/repo"
)

// folder holds the clients from npm.
func folder() string { return filepath.Join(repo.Root(), "test", "mcp") }

// inspectorNode is the least version of Node that the Inspector runs on.
const inspectorNode = 22

// node returns a Node that runs the clients: the machine's, or the one that npm
// installed beside them.
func node(t *testing.T) string {
	t.Helper()
	if name, err := exec.LookPath("node"); err == nil {
		out, err := exec.Command(name, "--version").Output()
		major, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
		if version, convErr := strconv.Atoi(major); err == nil && convErr == nil && version > inspectorNode {
			return name
		}
	}
	own := filepath.Join(folder(), "node_modules", "node-"+runtime.GOOS+"-"+map[string]string{"amd64": "x64"}[runtime.GOARCH], "bin", "node")
	if err := exec.Command(own, "--version").Run(); err != nil {
		t.Fatalf("%v: the clients are not installed, or there is no Node above %d: npm ci --ignore-scripts --prefix test/mcp", err, inspectorNode)
	}
	return own
}

// run runs a client and returns what it printed.
func run(t *testing.T, program string, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = folder()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		t.Fatalf("%v: %v\n%s", args, err, stderr.String())
	}
	return out
}

func TestTypeScriptClient(t *testing.T) {
	// Ensure that the official TypeScript client works with every part of the server: the schemas of both profiles compile there and hold, its cancellation ends a call.
	t.Parallel()
	s := openShop(t, "")
	program := s.Command(t.Context()).Path
	var saw struct {
		Version               struct{ Name string }
		Instructions          string
		Tools, Picture        []string
		Search, Refused, Done sdk.CallToolResult
		Snapshot, Tabs, After sdk.CallToolResult
		Steps                 int
		Cancelled             string
		Resources, Templates  []string
		Log                   struct{ Text string }
		Prompts               []string
		Prompt                string
	}
	out := run(t, node(t), "client.mjs", program, s.Dir)
	if err := json.Unmarshal(out, &saw); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	var found struct{ Count int }
	must(t, read(t, &saw.Search), &found)
	if found.Count != 2 || saw.Steps == 0 {
		t.Errorf("the search found %d and told %d steps", found.Count, saw.Steps)
	}
	wantCode(t, read(t, &saw.Refused), fault.PolicyExceptionReportRequired)
	for _, result := range []*sdk.CallToolResult{&saw.Done, &saw.Snapshot, &saw.Tabs, &saw.After} {
		must(t, read(t, result), nil)
	}
	if saw.Cancelled != "cancelled" || !slices.Equal(saw.Picture, []string{"text", "imageimage/jpeg"}) {
		t.Errorf("cancelled: %s, picture: %v", saw.Cancelled, saw.Picture)
	}
	if saw.Version.Name != "actions-host" || !strings.Contains(saw.Instructions, "policy_exception_report") || len(saw.Tools) > 19 {
		t.Errorf("the server: %+v, %d tools", saw.Version, len(saw.Tools))
	}
	if len(saw.Resources) != 3 || len(saw.Templates) != 3 || !strings.Contains(saw.Log.Text, "teahouse.search") {
		t.Errorf("resources %v %v, the log %.300s", saw.Resources, saw.Templates, saw.Log.Text)
	}
	if len(saw.Prompts) != 3 || !strings.Contains(saw.Prompt, "order tea") || !strings.Contains(saw.Prompt, "7. ") {
		t.Errorf("prompts %v: %s", saw.Prompts, saw.Prompt)
	}

	out = run(t, node(t), "client.mjs", program, s.Dir, "--tools", "all")
	if err := json.Unmarshal(out, &saw); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	must(t, read(t, &saw.Done), nil)
	if len(saw.Tools) < 80 || saw.Done.StructuredContent != nil || saw.Snapshot.StructuredContent != nil {
		t.Errorf("%d tools, a second time %v", len(saw.Tools), saw.Done.StructuredContent)
	}
}

// inspector runs the Inspector's command line; each call is a client of its own.
type inspector struct {
	*shop
	t    *testing.T
	node string
}

func (i inspector) call(args ...string) answer {
	i.t.Helper()
	out := i.run(append([]string{"--method", "tools/call"}, args...)...)
	var result sdk.CallToolResult
	if err := json.Unmarshal(out, &result); err != nil {
		i.t.Fatalf("%s: %v", out, err)
	}
	return read(i.t, &result)
}

func (i inspector) run(args ...string) []byte {
	i.t.Helper()
	args = append([]string{"node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", "--cli", "-e", paths.EnvHome + "=" + i.Dir}, args...)
	return run(i.t, i.node, append(args, "--", i.Command(i.t.Context()).Path, "mcp", "--approval-wait", "60s")...)
}

func TestInspector(t *testing.T) {
	// Ensure that the official Inspector's command line lists the tools without a fault in a schema, meets the refusal of a primitive without a report, does it with one, calls an action that waits for an approval, and reads the error of a tab that was closed.
	t.Parallel()
	s := openShop(t, `{"ask_effects":["input"]}`)
	i := inspector{s, t, node(t)}
	var list struct{ Tools []sdk.Tool }
	out := i.run("--method", "tools/list", "--strict")
	if err := json.Unmarshal(out, &list); err != nil || len(list.Tools) < 10 || len(list.Tools) > 19 {
		t.Fatalf("%d tools, %v: %.300s", len(list.Tools), err, out)
	}
	wantCode(t, i.call("--tool-name", "locator_text_content", "--tool-arg", `locator={"selector":"h1"}`, `policy_exception_report={}`), fault.PolicyExceptionReportRequired)
	must(t, i.call("--tool-name", "locator_text_content", "--tool-arg", `locator={"selector":"h1"}`,
		`policy_exception_report={"kind":"generic","intended_tool":"locator.text_content","actions_json_path":"none","reason":"a test"}`), nil)

	answered := make(chan answer, 1)
	go func() {
		answered <- i.call("--tool-name", "actions_site", "--tool-arg", "mode=call", "action=teahouse.order", "arguments="+order)
	}()
	var waiting struct{ Approvals []struct{ ID string } }
	harness.Until(t, "the order waits for an approval", func() bool {
		err := json.Unmarshal([]byte(s.Run(t, "approvals", "list", "--json").Stdout), &waiting)
		return err == nil && len(waiting.Approvals) == 1
	})
	if s.ordered() != 0 {
		t.Fatal("it ordered without an approval")
	}
	s.Allow(t, waiting.Approvals[0].ID)
	must(t, <-answered, nil)
	if s.ordered() != 1 {
		t.Errorf("the server got %d orders", s.ordered())
	}

	closePage(t, s)
	wantCode(t, i.call("--tool-name", "actions_site", "--tool-arg", "mode=list"), fault.TabNotClaimed)
}
