// Package launch starts a browser of its own, with the extension and this host,
// ready to be driven.
//
// Rules of this package:
//   - The browser is driven over a pipe and ends with its launcher, however that
//     ends.
//   - Tabs are claimed by the popup's own message from an extension page, the
//     way a person does it; there is no other way in.
//   - The launcher never attaches to the pages themselves: they behave as in any browser.
//     Attach is for tests and demonstrations.
//   - The pages are opened after the extension is loaded, which would end their
//     requests.
//   - The browser sends nothing to its maker.
//   - Its native messaging manifest lives in the browser's own profile folder;
//     nothing outside of it is written.
package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/extensions"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
)

const (
	startTimeout = 30 * time.Second // bounds the browser's start
	loadTimeout  = 10 * time.Second // bounds the wait for all of its pages together
	stderrDelay  = time.Second      // bounds the wait for its last words

	removeTimeout  = 5 * time.Second // bounds the removal of its folder
	removeInterval = 50 * time.Millisecond
)

// Options are the options of [Start].
type Options struct {
	Program     string   // the browser's program
	Extension   string   // folder of the built extension
	Headless    bool     // without a window
	UserDataDir string   // empty: a temporary folder, removed at the end
	Args        []string // further arguments of the browser
	Env         []string // further environment, as KEY=value
	URLs        []string // pages to open; the first one in front
	Manifest    func(path string) error
	Stderr      io.Writer
	// OnQuestion, if not nil, gets each call that waits for the user, in order.
	OnQuestion func(Question)
}

// Tab is a page that was opened.
type Tab struct {
	TabID     int    `json:"tab_id"`
	RuntimeID string `json:"runtime_id"`
	URL       string `json:"url"`
	Title     string `json:"title"`
	Claimed   bool   `json:"claimed"`
}

// Browser is a running browser.
type Browser struct {
	UserDataDir string
	ProfileID   string
	Tabs        []Tab

	cmd        *exec.Cmd
	exited     chan struct{}
	pipe       *pipe
	page       cdp.Session // the extension page that claims tabs
	pageID     target.ID   // empty while there is none
	blank      target.ID   // the blank page while there is no other
	temporary  bool
	onQuestion func(Question)
	stderr     stderrTail
}

// Start starts the browser, loads the extension, opens the URLs and claims
// their tabs. It returns when every page has loaded and is claimed; without URLs
// the browser shows a blank page.
func Start(ctx context.Context, o Options) (*Browser, error) {
	b := &Browser{UserDataDir: o.UserDataDir, exited: make(chan struct{}), onQuestion: o.OnQuestion}
	if err := b.start(ctx, o); err != nil {
		closed := b.Close()
		return nil, errors.Join(b.startError(err, o), closed)
	}
	return b, nil
}

func (b *Browser) start(ctx context.Context, o Options) error {
	if b.UserDataDir == "" {
		dir, err := os.MkdirTemp("", "actions-host-browser-")
		if err != nil {
			return err
		}
		b.UserDataDir, b.temporary = dir, true
	}
	if err := o.Manifest(filepath.Join(b.UserDataDir, "NativeMessagingHosts", manifest.HostName+".json")); err != nil {
		return err
	}
	if err := b.run(o); err != nil {
		return err
	}
	start, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := b.awaitBlank(start); err != nil {
		return err
	}
	loaded, err := cdp.Call(start, b.Session(), extensions.LoadUnpacked, extensions.LoadUnpackedParams{Path: o.Extension})
	if err != nil {
		return fmt.Errorf("the extension in %s cannot be loaded: %w", o.Extension, err)
	}
	if loaded.ID != manifest.ExtensionID {
		return fmt.Errorf("the extension in %s has the id %s, not %s", o.Extension, loaded.ID, manifest.ExtensionID)
	}
	return b.Open(start, o.URLs...)
}

