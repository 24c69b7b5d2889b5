package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

const (
	// taskTimeout ends a task of a server that hangs, which then costs it the next ones, too.
	taskTimeout = 10 * time.Second
	// judgeTimeout is how long a page's report may be on its way after the last answer.
	judgeTimeout = time.Second
)

// contender is one server with a browser and a gallery of its own.
type contender struct {
	name    string
	server  *server
	drive   func() driver // for a task
	actions bool          // has the map of the gallery
	// learns are what is asked once a session beside the list of tools.
	learns []step
	site   string
	rec    *sites.Recorder
	got    chan struct{} // has a value after a request
	file   string        // that may be uploaded
}

// bill is what a task has cost, done or not.
type bill struct {
	done                  bool
	why                   string // not
	calls, sent, received int    // the last two in bytes
	took                  time.Duration
}

// BenchmarkAgentCost is what an agent pays for tasks on the gallery's pages: calls,
// bytes of the messages both ways, milliseconds. One script does them through each
// server: as stored actions where the map has one, by primitives, and through the
// other browser servers from npm. It knows no page before it has looked, and looks
// again where a page changes. The page's server judges what was done; what a server
// does not manage is reported as such. Each round begins with another one.
func BenchmarkAgentCost(b *testing.B) {
	all := contenders(b)
	b.Run("learn", func(b *testing.B) {
		perform(b, all, func(c *contender) bill { return c.learn() })
		for _, c := range all {
			b.ReportMetric(float64(c.server.catalogue()), c.name+"-catalogue-bytes")
		}
	})
	for _, t := range galleryTasks {
		b.Run(t.name, func(b *testing.B) {
			perform(b, all, func(c *contender) bill { return c.perform(t) })
		})
	}
}

// perform has each do the same once a round, and reports the middle of what it cost.
func perform(b *testing.B, all []*contender, do func(*contender) bill) {
	bills := map[string][]bill{}
	for round := 0; b.Loop(); round++ {
		for i := range all {
			c := all[(i+round)%len(all)]
			one := do(c)
			if one.keep(b, c.name); !one.done && testing.Verbose() {
				b.Logf("%s: %s", c.name, one.why)
			}
			bills[c.name] = append(bills[c.name], one)
		}
	}
	for _, c := range all {
		of := bills[c.name]
		done := 0.0
		for _, one := range of {
			if one.done {
				done++
			}
		}
		b.ReportMetric(done/float64(len(of)), c.name+"-done")
		for unit, figure := range map[string]func(bill) float64{
			"calls":      func(one bill) float64 { return float64(one.calls) },
			"sent-bytes": func(one bill) float64 { return float64(one.sent) }, "received-bytes": func(one bill) float64 { return float64(one.received) },
			"ms": func(one bill) float64 { return ms(one.took) },
		} {
			var figures []float64
			for _, one := range of {
				figures = append(figures, figure(one))
			}
			slices.Sort(figures)
			b.ReportMetric(figures[(len(figures)-1)/2], c.name+"-"+unit)
		}
	}
	b.ReportMetric(0, "ns/op")
}

// keep adds the bill to the file that ./scripts/bench names.
func (one bill) keep(b *testing.B, server string) {
	b.Helper()
	keepSample(b, map[string]any{"benchmark": b.Name(), "sample": server, "ms": []float64{ms(one.took)}, "done": one.done, "why": one.why,
		"calls": one.calls, "sent_bytes": one.sent, "received_bytes": one.received})
}

// learn asks what an agent asks once.
func (c *contender) learn() bill {
	return c.pay(func(a *agent) { a.do(c.learns) })
}

// begin brings the browser to the gallery's first page, whatever the task before left
// behind. Nobody pays for it.
func (c *contender) begin() error {
	ctx, cancel := context.WithTimeout(c.server.ctx, taskTimeout)
	defer cancel()
	for _, s := range c.drive().leave(c.site + "/index.html") {
		if _, err := c.server.try(ctx, s.tool, s.args); err != nil {
			return err
		}
	}
	return nil
}

// perform does a task and has the page's server judge it.
func (c *contender) perform(t task) bill {
	if err := c.begin(); err != nil {
		return bill{why: err.Error()}
	}
	begun := len(c.rec.All())
	one := c.pay(func(a *agent) {
		a.open(t.page)
		if c.actions && t.action != "" {
			a.do([]step{{"actions_site", object{"mode": "call", "action": t.action, "arguments": t.args(c)}}})
			return
		}
		t.script(a)
	})
	if one.done {
		one.why = c.judge(begun, t.wants)
		one.done = one.why == ""
	}
	return one
}

// pay has an agent work and counts.
func (c *contender) pay(work func(*agent)) bill {
	ctx, cancel := context.WithTimeout(c.server.ctx, taskTimeout)
	defer cancel()
	a := &agent{contender: c, driver: c.drive(), ctx: ctx}
	sent, received, started := c.server.sent.all.Load(), c.server.answer.total(), time.Now()
	work(a)
	one := bill{
		done: a.err == nil, calls: a.calls, took: time.Since(started),
		sent: int(c.server.sent.all.Load() - sent), received: c.server.answer.total() - received,
	}
	if a.err != nil {
		one.why = a.err.Error()
	}
	return one
}

