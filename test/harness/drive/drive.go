// Package drive drives the pages of a launched browser from outside, with
// chromedp, for tests and demonstrations.
//
// Rule of this package:
//   - The program itself does not import it: chromedp would add a megabyte.
package drive

import (
	"context"
	"encoding/json"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/launch"
)

// Attach returns a context that drives one of the browser's pages; the first thing
// to run on it is chromedp.Do(ctx).
func Attach(b *launch.Browser, id target.ID) (context.Context, context.CancelFunc) {
	life, end := context.WithCancel(context.Background())
	alloc, cancelAlloc := chromedp.NewAllocatorContext(context.Background(), sharedBrowser{b, life})
	page, cancelPage := chromedp.NewContext(alloc, chromedp.WithTargetID(id))
	return page, func() { cancelPage(); cancelAlloc(); end() }
}

// sharedBrowser lets chromedp's contexts share the running browser.
type sharedBrowser struct {
	browser *launch.Browser
	life    context.Context // of the line
}

// Allocate implements chromedp.Allocator.
func (s sharedBrowser) Allocate(context.Context, ...chromedp.BrowserOption) (*chromedp.Browser, error) {
	// Others attach and detach over the same pipe, which chromedp would report.
	quiet := chromedp.WithBrowserErrorf(func(string, ...any) {})
	return chromedp.NewBrowserTransport(s.life, transport{s.browser.NewClient()}, quiet)
}

// Wait implements chromedp.Allocator.
func (sharedBrowser) Wait() {}

// transport adapts a client of the browser's pipe to chromedp.
type transport struct{ *launch.Client }

// Read implements chromedp.Transport.
func (t transport) Read(ctx context.Context, m *cdproto.Message) error {
	got, err := t.Receive(ctx)
	if err != nil {
		return err
	}
	*m = cdproto.Message{
		ID: got.ID, SessionID: target.SessionID(got.SessionID), Method: cdproto.MethodType(got.Method),
		Params: jsontext.Value(got.Params), Result: jsontext.Value(got.Result),
	}
	if got.Error != nil {
		m.Error = &cdproto.Error{Code: got.Error.Code, Message: got.Error.Message}
	}
	return nil
}

// Write implements chromedp.Transport.
func (t transport) Write(_ context.Context, m *cdproto.Message) error {
	return t.Send(launch.Message{ID: m.ID, SessionID: string(m.SessionID), Method: string(m.Method), Params: json.RawMessage(m.Params)})
}
