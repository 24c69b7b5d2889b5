package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

// visitor does in one browser what a user does on the pages of the gallery.
type visitor struct {
	*testing.T
	home      *harness.Home
	client    *control.Client
	catalogue *primitive.Catalogue
	page      document
	rec       *sites.Recorder
	origin    string
	begun     int                   // requests before this page
	tree      string                // the last snapshot
	as        control.SessionParams // who calls; a terminal without it
}

// TestGallery visits every page in one browser, one after the other.
func TestGallery(t *testing.T) {
	rec := sites.NewRecorder(nil)
	handler, err := sites.Gallery(rec)
	if err != nil {
		t.Fatal(err)
	}
	home := harness.Shared(t)
	v := &visitor{home: home, catalogue: primitive.Load(), rec: rec, origin: serve(t, handler)}
	b := home.Open(t, v.origin+"/index.html")
	clients, err := control.Await(t.Context(), home.Sockets())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { clients[0].Close() })
	v.client, v.page = clients[0], pageAt(t, b, v.origin+"/index.html")
	for _, visit := range []struct {
		name string
		run  func(*visitor)
	}{
		{"react", visitReact}, {"code", visitCode}, {"editors", visitEditors}, {"virtual list", visitVirtual}, {"sticky", visitSticky},
		{"shadow", visitShadow}, {"frames", visitFrames}, {"strict", visitStrict}, {"dialogs", visitDialogs}, {"leaving", visitLeaving},
		{"drag", visitDrag}, {"upload", visitUpload}, {"canvas", visitCanvas}, {"restless", visitRestless}, {"index", visitIndex},
	} {
		t.Run(visit.name, func(t *testing.T) {
			each := *v
			each.T, each.page.t = t, t
			visit.run(&each)
		})
	}
}

// open goes to a page and looks at it.
func (v *visitor) open(name string) {
	v.Helper()
	v.do("browser.navigate", fmt.Sprintf(`{"url":%q,"force":true}`, v.origin+"/"+name), nil)
	v.begun = len(v.rec.All())
	v.look()
}

// look takes a snapshot of the page with all its frames, whose refs the next calls use.
func (v *visitor) look() {
	v.Helper()
	harness.Until(v, "the frames are loaded", func() bool {
		var out struct{ Snapshot string }
		v.do("page.snapshot", `{}`, &out)
		v.tree = out.Snapshot
		return !strings.Contains(v.tree, "[loading]")
	})
}

// ref returns a locator by the ref of the nth line of the last snapshot that
// begins so.
func (v *visitor) ref(line string, nth ...int) string {
	v.Helper()
	skip := append(nth, 0)[0]
	for at := range strings.Lines(v.tree) {
		if !strings.HasPrefix(strings.TrimLeft(at, " -"), line) {
			continue
		}
		if skip--; skip >= 0 {
			continue
		}
		if _, rest, ok := strings.Cut(at, "[ref="); ok {
			ref, _, _ := strings.Cut(rest, "]")
			return fmt.Sprintf(`{"ref":%q}`, ref)
		}
	}
	v.Fatalf("no ref for %s in\n%s", line, v.tree)
	return ""
}

// try makes a call over the socket.
func (v *visitor) try(name, args string) dispatch.Envelope {
	v.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(args), &members); err != nil {
		v.Fatalf("%s: %v", args, err)
	}
	kind := policy.KindGeneric
	if record, ok := v.catalogue.Public(name); ok && record.CapabilityClass == policy.ClassDebug {
		kind = policy.KindDebugger
	}
	members["policy_exception_report"] = policy.Report{Kind: kind, IntendedTool: name, ActionsJSONPath: "none", Reason: "A test."}
	raw, err := json.Marshal(members)
	if err != nil {
		v.Fatal(err)
	}
	var e dispatch.Envelope
	session := v.as
	if session.Kind == "" {
		session.Kind = policy.SessionCLI
	}
	err = v.client.Call(v.Context(), control.MethodCall, control.CallParams{
		Session: session, Name: name, Arguments: raw,
	}, &e)
	if err != nil {
		v.Fatalf("%s %s: %v", name, args, err)
	}
	return e
}

// do makes a call that must succeed.
func (v *visitor) do(name, args string, into any) {
	v.Helper()
	e := v.try(name, args)
	if !e.OK {
		v.Fatalf("%s %s: %v %v", name, args, e.Error, e.Error.Evidence)
	}
	harness.Must(v, e, into)
}

// refused makes a call that must fail with the code, nothing being sent.
func (v *visitor) refused(name, args string, code fault.Code) *fault.Error {
	v.Helper()
	e := v.try(name, args)
	if e.Error == nil || e.Error.Code != code || e.Error.Dispatched != fault.NotDispatched {
		v.Fatalf("%s %s gave %+v %s, not %s", name, args, e.Error, e.Output, code)
	}
	return e.Error
}

func (v *visitor) click(locator string) {
	v.Helper()
	v.do("locator.click", `{"locator":`+locator+`}`, nil)
}

func (v *visitor) fill(locator, text string) {
	v.Helper()
	var out struct {
		Verified bool
		Fidelity string
	}
	v.do("locator.fill", fmt.Sprintf(`{"locator":%s,"text":%q}`, locator, text), &out)
	if !out.Verified || out.Fidelity != "trusted" {
		v.Errorf("filling %s: %+v", locator, out)
	}
}

// told returns what the page has told its server under a name since it was opened.
func (v *visitor) told(what string) []string { return seenAs(v.rec.All()[v.begun:], what) }

// hears waits until the server was told so many things under a name, the last of
// which holds the words.
func (v *visitor) hears(what string, count int, words ...string) {
	v.Helper()
	harness.Until(v, fmt.Sprintf("%d times %s, now %v", count, what, v.told(what)), func() bool { return len(v.told(what)) >= count })
	got := v.told(what)
	if len(got) != count || slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(got[count-1], w) }) {
		v.Errorf("%s: the server was told %v, not %d with %q at the end", what, got, count, words)
	}
}

// upload writes a file where the user permits files to be taken from.
func (v *visitor) upload(name, text string) string {
	v.Helper()
	return uploadable(v.T, v.home, name, text)
}

// uploadable writes a file where the user permits files to be taken from.
func uploadable(t *testing.T, home *harness.Home, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(home.Dir, "data", "uploads", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
