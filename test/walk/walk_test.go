package walk

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

// The walk is short in a normal run; ACTIONS_WALK=10m takes a long one, and
// ACTIONS_WALK_SEED repeats one.
const (
	shortWalk  = 10 * time.Second
	callLimit  = time.Second     // of a call: most of what is tried is not on the page
	callGrace  = 6 * time.Second // after which it counts as hanging
	pageChange = 15              // calls on a page
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Clean()
	os.Exit(code)
}

type walk struct {
	*testing.T
	*Source
	client    *control.Client
	catalogue *primitive.Catalogue
	origin    string
	done      []string // the calls on this page
	count     map[string]int
}

// Ensure that no sequence of primitives hangs the host, gives an error that its
// record does not know, or makes the host grow.
func TestRandomWalk(t *testing.T) {
	long, seed := settings(t)
	t.Logf("seed %d, %s", seed, long)
	handler, err := sites.Gallery(sites.NewRecorder(nil))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	home := harness.NewHome(t)
	home.Open(t, server.URL+"/index.html")
	clients, err := control.Await(t.Context(), home.Sockets())
	if err != nil {
		t.Fatal(err)
	}
	defer clients[0].Close()
	w := &walk{
		T: t, Source: &Source{Rand: rand.New(rand.NewPCG(seed, seed))}, client: clients[0], catalogue: primitive.Load(),
		origin: server.URL, count: map[string]int{},
	}
	w.round()
	before := w.size()
	for end := time.Now().Add(long); time.Now().Before(end) && !t.Failed(); {
		w.round()
	}
	w.alive()
	after := w.size()
	t.Logf("calls %d, kinds of answer %v", sum(w.count), w.count)
	t.Logf("host before %+v, after %+v", before, after)
	if after.files > before.files+8 || after.threads > before.threads+16 {
		t.Errorf("the host grew: %+v to %+v", before, after)
	}
}

