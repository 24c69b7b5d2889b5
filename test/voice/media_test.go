package voice

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/voice"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
	"github.com/actionsjson/actions-host/test/harness"
)

var _ voice.Media = (*browser.Media)(nil)

// The fake microphone beeps once a second: so many packets of 20 ms have a beep
// among them, whose frames are larger than those of silence.
const (
	beep     = 100
	soundMin = 40 // bytes
)

func TestCall(t *testing.T) {
	// Ensure that sound goes both ways, that the clipboard works beside the call in the same document, that muting silences each direction for itself, and that the microphone is let go at the end.
	t.Parallel()
	p := open(t, fakeDevice, fakeConsent)
	peer := p.call()
	peer.Echo()
	if size := peer.Loudest(p.ctx, beep); size < soundMin {
		t.Errorf("the service hears nothing: %d bytes at most", size)
	}
	harness.Until(t, "the agent's voice is played", func() bool { return p.played() > 0 })
	if playing := eval[bool](p, `!document.querySelector("audio").paused && !document.querySelector("audio").muted`); !playing {
		t.Error("the loudspeaker does not play")
	}
	if clean := eval[bool](p, `["echoCancellation", "noiseSuppression", "autoGainControl"].every(w => seen.wish.audio[w])`); !clean {
		t.Error("the microphone was opened without what makes speech clear")
	}
	p.copy("in the call")
	p.documents()

	if err := p.media().Mute(p.ctx, true, true); err != nil {
		t.Fatal(err)
	}
	peer.Loudest(p.ctx, 25) // what was on its way
	if size := peer.Loudest(p.ctx, beep); size >= soundMin {
		t.Errorf("the service hears a muted microphone: %d bytes", size)
	}
	if !eval[bool](p, `document.querySelector("audio").muted`) {
		t.Error("the loudspeaker is not muted")
	}
	if err := p.media().Mute(p.ctx, false, false); err != nil {
		t.Fatal(err)
	}
	if size := peer.Loudest(p.ctx, beep); size < soundMin || eval[bool](p, `document.querySelector("audio").muted`) {
		t.Errorf("still muted: %d bytes at most", size)
	}

	for range 2 { // the second time there is nothing to close
		if err := p.media().Close(p.ctx); err != nil {
			t.Fatal(err)
		}
	}
	p.ended(peer)
	if err := p.media().Mute(p.ctx, true, false); !fault.Is(err, fault.VoiceNotRunning) {
		t.Errorf("muting without a call: %v", err)
	}
	p.copy("after the call")
}

func TestNextCallEndsTheFormer(t *testing.T) {
	// Ensure that an offer ends the call before it, which is no loss to be told of, and that the next call stands alone.
	t.Parallel()
	p := open(t, fakeDevice, fakeConsent)
	former := p.call()
	next := p.call()
	next.Loudest(p.ctx, 10)
	select {
	case <-former.Ended():
	case <-p.ctx.Done():
		t.Fatal("the former call goes on")
	}
	if n := p.live(); n != 1 {
		t.Errorf("%d microphones are open", n)
	}
	select {
	case err := <-p.media().Lost():
		t.Errorf("told as lost: %v", err)
	default:
	}
}

func TestHungUp(t *testing.T) {
	// Ensure that a call which the service ends lets the microphone go and is told to the host with a reason.
	t.Parallel()
	p := open(t, fakeDevice, fakeConsent)
	peer := p.call()
	peer.HangUp()
	select {
	case err := <-p.media().Lost():
		if f := fault.From(err); f.Code != fault.VoiceUnresponsive || f.Message == "" {
			t.Errorf("lost with %v", err)
		}
	case <-p.ctx.Done():
		t.Fatal("the host was not told")
	}
	p.ended(peer)
}

func TestMicrophoneGone(t *testing.T) {
	// Ensure that a call whose microphone goes away is over, and that the reason says so.
	t.Parallel()
	p := open(t, fakeDevice, fakeConsent)
	peer := p.call()
	eval[bool](p, `seen.tracks[0].dispatchEvent(new Event("ended"))`) // no fake device can be unplugged
	select {
	case err := <-p.media().Lost():
		if want := "the call broke: the microphone was disconnected, or may not be used any longer"; fault.From(err).Message != want {
			t.Errorf("lost with %v", err)
		}
	case <-p.ctx.Done():
		t.Fatal("the host was not told")
	}
	p.ended(peer)
}

