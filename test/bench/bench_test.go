// Package bench measures the whole chain: the built host and extension in a real
// headless Chromium. It holds benchmarks, and tests of what they read with:
//
//	go test -bench . ./test/bench     (./scripts/bench runs those of the budgets)
//
// Rules of this package:
//   - Every figure is a percentile of single calls, in milliseconds, since the
//     mean hides what a person waits for.
//   - A call that fails ends the benchmark: a fast failure is not a result. A task
//     that an agent did not manage is reported as such, its cost apart.
//   - No figure is asserted: machines differ. The budgets are in the design.
package bench

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Clean()
	os.Exit(code)
}

// warmUp is how many calls go before the first that counts.
const warmUp = 20

// sample collects what single calls took.
type sample struct {
	name  string
	times []time.Duration
}

func (s *sample) add(d time.Duration) { s.times = append(s.times, d) }

// report returns the sample's percentiles to the benchmark.
func (s *sample) report(b *testing.B) {
	slices.Sort(s.times)
	at := func(percent int) float64 {
		i := min(len(s.times)*percent/100, len(s.times)-1)
		return float64(s.times[i].Microseconds()) / 1000
	}
	b.ReportMetric(at(50), s.name+"p50-ms")
	b.ReportMetric(at(95), s.name+"p95-ms")
	s.keep(b)
}

// keep adds the single times to the file that ./scripts/bench names.
func (s *sample) keep(b *testing.B) {
	times := make([]float64, len(s.times))
	for i, t := range s.times {
		times[i] = ms(t)
	}
	keepSample(b, map[string]any{"benchmark": b.Name(), "sample": strings.TrimSuffix(s.name, "-"), "ms": times})
}

// keepSample adds a line to that file, if there is one.
func keepSample(b *testing.B, line map[string]any) {
	b.Helper()
	name := os.Getenv("ACTIONS_BENCH_SAMPLES")
	if name == "" {
		return
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := json.NewEncoder(f).Encode(line); err != nil {
		b.Fatal(err)
	}
}

// measure times the call until the benchmark has enough.
func measure(b *testing.B, call func()) {
	b.Helper()
	for range warmUp {
		call()
	}
	timed(b, call).report(b)
	b.ReportMetric(0, "ns/op") // a mean, which the percentiles replace
}

// timed makes the call until the benchmark has enough.
func timed(b *testing.B, call func()) *sample {
	all := &sample{}
	for b.Loop() {
		started := time.Now()
		call()
		all.add(time.Since(started))
	}
	return all
}

// host is a browser with the real host, a page of the benchmark's in it, and a
// connection to the host's socket.
type host struct {
	*control.Client
	home    *harness.Home
	browser *launch.Browser
	b       *testing.B
}

// start opens the page; the actions.json is that of its site, if there is one.
func start(b *testing.B, html, actions string) *host {
	b.Helper()
	return startWith(b, nil, html, actions)
}

// startWith is start with further arguments of the browser.
func startWith(b *testing.B, args []string, html, actions string) *host {
	b.Helper()
	if testing.Short() {
		b.Skip("short mode: no browser")
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		// A browser that went away has nothing to be told.
		_, _ = w.Write([]byte("<!doctype html><title>bench</title>" + html))
	}))
	b.Cleanup(server.Close)
	home := harness.NewHome(b)
	if actions != "" {
		home.Map(b, "public", "127.0.0.1", "bench", actions)
	}
	h := &host{home: home, browser: home.OpenWith(b, nil, args, server.URL), b: b}
	h.Client = connect(b, home)
	b.Cleanup(func() { h.Close() })
	return h
}

// connect returns a connection to the one host of the browser.
func connect(b *testing.B, home *harness.Home) *control.Client {
	b.Helper()
	clients, err := control.Await(b.Context(), home.Sockets())
	if err != nil || len(clients) != 1 {
		b.Fatalf("%d hosts, %v", len(clients), err)
	}
	return clients[0]
}

// call makes one call over the socket, as a terminal does.
func (h *host) call(name string, args map[string]any) dispatch.Envelope {
	h.b.Helper()
	if name != dispatch.SiteTool {
		args["policy_exception_report"] = policy.Report{Kind: policy.KindGeneric, IntendedTool: name, ActionsJSONPath: "none", Reason: "A benchmark."}
	}
	raw, err := json.Marshal(args)
	if err != nil {
		h.b.Fatal(err)
	}
	var e dispatch.Envelope
	if err := h.Call(h.b.Context(), control.MethodCall, control.CallParams{
		Session: control.SessionParams{Kind: policy.SessionCLI}, Name: name, Arguments: raw,
	}, &e); err != nil {
		h.b.Fatal(err)
	}
	return e
}

// granted makes the call that asks the user, who allows the like of it for good.
func (h *host) granted(name string, args map[string]any) {
	h.b.Helper()
	e := h.call(name, args)
	if e.OK || e.Error.Code != fault.NeedsApproval {
		h.b.Fatalf("%s asked nothing: %+v", name, e.Error)
	}
	id, _ := e.Error.Evidence["id"].(string)
	if err := h.Call(h.b.Context(), control.MethodAnswer, h.home.Answer(h.b, id, true, policy.ScopeAlways), &control.Empty{}); err != nil {
		h.b.Fatal(err)
	}
}

// must is call for one that has to go well; it decodes the output.
func (h *host) must(name string, args map[string]any, into any) dispatch.Envelope {
	h.b.Helper()
	e := h.call(name, args)
	harness.Must(h.b, e, into)
	return e
}
