package registry

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// handle makes an event of a session and has the registry hear it.
func handle(t *testing.T, r *Registry, session, method, params string) []Invocation {
	t.Helper()
	event, err := Decode(method, json.RawMessage(params))
	if err != nil {
		t.Fatal(err)
	}
	return r.HandleEvent(session, event)
}

func added(t *testing.T, r *Registry, session, frame string, names ...string) {
	t.Helper()
	for _, name := range names {
		handle(t, r, session, "WebMCP.toolsAdded", fmt.Sprintf(`{"tools":[{"name":%q,"frameId":%q,"description":"d"}]}`, name, frame))
	}
}

func removed(t *testing.T, r *Registry, frame, name string) {
	t.Helper()
	handle(t, r, "", "WebMCP.toolsRemoved", fmt.Sprintf(`{"tools":[{"name":%q,"frameId":%q}]}`, name, frame))
}

func going(t *testing.T, r *Registry, frame string) {
	t.Helper()
	handle(t, r, "", "Page.frameStartedNavigating", fmt.Sprintf(`{"frameId":%q,"navigationType":"differentDocument"}`, frame))
}

func came(t *testing.T, r *Registry, frame, document, origin, kind string) {
	t.Helper()
	handle(t, r, "", "Page.frameNavigated", fmt.Sprintf(`{"frame":{"id":%q,"loaderId":%q,"url":"%s/p"},"type":%q}`, frame, document, origin, kind))
}

// readAll reads the unread frames, whose scripts have the origin.
func readAll(r *Registry, origin string) {
	for _, of := range r.UnreadFrames(false) {
		r.SetRead(of, &Read{Origin: origin})
	}
}

// started is a registry whose top frame shows a document.
func started(t *testing.T) *Registry {
	t.Helper()
	r := New()
	r.SetFrames("", []Frame{{ID: "top", Document: "d1", URL: "https://a.example/p"}})
	return r
}