func TestBadAnswers(t *testing.T) {
	// Ensure that an answer which is none is refused at once, that one which leads nowhere fails with its reason within the limit, and that an answer without an offer says that there is no call.
	t.Parallel()
	p := open(t, fakeDevice, fakeConsent)
	if err := p.media().Accept(p.ctx, "v=0\r\n"); !fault.Is(err, fault.VoiceNotRunning) {
		t.Errorf("an answer to nothing: %v", err)
	}
	offer, err := p.media().Offer(p.ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.media().Accept(p.ctx, "hello"); !fault.Is(err, fault.VoiceRefused) {
		t.Errorf("an answer that is none: %v", err)
	}
	p.hasten()
	peer, answer := realtime.Take(t, offer)
	peer.HangUp() // nobody is there any more
	if err := p.media().Accept(p.ctx, answer); !fault.Is(err, fault.VoiceUnresponsive) {
		t.Errorf("an answer that leads nowhere: %v", err)
	}
	if err := p.media().Close(p.ctx); err != nil {
		t.Fatal(err)
	}
	p.ended(peer)
}

func TestCancelledOffer(t *testing.T) {
	// Ensure that a microphone which opens after the host has ceased to wait for it is let go, and that the next call works.
	t.Parallel()
	p := open(t, fakeDevice, fakeConsent)
	eval[bool](p, `!!(seen.gate = new Promise(open => seen.open = open))`)
	ctx, cancel := context.WithCancel(p.ctx)
	failed := make(chan error, 1)
	go func() {
		_, err := p.media().Offer(ctx)
		failed <- err
	}()
	harness.Until(t, "the microphone is asked for", func() bool { return eval[int](p, `seen.asked`) == 1 })
	cancel()
	if err := <-failed; !fault.Is(err, fault.Cancelled) {
		t.Errorf("the offer gave %v", err)
	}
	eval[bool](p, `seen.open(), true`)
	harness.Until(t, "the late microphone is let go", func() bool { return eval[int](p, `seen.tracks.length`) == 1 && p.live() == 0 })
	p.call().Loudest(p.ctx, 10)
}

func TestWorkerKilled(t *testing.T) {
	// Ensure that the sound goes on when the browser ends the worker, that the host of the next connection can end the call, and that it can make another one.
	t.Parallel()
	p := open(t, fakeDevice, fakeConsent)
	peer := p.call()
	before := p.Connection()
	for _, info := range p.targets() {
		if info.Type == "service_worker" {
			if _, err := cdp.Call(p.ctx, p.Launched.Session(), target.CloseTarget, target.CloseTargetParams{TargetID: info.TargetID}); err != nil {
				t.Fatal(err)
			}
		}
	}
	<-before.Done()
	if size := peer.Loudest(p.ctx, beep); size < soundMin {
		t.Errorf("the sound did not go on: %d bytes at most", size)
	}
	harness.Until(t, "the worker is back", func() bool { return p.Connection() != before })
	if err := p.media().Mute(p.ctx, true, false); err != nil {
		t.Fatal(err)
	}
	peer.Loudest(p.ctx, 25) // what was on its way
	if size := peer.Loudest(p.ctx, beep); size >= soundMin {
		t.Errorf("the next host did not mute the call: %d bytes", size)
	}
	p.call().Loudest(p.ctx, 10)
	if n := p.live(); n != 1 {
		t.Errorf("%d microphones are open", n)
	}
}

func TestHostGone(t *testing.T) {
	// Ensure that a call ends by itself when no host is there any more, and lets the microphone go.
	t.Parallel()
	p := open(t, fakeDevice, fakeConsent)
	eval[bool](p, `(() => {
		const every = setInterval;
		globalThis.setInterval = (look, ms) => { // ten times as fast from then on
			let n = 0;
			return every(() => { if (seen.fast || ++n % 10 === 0) look(); }, ms / 10);
		};
		return true;
	})()`)
	peer := p.call()
	p.Quit(t)
	peer.Loudest(p.ctx, 10) // a host that comes back soon finds its call
	eval[bool](p, `(seen.fast = true)`)
	p.ended(peer)
}