// run starts the process with the two ends of the debugging pipe.
func (b *Browser) run(o Options) error {
	fromUs, toBrowser, err := os.Pipe()
	if err != nil {
		return err
	}
	fromBrowser, toUs, err := os.Pipe()
	if err != nil {
		return err
	}
	b.cmd = exec.Command(o.Program, arguments(o, b.UserDataDir, os.Getuid() == 0)...)
	if err := passPipe(b.cmd, fromUs, toUs); err != nil {
		b.cmd = nil
		return err
	}
	b.cmd.Env = os.Environ()
	if o.Headless {
		b.cmd.Env = append(b.cmd.Env, paths.EnvUnwatched+"=1")
	}
	b.cmd.Env = append(b.cmd.Env, o.Env...)
	b.cmd.Stderr = &b.stderr
	if o.Stderr != nil {
		b.cmd.Stderr = io.MultiWriter(&b.stderr, o.Stderr)
	}
	b.cmd.WaitDelay = stderrDelay // a helper that outlives the browser may hold its stderr open
	if err := b.cmd.Start(); err != nil {
		b.cmd = nil
		return fault.Wrap(err, fault.BrowserNotConnected, "the browser %s cannot be started: %v", o.Program, err)
	}
	fromUs.Close()
	toUs.Close()
	go func() {
		// Only that it ended matters, not how.
		_ = b.cmd.Wait()
		close(b.exited)
	}()
	b.pipe = newPipe(fromBrowser, toBrowser, b.stderrSuffix)
	return nil
}

// openExtensionPage opens the popup as a page that no window shows, unless it is there. It
// polls, and so wakes a worker that has ended.
func (b *Browser) openExtensionPage(ctx context.Context) error {
	if b.pageID != "" {
		return nil
	}
	hidden := true
	created, err := cdp.Call(ctx, b.Session(), target.CreateTarget, target.CreateTargetParams{
		URL: manifest.ExtensionURL + "popup.html", Hidden: &hidden,
	})
	if err != nil {
		return fmt.Errorf("the extension's page cannot be opened: %w", err)
	}
	if b.page, err = b.Attach(ctx, created.TargetID); err != nil {
		return fmt.Errorf("the extension's page cannot be driven: %w", err)
	}
	b.pageID = created.TargetID
	// A script in the initial empty document fails when the page's own document replaces it.
	for {
		var loaded bool
		if err := b.evaluate(ctx, loadedScript, &loaded); !IsDocumentGone(err) {
			if err == nil && b.onQuestion != nil {
				go b.watchQuestions(b.page, b.onQuestion)
			}
			return err
		}
	}
}

const loadedScript = `new Promise((done) => {
  if (document.readyState !== "complete") addEventListener("load", () => done(true));
  else if (location.protocol === "chrome-extension:") done(true);
})`

// Session returns the browser's own debugging session, apart from any page.
func (b *Browser) Session() cdp.Session { return session{pipe: b.pipe} }

// Wait returns a channel that is closed when the browser has ended.
func (b *Browser) Wait() <-chan struct{} { return b.exited }

// Close ends the browser and removes its temporary folder.
func (b *Browser) Close() error {
	if b.pipe != nil {
		_ = b.pipe.Close() // ends the browser; it may have ended already
	}
	if b.cmd != nil {
		select {
		case <-b.exited:
		case <-time.After(5 * time.Second):
			_ = b.cmd.Process.Kill()
			<-b.exited
		}
	}
	if b.temporary {
		return RemoveFolder(b.UserDataDir)
	}
	return nil
}

// RemoveFolder removes a folder of a browser that has ended. What the browser started may
// outlive it for a moment and write there: it is tried again.
func RemoveFolder(dir string) error {
	for deadline := time.Now().Add(removeTimeout); ; time.Sleep(removeInterval) {
		if err := os.RemoveAll(dir); err == nil || time.Now().After(deadline) {
			return err
		}
	}
}
