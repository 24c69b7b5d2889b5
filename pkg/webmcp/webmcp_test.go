package webmcp

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/webmcp/registry"
)

func TestNullMembers(t *testing.T) {
	// Ensure that what the browser would drop on the way is found, and nothing else.
	for args, want := range map[string]bool{
		`{}`: false, `{"a":1}`: false, `{"a":[null]}`: false, `{"null":"null"}`: false, `{"a":{"b":[[null],{}]}}`: false,
		`{"a":null}`: true, `{"a":[1,{"b":{"c/d":null}}]}`: true, `{"a":{},"b":null}`: true,
	} {
		if found := hasNullMember(json.RawMessage(args)); found != want {
			t.Errorf("%s: %v", args, found)
		}
	}
}

func TestAllowed(t *testing.T) {
	// Ensure that a tool is decided for its own origin: without a map around it it is asked about whichever way the call came, one that says it is consequential each time, and no other hint counts.
	const page, frame = "https://a.example", "https://b.example"
	hints := registry.Annotations{ReadOnly: true, Debugging: true, Autosubmit: true}
	consequential := registry.Annotations{Consequential: true, ReadOnly: true}
	stored, mapped := primitive.Call{Stored: true}, primitive.Call{Stored: true, Authorized: true}
	for name, row := range map[string]struct {
		call   primitive.Call
		origin string
		hints  registry.Annotations
		want   string
	}{
		"direct":                           {primitive.Call{}, page, hints, "confirm " + page},
		"direct, frame":                    {primitive.Call{}, frame, hints, "confirm " + frame},
		"direct, frame entered before":     {primitive.Call{FrameOrigins: []string{frame}}, frame, hints, "confirm " + frame},
		"direct, consequential":            {primitive.Call{}, page, consequential, "confirm fresh " + page},
		"in a map":                         {mapped, page, hints, ""},
		"in a map, frame":                  {mapped, frame, hints, "permit " + frame},
		"in a map, frame decided":          {primitive.Call{Stored: true, Authorized: true, FrameOrigins: []string{frame}}, frame, hints, ""},
		"in a map, consequential":          {mapped, page, consequential, "confirm fresh " + page},
		"found on the page":                {stored, page, hints, "confirm " + page},
		"found on the page, frame":         {stored, frame, hints, "confirm " + frame},
		"found on the page, consequential": {stored, page, consequential, "confirm fresh " + page},
	} {
		asked := ""
		row.call.Origin = page
		row.call.Permit = func(origin string) error { asked = "permit " + origin; return nil }
		row.call.Confirm = func(q primitive.Question) error {
			if asked = "confirm " + q.Origin; q.RequireNewApproval {
				asked = "confirm fresh " + q.Origin
			}
			if q.Name != "page:pay" || string(q.Arguments) != `{"arguments":{"sum":7},"name":"pay"}` {
				t.Errorf("%s: asked about %+v", name, q)
			}
			return nil
		}
		tool := registry.Tool{Declared: registry.Declared{Name: "pay", Annotations: row.hints}, Origin: row.origin}
		if err := authorize(row.call, tool, json.RawMessage(`{"sum":7}`)); err != nil || asked != row.want {
			t.Errorf("%s: asked %q, want %q; %v", name, asked, row.want, err)
		}
	}
	if err := authorize(primitive.Call{}, registry.Tool{}, nil); !fault.Is(err, fault.PermissionDenied) {
		t.Errorf("without an origin: %v", err)
	}
}

// confined is a session that may not know of documents without an origin.
type confined struct{ primitive.Session }

func (confined) Sees(string) bool  { return false }
func (confined) SessionID() string { return "mcp" }

// framed returns a watch of a page with the tool pay in each of its frames, by origin, and the
// tool's invocation by the page itself; and a call of a session that may look at the page only
// and would be asked for the frame of ask.example.
func framed(t *testing.T) (*watch, primitive.Call) {
	t.Helper()
	r := registry.New()
	origins := []string{"https://page.example", "https://ask.example", "https://bank.example", ""}
	var frames []registry.Frame
	for i, origin := range origins {
		frames = append(frames, registry.Frame{ID: fmt.Sprint(i), Document: fmt.Sprint("d", i), URL: origin + "/?secret=" + fmt.Sprint(i)})
	}
	r.SetFrames("", frames)
	hear := func(method, params string) {
		event, err := registry.Decode(method, json.RawMessage(params))
		if err != nil {
			t.Fatal(err)
		}
		r.HandleEvent("", event)
	}
	for i := range origins {
		hear("WebMCP.toolsAdded", fmt.Sprintf(`{"tools":[{"name":"pay","frameId":"%d","description":"d","inputSchema":{"type":"object","required":["sum"]}}]}`, i))
	}
	for _, f := range r.UnreadFrames(false) {
		i, _ := strconv.Atoi(f.Frame)
		r.SetRead(f, &registry.Read{Origin: origins[i]})
	}
	for i := range origins {
		hear("WebMCP.toolInvoked", fmt.Sprintf(`{"frameId":"%d","invocationId":"run %d","toolName":"pay"}`, i, i))
	}
	return &watch{registry: r}, primitive.Call{Origin: origins[0], Session: confined{}, WouldPermit: func(origin string) error {
		if origin == origins[1] {
			return fault.New(fault.NeedsApproval, "a question")
		}
		return fault.New(fault.PermissionDenied, "no")
	}}
}