func settings(t *testing.T) (time.Duration, uint64) {
	long, seed := shortWalk, uint64(time.Now().UnixNano())
	if text := os.Getenv("ACTIONS_WALK"); text != "" {
		var err error
		if long, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	if text := os.Getenv("ACTIONS_WALK_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	return long, seed
}

// round goes to a page and calls primitives there.
func (w *walk) round() {
	w.done = nil
	w.settle()
	w.call("browser.navigate", map[string]any{"url": w.origin + "/" + pick(w.Source, sites.Pages()), "force": true})
	w.settle()
	names := slices.DeleteFunc(w.catalogue.Names(), w.leftOut)
	for i := range pageChange {
		if i%5 == 0 {
			w.look()
		}
		name := pick(w.Source, names)
		record, ok := w.catalogue.Public(name)
		if !ok {
			continue
		}
		args, err := w.Arguments(record)
		if err != nil {
			w.Fatal(err)
		}
		if e := w.call(name, args); e.Error != nil && e.Error.Code == fault.DialogOpen {
			w.settle()
		}
	}
}

// leftOut names what would end the walk: closing its tab, a bundle of maps.
func (w *walk) leftOut(name string) bool {
	record, _ := w.catalogue.Record(name)
	return record.Internal || slices.Contains([]string{"browser.close_tab", "browser.open_tab", "storage.import_bundle", "runtime.configure_pacing"}, name)
}

var refs = regexp.MustCompile(`ref=([a-z]+\d+)`)

// look learns the refs of what is on the page.
func (w *walk) look() {
	e := w.call("page.snapshot", map[string]any{})
	w.Refs = nil
	for _, found := range refs.FindAllStringSubmatch(string(e.Output), -1) {
		w.Refs = append(w.Refs, found[1])
	}
}

// settle answers the dialogs that are open.
func (w *walk) settle() {
	for range 4 {
		if e := w.call("browser.dismiss_dialog", map[string]any{"accept": true}); e.Error != nil {
			return
		}
	}
}

// call makes a call that is cut short.
func (w *walk) call(name string, args map[string]any) dispatch.Envelope {
	w.Helper()
	return w.callWithin(callLimit, name, args)
}

// callWithin makes a call with a limit, or with the host's own if that is 0.
func (w *walk) callWithin(limit time.Duration, name string, args map[string]any) dispatch.Envelope {
	w.Helper()
	record, _ := w.catalogue.Public(name)
	kind := policy.KindGeneric
	if record.CapabilityClass == "debug" || record.Effect == "code" {
		kind = policy.KindDebugger
	}
	if name != dispatch.SiteTool {
		args["policy_exception_report"] = policy.Report{Kind: kind, IntendedTool: name, ActionsJSONPath: "none", Reason: "A random walk."}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		w.Fatal(err)
	}
	w.done = append(w.done, name+" "+string(raw))
	ctx, cancel := context.WithTimeout(w.Context(), cmp.Or(limit, harness.Patience)+callGrace)
	defer cancel()
	began := time.Now()
	var e dispatch.Envelope
	err = w.client.Call(ctx, control.MethodCall, control.CallParams{
		Session: control.SessionParams{Kind: policy.SessionCLI}, Name: name, Arguments: raw, TimeoutMS: int(limit.Milliseconds()),
	}, &e)
	if err != nil {
		w.Fatalf("no answer: %v\n%s", err, strings.Join(w.done, "\n"))
	}
	if took := time.Since(began); took > callLimit/2 {
		w.Logf("%.1f s: %v after %s", took.Seconds(), e.Error, w.done[len(w.done)-1])
	}
	w.judge(record, e)
	return e
}

// anywhere are the codes that the call path itself gives for any primitive.
var anywhere = []fault.Code{
	fault.InvalidInput, fault.Cancelled, fault.HandlerTimeout, fault.OutcomeUnknown, fault.RuntimeReplaced, fault.RuntimeNotFound,
	fault.RuntimeNotReady, fault.NoCurrentTab, fault.RestrictedPage, fault.StateMismatch, fault.DialogOpen, fault.PermissionDenied, fault.CodeDisabled,
	fault.DebuggerUnavailable, fault.Timeout, fault.PayloadTooLarge, fault.FrameCrossOrigin, fault.FrameNotFound, fault.StaleRef,
}

func (w *walk) judge(record *primitive.Record, e dispatch.Envelope) {
	if e.OK {
		w.count["ok"]++
		return
	}
	w.count[string(e.Error.Code)]++
	if !slices.Contains(anywhere, e.Error.Code) && !slices.Contains(record.Errors, string(e.Error.Code)) {
		w.Errorf("%s gave %v, which its record does not list\nevidence %v\n%s", record.Name, e.Error, e.Error.Evidence, strings.Join(w.done, "\n"))
	}
}

// alive makes sure that the tab can still be worked with.
func (w *walk) alive() {
	w.settle()
	w.done = nil
	if e := w.callWithin(0, "browser.navigate", map[string]any{"url": w.origin + "/index.html", "force": true}); !e.OK {
		w.Errorf("after the walk: %v", e.Error)
	}
	if e := w.callWithin(0, "page.info", map[string]any{}); !e.OK {
		w.Errorf("after the walk: %v", e.Error)
	}
}

type size struct{ files, threads, kilobytes int }

// size reads what the host process takes.
func (w *walk) size() size {
	place := fmt.Sprintf("/proc/%d", w.client.Status.PID)
	files, err := os.ReadDir(filepath.Join(place, "fd"))
	if err != nil {
		w.Skipf("no /proc on this system: %v", err)
	}
	status, err := os.ReadFile(filepath.Join(place, "status"))
	if err != nil {
		w.Fatal(err)
	}
	s := size{files: len(files)}
	for line := range strings.Lines(string(status)) {
		name, rest, _ := strings.Cut(line, ":")
		if name != "Threads" && name != "VmRSS" {
			continue
		}
		n, err := strconv.Atoi(strings.Fields(rest)[0])
		if err != nil {
			w.Fatal(err)
		}
		if name == "Threads" {
			s.threads = n
		} else {
			s.kilobytes = n
		}
	}
	return s
}

func sum(counts map[string]int) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}