func wantNames(t *testing.T, r *Registry, want ...string) {
	t.Helper()
	var got []string
	tools, _ := r.Tools()
	for _, tool := range tools {
		got = append(got, tool.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the tools are %q, want %q", got, want)
	}
}

func idOf(t *testing.T, r *Registry, name string) string {
	t.Helper()
	tools, _ := r.Tools()
	for _, tool := range tools {
		if tool.Name == name {
			return tool.ID
		}
	}
	t.Fatalf("no tool %q", name)
	return ""
}

// again reports whether the tool of the name still has the id.
func again(t *testing.T, r *Registry, name, id string, want bool) {
	t.Helper()
	if got := idOf(t, r, name) == id; got != want {
		t.Errorf("%s has its old id: %v, want %v", name, got, want)
	}
	if _, ok := r.Tool(id); ok != want {
		t.Errorf("the old id of %s names a tool: %v, want %v", name, ok, want)
	}
}

func TestRegistrationAndRemoval(t *testing.T) {
	// Ensure that an id names one registration: reported again it stays, taken back and
	// registered again it does not.
	r := started(t)
	added(t, r, "", "top", "one", "two")
	id := idOf(t, r, "one")
	added(t, r, "", "top", "one")
	again(t, r, "one", id, true)
	removed(t, r, "top", "one")
	removed(t, r, "top", "never")
	wantNames(t, r, "two")
	added(t, r, "", "top", "one")
	again(t, r, "one", id, false)
	id = idOf(t, r, "one")
	handle(t, r, "", "WebMCP.toolsAdded", `{"tools":[{"name":"one","frameId":"top","description":"another"}]}`)
	again(t, r, "one", id, false)
}

func TestBrowserIDs(t *testing.T) {
	// Ensure that where the browser gives ids, a late removal of an earlier registration does not take the present one.
	r := started(t)
	handle(t, r, "", "WebMCP.toolsAdded", `{"tools":[{"toolId":"t1","name":"one","frameId":"top"}]}`)
	id := idOf(t, r, "one")
	handle(t, r, "", "WebMCP.toolsAdded", `{"tools":[{"toolId":"t2","name":"one","frameId":"top"}]}`)
	again(t, r, "one", id, false)
	handle(t, r, "", "WebMCP.toolsRemoved", `{"tools":[{"toolId":"t1","name":"one","frameId":"top"}]}`)
	wantNames(t, r, "one")
	handle(t, r, "", "WebMCP.toolsRemoved", `{"tools":[{"toolId":"t2","name":"one","frameId":"top"}]}`)
	wantNames(t, r)
}

func TestNavigation(t *testing.T) {
	// Ensure that a document's tools go with it although nobody says so, that what the old one registers while the next is loading is its own, and that an abandoned navigation changes nothing.
	r := started(t)
	added(t, r, "", "top", "one")
	id := idOf(t, r, "one")
	handle(t, r, "", "Page.navigatedWithinDocument", `{"frameId":"top","url":"https://a.example/q"}`)
	handle(t, r, "", "Page.frameStartedNavigating", `{"frameId":"top","navigationType":"sameDocument"}`)
	again(t, r, "one", id, true)
	going(t, r, "top")
	added(t, r, "", "top", "late")
	wantNames(t, r, "one", "late")
	going(t, r, "top") // the first came to nothing
	again(t, r, "one", id, true)
	wantNames(t, r, "one", "late")
	came(t, r, "top", "d2", "https://b.example", "Navigation")
	wantNames(t, r)
	added(t, r, "", "top", "one")
	again(t, r, "one", id, false)
	if tool, _ := r.Tool(idOf(t, r, "one")); tool.OriginKnown || tool.Origin != "" || !tool.Top {
		t.Errorf("before its document was read, the tool is %+v", tool)
	}
	readAll(r, "https://b.example")
	if tool, _ := r.Tool(idOf(t, r, "one")); tool.Origin != "https://b.example" || !tool.OriginKnown {
		t.Errorf("the tool is %+v", tool)
	}
	came(t, r, "top", "d2", "https://b.example", "Navigation") // heard after the frames were asked for
	wantNames(t, r, "one")
}

func TestBackForwardCache(t *testing.T) {
	// Ensure that the tools of a document that comes back, which are told before it is, are its own, with ids of their own even where the page that is left has the same.
	r := started(t)
	added(t, r, "", "top", "one", "two")
	old := idOf(t, r, "one")
	going(t, r, "top")
	came(t, r, "top", "d2", "https://a.example", "Navigation")
	added(t, r, "", "top", "one")
	second := idOf(t, r, "one")
	going(t, r, "top")
	handle(t, r, "", "WebMCP.toolsAdded", `{"tools":[{"name":"one","frameId":"top","description":"d"},{"name":"two","frameId":"top","description":"d"},{"name":"inner","frameId":"sub"}]}`)
	came(t, r, "top", "d1", "https://a.example", "BackForwardCacheRestore")
	wantNames(t, r, "one", "two", "inner")
	for _, id := range []string{old, second} {
		if _, ok := r.Tool(id); ok {
			t.Error("an id outlived its document")
		}
	}
	if _, due := r.PendingSessions()[""]; !due {
		t.Error("the frames of the document that came back are not asked for")
	}
	r.SetFrames("", []Frame{
		{ID: "top", Document: "d1", URL: "https://a.example/p"},
		{ID: "sub", Parent: "top", Document: "s1", URL: "about:srcdoc"},
	})
	readAll(r, "https://a.example")
	if tool, _ := r.Tool(idOf(t, r, "inner")); tool.Origin != "https://a.example" || tool.Top {
		t.Errorf("the tool in the frame is %+v", tool)
	}
}

func TestFrames(t *testing.T) {
	// Ensure that frames go with their tools when they are removed, swapped or no longer listed, and with the document around them.
	frames := []Frame{
		{ID: "top", Document: "d1", URL: "https://a.example/p"},
		{ID: "a", Parent: "top", Document: "a1", URL: "https://a.example/a"},
		{ID: "b", Parent: "a", Document: "b1", URL: "about:blank"},
	}
	full := func() *Registry {
		r := New()
		r.SetFrames("", frames)
		added(t, r, "", "top", "who")
		added(t, r, "", "a", "who")
		added(t, r, "", "b", "who")
		return r
	}
	for name, row := range map[string]struct {
		do   func(r *Registry)
		left int
	}{
		"nothing": {func(*Registry) {}, 3},
		"removed": {func(r *Registry) { handle(t, r, "", "Page.frameDetached", `{"frameId":"b","reason":"remove"}`) }, 2},
		"swapped": {func(r *Registry) { handle(t, r, "", "Page.frameDetached", `{"frameId":"b","reason":"swap"}`) }, 2},
		"swapped, and told by the new session before": {func(r *Registry) {
			r.HandleEvent("", SessionAttached{Session: "s", Frame: "b"})
			added(t, r, "s", "b", "new")
			handle(t, r, "", "Page.frameDetached", `{"frameId":"b","reason":"swap"}`)
		}, 3},
		"not listed":     {func(r *Registry) { r.SetFrames("", frames[:2]) }, 2},
		"another one":    {func(r *Registry) { came(t, r, "a", "a2", "https://a.example", "Navigation") }, 1},
		"top navigated":  {func(r *Registry) { going(t, r, "top"); came(t, r, "top", "d2", "https://a.example", "Navigation") }, 0},
		"debugger ended": {func(r *Registry) { r.Reset() }, 0},
	} {
		r := full()
		row.do(r)
		if tools, _ := r.Tools(); len(tools) != row.left {
			t.Errorf("%s: %d tools are left, want %d", name, len(tools), row.left)
		}
	}
	r := full()
	tools, _ := r.Tools()
	if !tools[0].Top || tools[1].Top || tools[2].Origin != "" {
		t.Errorf("the tools are %+v", tools)
	}
}

func TestSessions(t *testing.T) {
	// Ensure that a frame in another process is asked for once it is there, and its tools end with its session.
	r := started(t)
	r.HandleEvent("", SessionAttached{Session: "s", Frame: "f"})
	if due := r.PendingSessions(); len(due) != 1 || !due["s"] {
		t.Errorf("due is %v", due)
	}
	r.SetFrames("s", []Frame{{ID: "f", Parent: "top", Document: "f1", URL: "https://c.example/"}})
	added(t, r, "s", "f", "far")
	readAll(r, "https://c.example")
	if tool, _ := r.Tool(idOf(t, r, "far")); tool.Session != "s" || tool.Origin != "https://c.example" || tool.Top {
		t.Errorf("the tool is %+v", tool)
	}
	if got := r.Sessions(); !slices.Equal(got, []string{"", "s"}) || len(r.PendingSessions()) != 0 {
		t.Errorf("sessions %q, due %v", got, r.PendingSessions())
	}
	r.HandleEvent("", SessionDetached{Session: "s"})
	wantNames(t, r)
}

func TestMany(t *testing.T) {
	// Ensure that a page cannot fill the host: what is beyond the bound is counted.
	r := started(t)
	var many strings.Builder
	for i := range maxTools + 7 {
		fmt.Fprintf(&many, `,{"name":"t%d","frameId":"top"}`, i)
	}
	handle(t, r, "", "WebMCP.toolsAdded", `{"tools":[`+many.String()[1:]+`]}`)
	if tools, beyond := r.Tools(); len(tools) != maxTools || beyond != 7 {
		t.Errorf("%d tools and %d beyond", len(tools), beyond)
	}
}

func TestManyBytes(t *testing.T) {
	// Ensure that the tools of all frames of a tab together have a bound in bytes, and that what goes with its registration or its document makes room again, also where the document comes back.
	r := started(t)
	r.SetFrames("s", []Frame{{ID: "far", Document: "f1", URL: "https://b.example/p"}})
	large := json.RawMessage(`{"description":"` + strings.Repeat("x", maxSchemaBytes-100) + `"}`)
	next := 0
	fill := func(session, frame string, n int) (kept int) {
		t.Helper()
		before, _ := r.Tools()
		for range n {
			next++
			d := Declared{Frame: frame, Name: fmt.Sprint("t", next), InputSchema: large, OutputSchema: large}
			r.HandleEvent(session, ToolsAdded{[]Declared{d}})
			d.Description = "registered again, and counted once"
			r.HandleEvent(session, ToolsAdded{[]Declared{d}})
		}
		after, _ := r.Tools()
		return len(after) - len(before)
	}
	const room = maxToolsBytes / (2 * maxSchemaBytes)
	if n := fill("s", "far", 100); n != 100 {
		t.Errorf("a frame has %d tools", n)
	}
	if n := fill("", "top", room); n < room-101 || n > room-99 {
		t.Errorf("the page has %d tools beside them", n)
	}
	if _, beyond := r.Tools(); beyond < 198 {
		t.Errorf("%d tools are beyond", beyond)
	}
	tools, _ := r.Tools()
	removed(t, r, "top", tools[0].Name)
	if n := fill("", "top", 2); n != 1 {
		t.Errorf("in place of one come %d", n)
	}
	r.HandleEvent("", SessionDetached{Session: "s"})
	going(t, r, "top")
	if n := fill("", "top", 99); n != 99 {
		t.Errorf("in place of the frame's come %d", n)
	}
	came(t, r, "top", "d2", "https://a.example", "BackForwardCacheRestore")
	if n := fill("", "top", room); n < room-101 || n > room-98 {
		t.Errorf("beside those of a document that came back are %d", n)
	}
}

func TestReadFrames(t *testing.T) {
	// Ensure that the frames whose tools no event reports are read once, and that what was read completes what was reported and does not replace it.
	r := New()
	frames := []Frame{
		{ID: "top", Document: "d1", URL: "https://a.example/p"},
		{ID: "sub", Parent: "top", Document: "s1", URL: "https://a.example/s"},
	}
	r.SetFrames("", frames)
	unread := r.UnreadFrames(true)
	if len(unread) != 1 || unread[0] != (UnreadFrame{"", "sub", "s1", 0}) {
		t.Fatalf("unread %+v", unread)
	}
	added(t, r, "", "sub", "told")
	id := idOf(t, r, "told")
	read, err := DecodeRead("sub", `{"origin":"https://a.example","tools":[{"name":"told","title":"Told","description":"x"},{"name":"form","form":true,"autosubmit":true,"hints":{"consequentialHint":true}}]}`)
	if err != nil || read.Origin != "https://a.example" {
		t.Fatal(read, err)
	}
	r.SetRead(unread[0], &read)
	again(t, r, "told", id, true)
	if told, _ := r.Tool(id); told.Title != "Told" || told.Description != "d" {
		t.Errorf("the tool that was reported is %+v", told)
	}
	if form, _ := r.Tool(idOf(t, r, "form")); !form.Form || !form.Annotations.Autosubmit || !form.Annotations.Consequential || form.Origin != "https://a.example" {
		t.Errorf("the form is %+v", form)
	}
	r.SetFrames("", frames)
	if got := r.UnreadFrames(false); len(got) != 0 {
		t.Errorf("unread again: %+v", got)
	}
	came(t, r, "sub", "s2", "https://a.example", "Navigation")
	if got := r.UnreadFrames(true); len(got) != 0 {
		t.Errorf("a document without tools that was followed from its beginning is unread: %+v", got)
	}
	r.SetRead(unread[0], &read) // of the document that is gone
	wantNames(t, r)
	if _, err := DecodeRead("sub", `{"tools":1}`); err == nil {
		t.Error("nonsense was read")
	}
}

func TestTitles(t *testing.T) {
	// Ensure that titles are read again whenever a tool is registered, and that a tool which was taken back while its document was read does not come back.
	r := started(t)
	added(t, r, "", "top", "one", "two")
	unread := r.UnreadFrames(true)
	if len(unread) != 1 {
		t.Fatalf("unread %+v", unread)
	}
	removed(t, r, "top", "two")
	added(t, r, "", "top", "three")
	r.SetRead(unread[0], &Read{Origin: "https://a.example", Tools: []Declared{{Frame: "top", Name: "one", Title: "One"}, {Frame: "top", Name: "two"}}})
	wantNames(t, r, "one", "three")
	if tool, _ := r.Tool(idOf(t, r, "one")); tool.Title != "One" {
		t.Errorf("the tool is %+v", tool)
	}
	if len(r.UnreadFrames(false)) != 0 || len(r.UnreadFrames(true)) != 1 {
		t.Errorf("unread %+v, with titles %+v", r.UnreadFrames(false), r.UnreadFrames(true))
	}
	r.SetRead(r.UnreadFrames(true)[0], &Read{Origin: "https://a.example"})
	if got := r.UnreadFrames(true); len(got) != 0 {
		t.Errorf("unread again: %+v", got)
	}
}

func TestOrigins(t *testing.T) {
	// Ensure that a tool has the origin that its document has for scripts, and none where that is opaque or could not be read, whatever its address and the page around it are.
	for text, want := range map[string]string{
		`{"origin":"https://A.example:443"}`: "https://a.example", `{"origin":"null"}`: "", `{"origin":""}`: "", `{}`: "", `{"origin":"file://"}`: "",
	} {
		r := New()
		r.SetFrames("", []Frame{{ID: "top", Document: "d1", URL: "https://a.example/p"}, {ID: "sub", Parent: "top", Document: "s1", URL: "about:srcdoc"}})
		added(t, r, "", "sub", "boxed")
		read, err := DecodeRead("sub", text)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range r.UnreadFrames(false) {
			r.SetRead(of, nil)
		}
		if tool, _ := r.Tool(idOf(t, r, "boxed")); tool.OriginKnown || tool.Origin != "" {
			t.Errorf("before it could be read the tool is %+v", tool)
		}
		for _, of := range r.UnreadFrames(false) {
			r.SetRead(of, &read)
		}
		if tool, _ := r.Tool(idOf(t, r, "boxed")); !tool.OriginKnown || tool.Origin != want {
			t.Errorf("%s: the tool is %+v", text, tool)
		}
	}
}
