package main

import (
	"context"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/test/harness/drive"
)

const paneURL = manifest.ExtensionURL + "pane.html"

// pane is the agent's pane, as a person sees it in the page.
type pane struct {
	stage *stage
	frame context.Context
	page  context.Context
}

// show opens the pane in the shop's tab.
func (s *stage) show(ctx context.Context) (*pane, error) {
	if _, err := s.call(ctx, "overlay.menu.show", `{}`); err != nil {
		return nil, err
	}
	p := &pane{stage: s}
	var err error
	if p.frame, err = s.attach(ctx, paneURL); err != nil {
		return nil, err
	}
	p.page, err = s.attach(ctx, s.shop)
	return p, err
}

// attach finds the document with the address and returns a context that drives it.
func (s *stage) attach(ctx context.Context, url string) (context.Context, error) {
	var found target.ID
	err := until(ctx, "a document shows "+url, func() (bool, error) {
		all, err := cdp.Call(ctx, s.browser.Session(), target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{}}})
		if err != nil {
			return false, err
		}
		for _, info := range all.TargetInfos {
			if info.URL == url && (info.Type == "page" || info.Type == "iframe") {
				found = info.TargetID
			}
		}
		return found != "", nil
	})
	if err != nil {
		return nil, err
	}
	document, detach := drive.Attach(s.browser, found)
	s.reporter.Cleanup(detach)
	return document, chromedp.Do(document)
}

// picture waits until the pane shows the state, and saves how the page looks.
func (p *pane) picture(ctx context.Context, state string) error {
	err := until(ctx, "the pane shows "+state, func() (bool, error) {
		return chromedp.Run(p.frame, chromedp.Evaluate[bool](fmt.Sprintf(`document.body.dataset.status === %q`, state)))
	})
	if err != nil {
		return err
	}
	for _, document := range []context.Context{p.frame, p.page} {
		if _, err := chromedp.Run(document, chromedp.Evaluate[bool](
			`new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))`, chromedp.EvalAwaitPromise)); err != nil {
			return err
		}
	}
	return savePicture(p.page, "voice-"+state)
}

// until waits for a condition.
func until(ctx context.Context, what string, condition func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		met, err := condition()
		if met && err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("it did not happen: %s: %w", what, ctx.Err())
		}
	}
}
