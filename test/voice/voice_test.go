// Package voice tests the voice call in a real browser with the real extension:
// a fake microphone on one side, a real WebRTC peer on the other.
//
// Rules of this package:
//   - What was sent is judged by what the peer received, and what was played by
//     what the browser says of its own call.
//   - A microphone counts as let go when its tracks have ended.
package voice

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/harness/drive"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Clean()
	os.Exit(code)
}

const (
	fakeDevice  = "--use-fake-device-for-media-stream"
	fakeConsent = "--use-fake-ui-for-media-stream"
	loopback    = "--allow-loopback-in-peer-connection"
)

// phone is a browser with the extension whose host is the test.
type phone struct {
	*harness.Played
	t         *testing.T
	ctx       context.Context
	offscreen context.Context // the document that holds the call
}

// open starts the browser; its offscreen document exists, made for the clipboard
// as it may be before any call, and notes what the extension opens in it.
func open(t *testing.T, args ...string) *phone {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<title>page</title>"))
	}))
	t.Cleanup(site.Close)
	harness.TakeTurn(t) // the limit begins with it
	ctx, cancel := context.WithTimeout(t.Context(), 3*harness.Patience)
	t.Cleanup(cancel)
	p := &phone{Played: harness.PlayWith(t, append(args, loopback), site.URL), t: t, ctx: ctx}
	p.copy("before the call")
	offscreen, detach := drive.Attach(p.Launched, p.documents()[0].TargetID)
	t.Cleanup(detach)
	// The first run binds the page's events to this very context.
	if err := chromedp.Do(offscreen); err != nil {
		t.Fatal(err)
	}
	p.offscreen = offscreen
	eval[bool](p, spy)
	return p
}

// spy notes the microphones and peers that are opened; a test may keep a
// microphone back.
const spy = `(() => {
  const media = navigator.mediaDevices, real = media.getUserMedia.bind(media), Peer = RTCPeerConnection;
  globalThis.seen = { tracks: [], gate: Promise.resolve(), asked: 0 };
  media.getUserMedia = async (wish) => {
    seen.wish = wish;
    seen.asked++;
    await seen.gate;
    const stream = await real(wish);
    seen.tracks.push(...stream.getTracks());
    return stream;
  };
  globalThis.RTCPeerConnection = class extends Peer { constructor(...a) { super(...a); seen.peer = this; } };
  return true;
})()`

func eval[T any](p *phone, js string) T {
	p.t.Helper()
	run, cancel := context.WithTimeout(p.offscreen, harness.Patience)
	defer cancel()
	value, err := chromedp.Run(run, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", js, err)
	}
	return value
}

// hasten makes the limits of the document that holds the call ten times as short.
func (p *phone) hasten() {
	p.t.Helper()
	eval[bool](p, `(() => {
		const limit = AbortSignal.timeout.bind(AbortSignal);
		AbortSignal.timeout = (ms) => limit(ms / 10);
		return true;
	})()`)
}

// live counts the microphones that are open.
func (p *phone) live() int {
	p.t.Helper()
	return eval[int](p, `seen.tracks.filter(t => t.readyState === "live").length`)
}

// played is the energy of what came from the service.
func (p *phone) played() float64 {
	p.t.Helper()
	return eval[float64](p, `seen.peer.getStats().then(all => [...all.values()].find(s => s.type === "inbound-rtp")?.totalAudioEnergy ?? 0)`)
}

func (p *phone) targets() []*target.Info {
	p.t.Helper()
	all, err := cdp.Call(p.ctx, p.Launched.Session(), target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{}}})
	if err != nil {
		p.t.Fatal(err)
	}
	return all.TargetInfos
}

// pages returns the targets that show a page of the extension's.
func (p *phone) pages(name string) []*target.Info {
	p.t.Helper()
	var found []*target.Info
	for _, info := range p.targets() {
		if info.Type != "tab" && info.URL == manifest.ExtensionURL+name {
			found = append(found, info)
		}
	}
	return found
}

// documents returns the offscreen documents, of which there must be one.
func (p *phone) documents() []*target.Info {
	p.t.Helper()
	found := p.pages("offscreen.html")
	if len(found) != 1 {
		p.t.Fatalf("%d offscreen documents", len(found))
	}
	return found
}

// copy uses the clipboard, which lives in the same document.
func (p *phone) copy(text string) {
	p.t.Helper()
	tab := p.Launched.Tabs[0].TabID
	if err := p.Connection().WriteClipboard(p.ctx, tab, "", text, ""); err != nil {
		p.t.Fatal(err)
	}
	if got, err := p.Connection().ReadClipboard(p.ctx, tab, ""); err != nil || got.Text != text {
		p.t.Fatalf("the clipboard has %q: %v", got.Text, err)
	}
}

func (p *phone) media() *browser.Media { return p.Connection().Media() }

// call makes a call that stands.
func (p *phone) call() *realtime.Peer {
	p.t.Helper()
	offer, err := p.media().Offer(p.ctx)
	if err != nil {
		p.t.Fatal(err)
	}
	peer, answer := realtime.Take(p.t, offer)
	if err := p.media().Accept(p.ctx, answer); err != nil {
		p.t.Fatal(err)
	}
	peer.Opened(p.ctx)
	return peer
}

// ended waits for the end of the call on both sides.
func (p *phone) ended(peer *realtime.Peer) {
	p.t.Helper()
	harness.Until(p.t, "the microphone is let go", func() bool { return p.live() == 0 })
	select {
	case <-peer.Ended():
	case <-p.ctx.Done():
		p.t.Fatal("the service was not told that the call is over")
	}
}
