package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/test/harness"
)

// clicked is a page that reports each click, by its place, to its server.
const clicked = `<!doctype html><title>clicks</title><style>html,body{height:100%;margin:0}</style><body>
<script>addEventListener("click", (e) => navigator.sendBeacon("/click/" + e.clientX + "/" + e.clientY))</script>`

// chromium is a browser with a page, whose server sees what is done there.
type chromium struct {
	home    *harness.Home
	url     string
	browser *launch.Browser
	ledger  *harness.Ledger
	next    int // the place of the next click
	mu      sync.Mutex

	survives bool        // the clients outlive the fault: they end with the first call that begins after it
	over     atomic.Bool // the fault has been injected
}

func newChromium(t *testing.T) *chromium {
	t.Helper()
	s := &chromium{home: harness.NewHome(t), ledger: harness.NewLedger()}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if place, ok := strings.CutPrefix(r.URL.Path, "/click/"); ok {
			s.book().SawMark(place)
			return
		}
		if r.URL.Path == "/redirect" {
			http.Redirect(w, r, "/", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(clicked)) // a browser that went away needs nothing
	}))
	t.Cleanup(server.Close)
	s.url = strings.Replace(server.URL, "127.0.0.1", harness.Site(t), 1)
	return s
}

// book is the ledger of the fault that is injected.
func (s *chromium) book() *harness.Ledger {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger
}

// columns and lines are the places of clicks: each is clicked once.
const columns, lines = 700, 400

func (s *chromium) click(t *testing.T) control.CallParams {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	if s.next >= columns*lines {
		t.Error("no place is left for a click")
	}
	return harness.Direct(clickName, fmt.Sprintf(`{"x":%d,"y":%d}`, s.next%columns, s.next/columns))
}

// load calls until a call fails, which only the fault may cause, or as long as the clients
// outlive it; it returns how many calls were cut, or were under way when it was injected.
func (s *chromium) load(t *testing.T, r *row, injected *atomic.Bool, good func()) (cut int) {
	ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
	defer cancel()
	clients, err := control.Await(ctx, s.home.Sockets())
	if err != nil {
		t.Error(err)
		return 0
	}
	c := clients[0]
	defer c.Close()
	for {
		early, late := !injected.Load(), s.over.Load()
		e, err := r.call(c, s.book(), s.click(t))
		if s.survives && early && injected.Load() {
			cut++
		}
		switch {
		case err == nil && e.OK:
			good()
			if s.survives && late {
				return cut
			}
		case !injected.Load():
			t.Errorf("before the fault: %v %+v", err, e.Error)
			return 0
		case err == nil && (e.Error.Dispatched == "" || e.Error.NextStep == ""):
			t.Errorf("the fault is answered with too little: %+v", e.Error)
			return 0
		case !s.survives:
			return 1
		case err != nil || late:
			return cut
		}
	}
}

// hit has two clients call, injects the fault at a random moment after the first answer, and
// returns when it was and whether it reached a call.
func (s *chromium) hit(t *testing.T, r *row, inject func()) (at time.Time, reached bool) {
	t.Helper()
	var injected atomic.Bool
	s.over.Store(false)
	good, once := make(chan struct{}), sync.Once{}
	cuts := make(chan int, 2)
	for range 2 {
		go func() { cuts <- s.load(t, r, &injected, func() { once.Do(func() { close(good) }) }) }()
	}
	select {
	case <-good:
	case <-harness.Patient(t).Done():
		t.Fatal("no call is answered")
	}
	<-time.After(rand.N(200 * time.Millisecond)) // the random moment
	at = time.Now()
	injected.Store(true)
	inject()
	s.over.Store(true)
	return at, <-cuts+<-cuts > 0
}

// again calls until a call is answered well, and notes how long after the moment that was.
func (s *chromium) again(t *testing.T, r *row, since time.Time) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
	defer cancel()
	for {
		clients, err := control.Await(ctx, s.home.Sockets())
		if err != nil {
			r.stuck("no good call after the fault: %v", err)
			return
		}
		e, err := r.call(clients[0], s.book(), s.click(t))
		clients[0].Close()
		if err == nil && e.OK {
			r.recovered(time.Since(since))
			return
		}
		select {
		case <-ctx.Done():
			r.stuck("no good call after the fault: %v %+v", err, e.Error)
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// logged ends the browser and compares the log of its profile.
func (s *chromium) logged(t *testing.T, r *row) {
	t.Helper()
	all, report, err := harness.ReadLog(s.home.DatabaseOf(s.browser.ProfileID))
	if err != nil || !report.OK {
		t.Errorf("the log: %+v, %v", report, err)
	}
	r.compare(s.ledger, all)
	r.judge(t)
}

func TestWorkerAndHostKilled(t *testing.T) {
	// Ensure that a worker or a host that is killed at a random moment, while two clients call, loses and doubles nothing, leaves no client waiting, and that calls work again by themselves.
	for _, c := range []struct {
		name      string
		few, many int
		kill      func(t *testing.T, s *chromium)
	}{
		{"worker", 2, 100, killWorker},
		{"host", 2, 50, func(t *testing.T, s *chromium) { signalKill(t, s.home.Host(t)) }},
	} {
		s := newChromium(t)
		s.browser = s.home.Open(t, s.url)
		r := inject(t, "Chromium: "+c.name+" killed", c.few, c.many, func(r *row) bool {
			host := s.home.Host(t)
			at, reached := s.hit(t, r, func() { c.kill(t, s) })
			s.home.HostEnded(t, host)
			s.again(t, r, at)
			return reached
		})
		host := s.home.Host(t)
		if err := s.browser.Close(); err != nil {
			t.Error(err)
		}
		s.home.HostEnded(t, host)
		s.logged(t, r)
	}
}

func TestBrowserKilled(t *testing.T) {
	// Ensure that a browser that is killed at a random moment, while two clients call, takes its host with it, loses and doubles nothing and leaves no client waiting, and that calls work in the next browser.
	r := inject(t, "Chromium: browser killed", 1, 20, func(r *row) bool {
		s := newChromium(t)
		// What a killed browser leaves behind goes with the home.
		s.browser = s.home.OpenWith(t, []string{"TMPDIR=" + s.home.Dir}, nil, s.url)
		host := s.home.Host(t)
		at, reached := s.hit(t, r, func() { signalKill(t, browserProcess(t, s.browser)) })
		s.home.HostEnded(t, host)
		all, report, err := harness.ReadLog(s.home.DatabaseOf(s.browser.ProfileID))
		if err != nil || !report.OK {
			t.Errorf("the log: %+v, %v", report, err)
		}
		r.compare(s.ledger, all)
		next := s.home.Open(t, s.url)
		s.again(t, r, at)
		if err := next.Close(); err != nil {
			t.Error(err)
		}
		return reached
	})
	r.judge(t)
}

func killWorker(t *testing.T, s *chromium) {
	t.Helper()
	for _, info := range harness.Targets(t, s.browser) {
		if info.Type == "service_worker" {
			if _, err := cdp.Call(t.Context(), s.browser.Session(), target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID}); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Error("no worker found")
}

// browserProcess is the browser's own process, which the others end with.
func browserProcess(t *testing.T, b *launch.Browser) int {
	t.Helper()
	all, err := cdp.Call(t.Context(), b.Session(), systeminfo.GetProcessInfo, cdp.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all.ProcessInfo {
		if p.Type == "browser" {
			return int(p.ID)
		}
	}
	t.Fatal("no process of the browser is found")
	return 0
}

func signalKill(t *testing.T, pid int) {
	t.Helper()
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Error(err)
	}
}