func TestToolsOfHiddenFrames(t *testing.T) {
	// Ensure that a session is not shown the tools and invocations of frames whose origin it may not look at, or that have none, and is told how many there are.
	w, c := framed(t)
	l := listing{}.page(w, listArguments{}, c.PermittedOrigins(c.WouldPermit))
	if len(l.Tools) != 1 || l.Total != 1 || l.Tools[0].Origin != c.Origin || len(l.Invocations) != 1 || l.Invocations[0].Origin != c.Origin || l.Withheld != 6 {
		t.Errorf("it is shown %+v", l)
	}
	tools, _ := w.registry.Tools()
	for _, tool := range tools {
		l := listing{}.page(w, listArguments{Tool: tool.ID}, c.PermittedOrigins(c.WouldPermit))
		if want := tool.Origin == c.Origin; (len(l.Tools) == 1) != want {
			t.Errorf("by its id the tool of %q is shown: %v", tool.Origin, !want)
		}
	}
}

func TestHiddenCandidates(t *testing.T) {
	// Ensure that a name of several tools is one of those that the session may call, that only they are its candidates, and that a tool which it may not call is refused before anything of it is shown.
	w, c := framed(t)
	_, err := (&Tools{}).resolveTool(t.Context(), w, c, "", "pay", "")
	f := fault.From(err)
	if !fault.Is(err, fault.PageToolAmbiguous) {
		t.Fatal(err)
	}
	candidates, _ := json.Marshal(f.Evidence["candidates"])
	if text := string(candidates); strings.Count(text, `"id"`) != 2 || !strings.Contains(text, "secret=0") || !strings.Contains(text, "secret=1") {
		t.Errorf("the candidates are %s", text)
	}
	c.WouldPermit = func(string) error { return fault.New(fault.PermissionDenied, "no") }
	if tool, err := (&Tools{}).resolveTool(t.Context(), w, c, "", "pay", ""); err != nil || tool.Origin != c.Origin {
		t.Errorf("the name is %+v, %v", tool, err)
	}
	tools, _ := w.registry.Tools()
	for _, tool := range tools {
		_, err := checkArguments(c, tool, json.RawMessage(`{}`))
		if want := map[bool]fault.Code{true: fault.InvalidInput, false: fault.PermissionDenied}[tool.Origin == c.Origin]; !fault.Is(err, want) {
			t.Errorf("the tool of %q: %v", tool.Origin, err)
		}
	}
}

func TestUnsent(t *testing.T) {
	// Ensure that a tool which the browser does not find is stale and was not sent, and that other failures stay what they are.
	tool := registry.Tool{ID: "pt_1"}
	for message, want := range map[string]fault.Code{
		"WebMCP.invokeTool: Tool not found":                   fault.PageToolStale,
		"WebMCP.invokeTool: No frame for given id found":      fault.PageToolStale,
		"WebMCP.invokeTool: WebMCP domain is not enabled":     fault.PageToolStale,
		"WebMCP.invokeTool: Session with given id not found.": fault.PageToolStale,
		"WebMCP.invokeTool: Invalid parameters":               fault.InvalidInput,
		"WebMCP.invokeTool: Internal error":                   fault.HandlerFailed,
	} {
		f := fault.From(invokeError(fault.New(fault.HandlerFailed, "%s", message).WithDispatched(fault.DispatchedUnknown), tool))
		if f.Code != want || (f.Dispatched == fault.NotDispatched) != (want != fault.HandlerFailed) {
			t.Errorf("%s: %v, dispatched %s", message, f, f.Dispatched)
		}
	}
}

func TestMeantInvocation(t *testing.T) {
	// Ensure that a session cancels its own invocation, also one whose id is still on its way and needs no naming, and what the page began, and no other session's.
	r := registry.New()
	r.SetFrames("", []registry.Frame{{ID: "top", Document: "d", URL: "https://a.example/"}})
	hear := func(method, params string) {
		event, err := registry.Decode(method, json.RawMessage(params))
		if err != nil {
			t.Fatal(err)
		}
		r.HandleEvent("", event)
	}
	hear("WebMCP.toolsAdded", `{"tools":[{"name":"slow","frameId":"top","description":"d"}]}`)
	hear("WebMCP.toolInvoked", `{"frameId":"top","invocationId":"page","toolName":"slow"}`)
	tools, _ := r.Tools()
	run := r.Begin(tools[0].ID, "mcp")
	w := &watch{registry: r}

	late := make(chan error, 1)
	go func() {
		one, err := w.resolveInvocation(t.Context(), "", "mcp")
		if err == nil && one.ID != "mine" {
			err = fault.New(fault.InternalError, "it is %q", one.ID)
		}
		late <- err
	}()
	run.SetID("mine")
	if err := <-late; err != nil {
		t.Error(err)
	}
	for _, row := range []struct {
		id, session string
		code        fault.Code
	}{
		{"mine", "mcp", ""}, {"page", "mcp", ""}, {"mine", "voice", fault.PermissionDenied}, {"gone", "mcp", fault.PageToolNotFound}, {"", "voice", fault.PageToolNotFound},
	} {
		one, err := w.resolveInvocation(t.Context(), row.id, row.session)
		if (err == nil) != (row.code == "") || err == nil && one.ID != row.id || err != nil && !fault.Is(err, row.code) {
			t.Errorf("%q of %s: %+v, %v", row.id, row.session, one, err)
		}
	}
}
