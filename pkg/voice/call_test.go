package voice

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// phone is a microphone and a loudspeaker that note what is asked of them.
type phone struct {
	mu    sync.Mutex
	asked []string
	calls int
	none  error // what muting gives
	lost  chan error
}

func (p *phone) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, fmt.Sprintf(format, args...))
}

func (p *phone) take() []string {
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.asked
	p.asked = nil
	return asked
}

func (p *phone) Offer(context.Context) (string, error) {
	p.calls++
	p.note("offer %d", p.calls)
	return fmt.Sprint("offer", p.calls), nil
}

func (p *phone) Accept(_ context.Context, answer string) error {
	p.note("accept %s", answer)
	return nil
}

func (p *phone) Mute(_ context.Context, input, output bool) error {
	p.note("mute %t %t", input, output)
	return p.none
}

func (p *phone) Close(context.Context) error {
	p.note("close")
	return nil
}

func (p *phone) Lost() <-chan error { return p.lost }

func TestMediaLost(t *testing.T) {
	// Ensure that a call that broke is made anew like a lost connection, and that what the user has muted is muted in the next call before it is answered.
	synctest.Test(t, func(t *testing.T) {
		p := &phone{lost: make(chan error, 1)}
		k := begin(t, func(o *Options) { o.Media = p })
		if asked := p.take(); !slices.Equal(asked, []string{"offer 1", "accept answer"}) {
			t.Fatalf("asked %q", asked)
		}
		if err := k.Mute(t.Context(), true, false); err != nil {
			t.Fatal(err)
		}
		p.lost <- fault.New(fault.VoiceUnresponsive, "the call broke")
		time.Sleep(time.Second)
		if asked, want := p.take(), []string{"mute true false", "close", "offer 2", "mute true false", "accept answer"}; !slices.Equal(asked, want) {
			t.Errorf("asked %q, not %q", asked, want)
		}
		if !k.diary.logged("connection_lost") || !k.diary.logged("reconnected") || k.script.setups[1].Offer != "offer2" {
			t.Errorf("notes %q", k.diary.notes)
		}
	})
}

func TestMuteBetweenCalls(t *testing.T) {
	// Ensure that muting while no call stands is kept for the next one, that a failed muting is not, and that a session without sound has nothing to mute.
	synctest.Test(t, func(t *testing.T) {
		p := &phone{lost: make(chan error, 1), none: fault.New(fault.VoiceNotRunning, "there is no call")}
		k := begin(t, func(o *Options) { o.Media = p })
		if err := k.Mute(t.Context(), true, true); err != nil {
			t.Fatal(err)
		}
		p.none = fault.New(fault.TransportFailed, "no")
		if err := k.Mute(t.Context(), false, false); !fault.Is(err, fault.TransportFailed) {
			t.Errorf("a failed muting gave %v", err)
		}
		p.none = nil
		p.take()
		p.lost <- errGone
		time.Sleep(time.Second)
		if asked := p.take(); !slices.Contains(asked, "mute true true") {
			t.Errorf("asked %q", asked)
		}
		if err := begin(t, nil).Mute(t.Context(), true, false); !fault.Is(err, fault.CapabilityUnavailable) {
			t.Errorf("muting text gave %v", err)
		}
	})
}
