package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
)

// blankURL is the page that the browser starts with.
const blankURL = "about:blank"

// awaitBlank waits for the blank page: what is opened before it has no window.
func (b *Browser) awaitBlank(ctx context.Context) error {
	line := b.NewClient()
	defer line.Close()
	if _, err := cdp.Call(ctx, b.Session(), target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true}); err != nil {
		return fmt.Errorf("the browser's pages cannot be followed: %w", err)
	}
	for {
		var event target.EventTargetInfoChanged
		if err := line.event(ctx, &event, target.TargetCreated.Method, target.TargetInfoChanged.Method); err != nil {
			return fmt.Errorf("the browser opened no page: %w", err)
		}
		if info := event.TargetInfo; info.Type == "page" && info.URL == blankURL {
			b.blank = info.TargetID
			return nil
		}
	}
}

// closeTargets closes targets and waits until they are gone. A target that is already gone is
// not an error.
func (b *Browser) closeTargets(ctx context.Context, ids ...target.ID) error {
	line := b.NewClient()
	defer line.Close()
	open := map[target.ID]bool{}
	for _, id := range ids {
		_, err := cdp.Call(ctx, b.Session(), target.CloseTarget, target.CloseTargetParams{TargetID: id})
		var refused *Error
		if err != nil && !errors.As(err, &refused) {
			return fmt.Errorf("a page cannot be closed: %w", err)
		}
		open[id] = err == nil
	}
	maps.DeleteFunc(open, func(_ target.ID, open bool) bool { return !open })
	for len(open) > 0 {
		var event target.EventTargetDestroyed
		if err := line.event(ctx, &event, target.TargetDestroyed.Method); err != nil {
			return fmt.Errorf("a page was not closed: %w", err)
		}
		delete(open, event.TargetID)
	}
	return nil
}

// event waits for the next event of the browser with one of the methods.
func (l *Client) event(ctx context.Context, into any, methods ...string) error {
	for {
		m, err := l.Receive(ctx)
		if err != nil {
			return err
		}
		if m.SessionID == "" && slices.Contains(methods, m.Method) {
			return json.Unmarshal(m.Params, into)
		}
	}
}

// withScheme begins with a scheme; host:port does not.
var withScheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:\D`)

// address returns the URL for what a person types: also an existing file, or a host without a
// scheme. The browser does that for its command line only.
func address(text string) string {
	if _, err := os.Stat(text); err == nil {
		if full, err := filepath.Abs(text); err == nil {
			return (&url.URL{Scheme: "file", Path: filepath.ToSlash(full)}).String()
		}
	}
	if withScheme.MatchString(text) {
		return text
	}
	return "http://" + text
}
