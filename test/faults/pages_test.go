//go:build unix

package faults

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestPageGoesAway(t *testing.T) {
	// Ensure that a page that navigates, is redirected, crashes or is closed at a random moment, and a host or a browser that is suspended, while two clients call, lose and double nothing, leave no client waiting, and that calls work again after it.
	s := newChromium(t)
	s.survives = true
	s.browser = s.home.Open(t, s.url)
	ledgers := map[*row]*harness.Ledger{}
	for _, f := range []struct {
		name   string
		inject func(s *chromium, t *testing.T, r *row)
		mend   func(s *chromium, t *testing.T, r *row)
	}{
		{"page navigated", func(s *chromium, t *testing.T, _ *row) { s.navigate(t, "/?again") }, nil},
		{"page redirected", func(s *chromium, t *testing.T, _ *row) { s.navigate(t, "/redirect") }, nil},
		{"host suspended", func(s *chromium, t *testing.T, _ *row) { suspend(t, s.home.Host(t)) }, nil},
		{"browser suspended", func(s *chromium, t *testing.T, _ *row) { suspend(t, browserProcess(t, s.browser)) }, nil},
		{"tab crashed", (*chromium).crash, (*chromium).reload},
		{"tab closed", (*chromium).closeTab, (*chromium).openTab},
	} {
		s.mu.Lock()
		s.ledger = harness.NewLedger()
		s.mu.Unlock()
		r := inject(t, "Chromium: "+f.name, 1, 50, func(r *row) bool {
			at, reached := s.hit(t, r, func() { f.inject(s, t, r) })
			if f.mend != nil {
				f.mend(s, t, r)
			}
			s.again(t, r, at)
			return reached
		})
		ledgers[r] = s.book()
	}
	host := s.home.Host(t)
	if err := s.browser.Close(); err != nil {
		t.Error(err)
	}
	s.home.HostEnded(t, host)
	all, report, err := harness.ReadLog(s.home.DatabaseOf(s.browser.ProfileID))
	if err != nil || !report.OK {
		t.Errorf("the log: %+v, %v", report, err)
	}
	for r, l := range ledgers {
		r.compare(l, all)
		r.judge(t)
	}
}

// tab is the page that is clicked.
func (s *chromium) tab(t *testing.T) *target.Info {
	t.Helper()
	all := harness.Targets(t, s.browser)
	i := slices.IndexFunc(all, func(i *target.Info) bool { return i.Type == "page" && strings.HasPrefix(i.URL, s.url) })
	if i < 0 {
		t.Fatal("the page is not there")
	}
	return all[i]
}

func (s *chromium) navigate(t *testing.T, path string) {
	t.Helper()
	at := harness.Attach(t, s.browser, s.tab(t).TargetID)
	defer at.Detach()
	if _, err := cdp.Call(t.Context(), at, cdppage.Navigate, cdppage.NavigateParams{URL: s.url + path}); err != nil {
		t.Error(err)
	}
}

// suspension is how long a process is stopped: longer than any of its calls takes.
const suspension = 500 * time.Millisecond

func suspend(t *testing.T, pid int) {
	t.Helper()
	for _, signal := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
		if err := syscall.Kill(pid, signal); err != nil {
			t.Error(err)
		}
		if signal == syscall.SIGSTOP {
			<-time.After(suspension)
		}
	}
}

// crash crashes the page and waits until a call says so.
func (s *chromium) crash(t *testing.T, r *row) {
	t.Helper()
	at := harness.Attach(t, s.browser, s.tab(t).TargetID)
	go func() {
		_, _ = cdp.Call(t.Context(), at, cdppage.Crash, cdp.Empty{}) // a crashed page gives no answer
	}()
	harness.Until(t, "a call fails", func() bool { return !s.do(t, r, "page.info", `{}`) })
}

func (s *chromium) reload(t *testing.T, r *row) {
	t.Helper()
	harness.Until(t, "the page is loaded again", func() bool { return s.do(t, r, "browser.navigate", `{"reload":true}`) })
}

func (s *chromium) closeTab(t *testing.T, _ *row) {
	t.Helper()
	if _, err := cdp.Call(t.Context(), s.browser.Session(), target.CloseTarget, target.CloseTargetParams{TargetID: s.tab(t).TargetID}); err != nil {
		t.Error(err)
	}
}

func (s *chromium) openTab(t *testing.T, _ *row) {
	t.Helper()
	if err := s.browser.Open(harness.Patient(t), s.url+"/?"+fmt.Sprint(time.Now().UnixNano())); err != nil {
		t.Error(err)
	}
}

// do makes a call of its own and reports whether it was answered well.
func (s *chromium) do(t *testing.T, r *row, name, args string) bool {
	t.Helper()
	clients, err := control.Await(harness.Patient(t), s.home.Sockets())
	if err != nil {
		t.Fatal(err)
	}
	defer clients[0].Close()
	e, err := r.call(clients[0], s.book(), harness.Direct(name, args))
	return err == nil && e.OK
}
