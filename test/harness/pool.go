package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/launch"
)

// pool are the browsers that tests of this process use one after the other. A test
// has one for itself, with tabs of its own at a host name of its own: so maps,
// grants and cookies of two tests do not meet. What a test leaves behind besides,
// its lines in the log, its sessions, the place of the pane, the next one meets:
// tests about these have a browser of their own.
var pool = struct {
	mu    sync.Mutex
	idle  []*pooled
	sites map[string]string // of the tests that use a shared browser, by their names
}{sites: map[string]string{}}

// pooled is a browser of the pool, with the real host or with the test as its host.
type pooled struct {
	kind    string // what it was started with
	home    *Home
	browser *launch.Browser
	played  *Played
}

var siteCount atomic.Int64

// newSite returns a host name that no test has used.
func newSite() string { return fmt.Sprintf("t%d.localhost", siteCount.Add(1)) }

// Site is the host name under which a test's pages are served: one of its own where
// it uses a shared browser.
func Site(t testing.TB) string {
	name, _, _ := strings.Cut(t.Name(), "/")
	pool.mu.Lock()
	defer pool.mu.Unlock()
	if site := pool.sites[name]; site != "" {
		return site
	}
	return "localhost"
}

// borrow takes an idle browser of the kind, or starts one, for the test alone.
func borrow(t testing.TB, kind string, start func() (*pooled, error)) *pooled {
	t.Helper()
	TakeTurn(t)
	name, _, _ := strings.Cut(t.Name(), "/")
	pool.mu.Lock()
	var one *pooled
	if at := slices.IndexFunc(pool.idle, func(p *pooled) bool { return p.kind == kind }); at >= 0 {
		one = pool.idle[at]
		pool.idle = slices.Delete(pool.idle, at, at+1)
	}
	pool.sites[name] = newSite()
	pool.mu.Unlock()
	if one == nil {
		var err error
		if one, err = start(); err != nil {
			t.Fatal(err)
		}
		one.kind = kind
	}
	t.Cleanup(func() {
		pool.mu.Lock()
		delete(pool.sites, name)
		pool.mu.Unlock()
		if err := one.giveBack(t.Failed()); err != nil {
			t.Errorf("the shared browser is left unusable: %v", err)
		}
	})
	return one
}

// giveBack empties the browser for the next test. One in which a test has failed, or
// that has ended, is not used again.
func (p *pooled) giveBack(failed bool) error {
	select {
	case <-p.browser.Wait():
		failed = true
	default:
	}
	if failed {
		return p.close()
	}
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	if err := errors.Join(p.forget(ctx), p.browser.CloseTabs(ctx)); err != nil {
		_ = p.close() // it is in no state to be emptied; that is told
		return err
	}
	if p.played != nil {
		p.played.reset()
		if _, err := p.played.Connection().Ping(ctx); err != nil {
			_ = p.close()
			return fmt.Errorf("the test has ended its host: %w", err)
		}
	}
	pool.mu.Lock()
	defer pool.mu.Unlock()
	pool.idle = append(pool.idle, p)
	return nil
}

// forget removes what the extension remembers of panes for tabs to come, a draft too. It is asked
// of the page that gave the claims: a worker that was attached to may end.
func (p *pooled) forget(ctx context.Context) error {
	all, err := targets(ctx, p.browser)
	if err != nil {
		return err
	}
	for _, info := range all {
		if info.Type != "other" || !strings.HasPrefix(info.URL, "chrome-extension://") {
			continue
		}
		page := &Attached{browser: p.browser, id: info.TargetID}
		defer page.Detach()
		_, err := launch.Evaluate[bool](ctx, page, `Promise.all([chrome.storage.local.remove("pane_default"), chrome.storage.session.remove("agent_draft")]).then(() => true)`)
		return err
	}
	return errors.New("the page that gives the claims is not there")
}

func (p *pooled) close() error {
	if p.played != nil {
		p.played.listener.Close()
		os.RemoveAll(p.played.dir)
	}
	err := p.browser.Close()
	if p.home != nil {
		os.RemoveAll(p.home.Dir)
	}
	return err
}

// closePool ends the idle browsers.
func closePool() {
	pool.mu.Lock()
	defer pool.mu.Unlock()
	for _, p := range pool.idle {
		if err := p.close(); err != nil {
			fmt.Fprintln(os.Stderr, "a shared browser:", err)
		}
	}
	pool.idle = nil
}

// Profile is how a shared browser is set up.
type Profile struct {
	Settings string   // the text of settings.json
	Args     []string // of the browser
}

// Shared returns the home of a shared browser, which the test has for itself until
// it ends; the test's pages are served at Site from then on.
func Shared(t testing.TB, profile ...Profile) *Home {
	t.Helper()
	set := append(profile, Profile{})[0]
	one := borrow(t, fmt.Sprintf("host %s %q", set.Settings, set.Args), func() (*pooled, error) {
		home, err := newHome(Host(t))
		if err != nil {
			return nil, err
		}
		if set.Settings != "" {
			home.Settings(t, set.Settings)
		}
		b, err := begin(home.bin, installed(home.bin), home.codes.putQuestion, home.browserEnv(), set.Args, nil)
		return &pooled{home: home, browser: b}, err
	})
	home := *one.home
	home.shared, home.Began = one.browser, time.Now()
	t.Cleanup(func() { home.logFailure(t) })
	return &home
}
