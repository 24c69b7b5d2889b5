package bench

import (
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
)

// shares follows where the time of a host's calls goes: to pages, the browser's debugger, the extension's
// worker with the way there, the host with its client, and the disk. The calls must come one after the other;
// a wait for a page beside one for the browser counts as both.
type shares struct {
	client *control.Client
	before control.Spent
	b      *testing.B
}

// follow begins to follow the calls of the host.
func follow(b *testing.B, client *control.Client) *shares {
	b.Helper()
	s := &shares{client: client, b: b}
	s.before = s.spent()
	return s
}

func (s *shares) spent() control.Spent {
	s.b.Helper()
	var pong control.Pong
	if err := s.client.Call(s.b.Context(), control.MethodPing, control.Empty{}, &pong); err != nil {
		s.b.Fatal(err)
	}
	return pong.Spent
}

// report reports the mean share of each of the calls that took these times.
func (s *shares) report(name string, times []time.Duration) {
	s.b.Helper()
	after := s.spent()
	total := 0.0
	for _, t := range times {
		total += ms(t)
	}
	pages := after.Worker.PagesMS - s.before.Worker.PagesMS
	browser := after.Worker.BrowserMS - s.before.Worker.BrowserMS
	extension := after.ExtensionMS - s.before.ExtensionMS
	disk := after.LogMS - s.before.LogMS
	for _, share := range []struct {
		of string
		ms float64
	}{{"page", pages}, {"browser", browser}, {"worker", max(0, extension-pages-browser)}, {"host", total - extension - disk}, {"disk", disk}} {
		s.b.ReportMetric(share.ms/float64(len(times)), name+"share-"+share.of+"-ms")
	}
}

// measure times the call until the benchmark has enough, and reports where the time went.
func (h *host) measure(call func()) {
	h.b.Helper()
	for range warmUp {
		call()
	}
	followed := follow(h.b, h.Client)
	all := timed(h.b, call)
	all.report(h.b)
	followed.report("", all.times)
	h.b.ReportMetric(0, "ns/op")
}
