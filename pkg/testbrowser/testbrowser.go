// Package testbrowser runs the cases of maps in a browser of its own.
//
// Rules of this package:
//   - Nothing of the user's is used or changed: profile, settings, policy, maps and log are
//     made for the run and removed with it.
//   - The policy is fixed: sessions may operate the pages of the cases and the sites of the
//     maps, and nothing else. Nobody is asked: what would need an answer is refused.
//   - The storage holds the map under test and no other, so that none hides another.
//   - Each case has a tab of its own, without what an earlier one stored in its origin.
//   - A saved page has the address that it was saved from, and its browser reaches nothing but
//     the saved pages: names lead to this process, and all others nowhere. So the map, its
//     patterns and the policy see the page as they would on the site.
package testbrowser

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/launch"
	"github.com/actionsjson/actions-host/pkg/maptest"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// dialTimeout bounds the wait for the socket of a host that has answered its browser already.
const dialTimeout = 10 * time.Second

// Options are the options of [Run].
type Options struct {
	Program   string // the browser's program
	Extension string // folder of the built extension
	Manifest  func(path string) error
	AllowCode bool          // let actions run JavaScript
	Timeout   time.Duration // of a case that names none
	// Warn gets why a folder of the run could not be removed.
	Warn func(error)
	// Report, if not nil, gets each result as it comes, with the map's file.
	Report func(mapFile string, r maptest.Result)
}

// Suite is a map with the cases that are to run.
type Suite struct {
	Map   string   // its file
	Hosts []string // that it counts for
	Name  string   // of its folder below the host's
	Cases []Case
}

// Case is a case with the address of its page.
type Case struct {
	*maptest.Case
	Address string
	// Saved is the file with the page, relative to the map's folder; empty for a page that is
	// fetched from its address.
	Saved string
}

// Run runs the cases, in their order, and returns their results. Saved pages have a browser of
// their own. The error is cancelled, or that of a browser that did not get ready or has ended;
// the cases that it ended have no result.
func Run(ctx context.Context, o Options, suites []Suite) ([]maptest.Suite, error) {
	results := make([]maptest.Suite, len(suites))
	done := make([]map[string]maptest.Result, len(suites))
	for i, s := range suites {
		results[i] = maptest.Suite{Map: s.Map, Results: []maptest.Result{}}
		done[i] = map[string]maptest.Result{}
	}
	var err error
	for _, saved := range []bool{true, false} {
		if some := only(suites, saved); some != nil && err == nil {
			err = runIn(ctx, o, some, saved, func(i int, r maptest.Result) {
				done[i][r.Name] = r
				if o.Report != nil {
					o.Report(suites[i].Map, r)
				}
			})
		}
	}
	if err != nil && ctx.Err() != nil {
		err = fault.New(fault.Cancelled, "the run was interrupted")
	}
	for i, s := range suites {
		for _, c := range s.Cases {
			if r, ok := done[i][c.Name]; ok {
				results[i].Results = append(results[i].Results, r)
			}
		}
	}
	return results, err
}

// only returns the suites with their saved pages, or with the others; nil where there are none.
func only(suites []Suite, saved bool) []Suite {
	some := make([]Suite, len(suites))
	any := false
	for i, s := range suites {
		some[i] = s
		some[i].Cases = nil
		for _, c := range s.Cases {
			if (c.Saved != "") == saved {
				some[i].Cases, any = append(some[i].Cases, c), true
			}
		}
	}
	if !any {
		return nil
	}
	return some
}

// runner is a browser with the client of its host.
type runner struct {
	Options
	home    string
	browser *launch.Browser
	client  *control.Client
	site    *savedSite // nil where pages are fetched from their addresses
}

// runIn runs the suites in one browser.
func runIn(ctx context.Context, o Options, suites []Suite, saved bool, report func(suite int, r maptest.Result)) error {
	home, err := os.MkdirTemp("", "ah-test-")
	if err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the folder of the test cannot be made: %v", err)
	}
	r := &runner{Options: o, home: home}
	defer r.close()
	if err := r.writePolicy(suites); err != nil {
		return err
	}
	if err := os.MkdirAll(paths.StorageIn(home), 0o700); err != nil {
		return err
	}
	code := ""
	if o.AllowCode {
		code = "1"
	}
	lo := launch.Options{
		Program: o.Program, Extension: o.Extension, Manifest: o.Manifest, Headless: true,
		Env: []string{paths.EnvHome + "=" + home, paths.EnvStorage + "=" + paths.StorageIn(home), paths.EnvAllowCode + "=" + code, paths.EnvVoiceRecord + "="},
	}
	if saved {
		if r.site, err = newSavedSite(suites); err != nil {
			return err
		}
		lo.Args = r.site.arguments()
	}
	if r.browser, err = launch.Start(ctx, lo); err != nil {
		return err
	}
	dial, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	clients, err := control.Await(dial, paths.SocketsIn(home))
	if err != nil {
		return err
	}
	r.client = clients[0] // the folder is that of this browser alone
	for i, s := range suites {
		if err := r.runSuite(ctx, s, func(result maptest.Result) { report(i, result) }); err != nil {
			return err
		}
	}
	return nil
}

// close ends what runs. How it ended is no part of the result.
func (r *runner) close() {
	if r.client != nil {
		_ = r.client.Close()
	}
	var left error
	if r.browser != nil {
		left = r.browser.Close()
	}
	if r.site != nil {
		_ = r.site.Close()
	}
	if left = errors.Join(left, launch.RemoveFolder(r.home)); left != nil {
		r.Warn(left)
	}
}

// writePolicy writes what sessions of the run may operate.
func (r *runner) writePolicy(suites []Suite) error {
	known := map[string]bool{}
	var allowed []string
	allow := func(pattern string) {
		if !known[pattern] && origin.CheckPattern(pattern) == nil {
			known[pattern] = true
			allowed = append(allowed, pattern)
		}
	}
	for _, s := range suites {
		for _, c := range s.Cases {
			if at, err := origin.Parse(c.Address); err == nil {
				allow(at.String())
			}
		}
		for _, host := range s.Hosts {
			for _, pattern := range []string{"https://" + host, "http://" + host, "https://*." + host} {
				allow(pattern)
			}
		}
	}
	text, err := json.Marshal(map[string]any{"allow": []any{map[string]any{"origins": allowed}}})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(paths.DataIn(r.home), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(paths.DataIn(r.home), "policy.json"), text, 0o600)
}