// judge waits until the server has got all that it should have, and returns what it
// has not, or has twice.
func (c *contender) judge(begun int, wants []want) (why string) {
	late := time.After(judgeTimeout)
	for {
		if why = missed(c.rec.All()[begun:], wants); why == "" {
			return ""
		}
		select {
		case <-c.got:
		case <-late:
			return why
		}
	}
}

func missed(got []sites.Request, wants []want) string {
	for _, w := range wants {
		count := 0
		for _, r := range got {
			if strings.HasPrefix(r.Path, w.place) && !slices.ContainsFunc(w.has, func(text string) bool { return !strings.Contains(r.Path+" "+r.Body, text) }) {
				count++
			}
		}
		if count != 1 {
			return fmt.Sprintf("the page's server got %d of %v, in %v", count, w, got)
		}
	}
	return ""
}

// contenders are the servers, each with a gallery of its own.
func contenders(b *testing.B) []*contender {
	b.Helper()
	if testing.Short() {
		b.Skip("short mode: no browser")
	}
	if _, err := os.Stat("node_modules"); err != nil {
		b.Fatal("the npm packages are missing: run ./scripts/bench, which installs them")
	}
	text, err := os.ReadFile(filepath.Join("testdata", "gallery.actions.json"))
	if err != nil {
		b.Fatal(err)
	}
	all := []*contender{ownContender(b, "site-action", string(text)), ownContender(b, "primitives", "")}
	for _, peer := range []struct {
		name   string
		driver driver
		start  func(b *testing.B, site string, flags ...string) *server
		flags  []string
	}{
		{"chrome-devtools-mcp", devTools{}, startDevTools, nil},
		{"playwright", playwrightTools{}, startPlaywright, nil},
		// The tools that it lists by itself answer no dialog, drag nothing and upload nothing.
		{"agent-browser", agentBrowserTools{}, startAgentBrowser, []string{"--tools", "all"}},
	} {
		c := &contender{name: peer.name, drive: func() driver { return peer.driver }}
		c.serveGallery(b)
		c.server = peer.start(b, c.site+"/index.html", peer.flags...)
		c.provide(b, c.server.cmd.Dir)
		all = append(all, c)
	}
	return all
}

// ownContender is Actions Host with a map or without. What an agent needs beyond the
// list of tools it asks for: the site's actions, and the primitives that are not listed.
func ownContender(b *testing.B, name, actions string) *contender {
	b.Helper()
	c := &contender{name: name, drive: newPrimitives, actions: actions != ""}
	c.serveGallery(b)
	home := harness.NewHome(b)
	if c.actions {
		home.Map(b, "public", "127.0.0.1", "gallery", actions)
	}
	home.Open(b, c.site+"/index.html")
	c.server = own(b, home)
	c.provide(b, filepath.Join(home.Dir, "data", "uploads"))
	c.learns = []step{{"actions_site", object{"mode": "list", "detail": true}}}
	rare := []string{"viewport.scroll", "browser.dismiss_dialog", "locator.drag_to", "locator.upload_file", "text.type"}
	if c.actions {
		rare = []string{"browser.dismiss_dialog"}
	}
	for _, name := range rare {
		c.learns = append(c.learns, step{"primitives_list", object{"name": name}})
	}
	return c
}

// serveGallery serves the pages, and remembers which were asked for, too.
func (c *contender) serveGallery(b *testing.B) {
	b.Helper()
	c.got = make(chan struct{}, 1)
	c.rec = sites.NewRecorder(func(sites.Request) {
		select {
		case c.got <- struct{}{}:
		default: // who waits looks at all
		}
	})
	gallery, err := sites.Gallery(c.rec)
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path.Ext(r.URL.Path) == ".html" {
			if _, err := c.rec.Add(r); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
		}
		gallery.ServeHTTP(w, r)
	}))
	b.Cleanup(server.Close)
	c.site = server.URL
}

// provide writes the file where the server may take files from.
func (c *contender) provide(b *testing.B, folder string) {
	b.Helper()
	c.file = filepath.Join(folder, "list.csv")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(c.file, []byte("tea,3"), 0o600); err != nil {
		b.Fatal(err)
	}
}

func TestMissed(t *testing.T) {
	// Ensure that a task is done when its server has got each thing once, and neither without one of them nor with one twice.
	wants := []want{{"/csp.html", nil}, seen("row", `"row":203`)}
	page, row := sites.Request{Path: "/csp.html"}, sites.Request{Path: "/seen", Body: `{"what":"row","row":203}`}
	if why := missed([]sites.Request{{Path: "/index.html"}, row, page}, wants); why != "" {
		t.Error(why)
	}
	for _, got := range [][]sites.Request{{page}, {page, row, row}, {page, {Path: "/seen", Body: `{"what":"row","row":3}`}}} {
		if missed(got, wants) == "" {
			t.Errorf("%v is done", got)
		}
	}
}
