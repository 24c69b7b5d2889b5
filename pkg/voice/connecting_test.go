package voice

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// late is a provider that takes its time.
type late struct{ scriptedProvider }

func (p *late) Connect(ctx context.Context, setup Setup) (Connection, error) {
	select {
	case <-time.After(time.Second):
		return p.scriptedProvider.Connect(ctx, setup)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestBeforeTheConnection(t *testing.T) {
	// Ensure that what the user writes while the session connects is shown at once and told, after the memory and before the request for the answer, as soon as the connection stands, and that a tab which is handed over meanwhile counts.
	synctest.Test(t, func(t *testing.T) {
		p, d, h := &late{}, &recordingObserver{rows: map[string]Row{}}, &fakeTools{}
		m := &Manager{Observer: d, NewOptions: func(context.Context, bool) (Options, error) {
			return Options{Provider: p, Tools: h, Memory: "remembered"}, nil
		}}
		defer m.Stop()
		started := make(chan error, 1)
		go func() {
			_, err := m.Start(t.Context(), true)
			started <- err
		}()
		synctest.Wait()
		s, err := m.ActiveOrStarting()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Send("hello", Queue); err != nil {
			t.Fatal(err)
		}
		h.mu.Lock()
		h.toolSet = ToolSet{Instructions: "on a page"}
		h.mu.Unlock()
		m.Refresh()
		synctest.Wait()
		d.mu.Lock()
		shown := slices.ContainsFunc(slices.Collect(maps.Values(d.rows)), func(r Row) bool { return r.Text == "hello" })
		d.mu.Unlock()
		if !shown || m.State().Status != Connecting {
			t.Errorf("while it is %s the message is shown: %v", m.State().Status, shown)
		}
		if err := <-started; err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		sent := strings.Join(p.conn().takeSent(), "\n")
		memory, message, surface, request := strings.Index(sent, "remembered"), strings.Index(sent, "hello"), strings.Index(sent, "configure"), strings.Index(sent, "respond")
		if memory < 0 || message < memory || surface < 0 || request < max(message, surface) {
			t.Errorf("the provider was sent\n%s", sent)
		}
	})
}

func TestLongMessage(t *testing.T) {
	// Ensure that a message over the limit is refused with its length, and that the limit counts characters.
	s := newSession(Options{Provider: &scriptedProvider{}, Tools: &fakeTools{}, Observer: &recordingObserver{rows: map[string]Row{}}})
	defer s.end()
	if _, err := s.newWaiter(strings.Repeat("é", maxMessage)); err != nil {
		t.Error(err)
	}
	if _, err := s.newWaiter(strings.Repeat("e", maxMessage+1)); !fault.Is(err, fault.InvalidInput) || !strings.Contains(err.Error(), "20001") {
		t.Errorf("a message too long gave %v", err)
	}
}
