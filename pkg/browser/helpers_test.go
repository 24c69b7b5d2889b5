package browser

import (
	"context"
	"encoding/json"
	"net"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/nativemsg"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

// patience bounds every wait of these tests.
const patience = 10 * time.Second

const someID = "0123456789abcdef0123456789abcdef"

// owner is a delegate that notes what it is told.
type owner struct {
	mu      sync.Mutex
	told    []string
	greeted func(protocol.Handshake) ([]int, error) // nil: claims tab 1
}

var _ Delegate = (*owner)(nil)

func (o *owner) note(what string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.told = append(o.told, what)
}

func (o *owner) notes() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.told...)
}

// onlyRefused reports whether the profile heard of a refused message and of nothing else.
func (o *owner) onlyRefused() bool { return slices.Equal(o.notes(), []string{"refused"}) }

func (o *owner) Handshake(_ context.Context, _ *Browser, h protocol.Handshake) ([]int, error) {
	o.note("handshake")
	if o.greeted != nil {
		return o.greeted(h)
	}
	return []int{1}, nil
}

func (o *owner) Claim(_ context.Context, tab protocol.Tab) ([]int, error) {
	o.note("claim " + tab.URL)
	return []int{1, tab.TabID}, nil
}

func (o *owner) Release(_ context.Context, _ int, reason string) ([]int, error) {
	o.note("release " + reason)
	return nil, nil
}

func (o *owner) TabChanged(tab protocol.Tab)              { o.note("tab " + tab.URL) }
func (o *owner) RuntimeReady(_ int, runtime string)       { o.note("ready " + runtime) }
func (o *owner) RuntimeRemoved(_ int, runtime string)     { o.note("removed " + runtime) }
func (o *owner) DOMEvent(e protocol.DomEvent)             { o.note("event " + e.Name + " " + string(e.Payload)) }
func (o *owner) LauncherClicked(c protocol.LauncherClick) { o.note("launcher " + c.ID) }
func (o *owner) Announced(a protocol.Announcements)       { o.note("announced " + a.RuntimeID) }
func (o *owner) Refused(error)                            { o.note("refused") }

// worker is the extension's end of the connection: a script for what the host
// asks, and the means to ask the host.
type worker struct {
	*rpc.Conn
	answer func(ctx context.Context, method string, params json.RawMessage) (any, error)
}

// connect joins a host and a worker that has not greeted it yet.
func connect(t *testing.T, o *owner) (*Browser, *worker) {
	t.Helper()
	near, far := net.Pipe()
	w := &worker{answer: func(context.Context, string, json.RawMessage) (any, error) { return struct{}{}, nil }}
	b, err := Connect(t.Context(), near, "1.0.0", o)
	if err != nil {
		t.Fatal(err)
	}
	w.Conn, err = rpc.Connect(t.Context(), far, rpc.Options{
		Handler: func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			return w.answer(ctx, method, params)
		},
		MaxIn: nativemsg.MaxToBrowser, MaxOut: nativemsg.MaxFromBrowser,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(); b.Close() })
	return b, w
}

// greeted is a connection whose handshake is done; answer is what the worker
// says to the host's requests.
func greeted(t *testing.T, answer func(ctx context.Context, method string, params json.RawMessage) (any, error)) (*Browser, *worker) {
	t.Helper()
	b, w := connect(t, &owner{})
	if answer != nil {
		w.answer = answer
	}
	if err := w.Call(limited(t), protocol.MethodHandshake, hello(), nil); err != nil {
		t.Fatal(err)
	}
	return b, w
}

// hello is a good handshake.
func hello() protocol.Handshake {
	return protocol.Handshake{
		Protocol: protocol.Number, ProtocolMin: protocol.MinNumber, ExtensionVersion: "1.0.0", DictionaryHash: manifest.DictionaryHash(),
		ProfileID: someID, ProfileLabel: "Test 1", Browser: protocol.BrowserInfo{Name: "chromium", Version: "1"}, BrowserSession: someID,
		Primitives: []string{"page.info", "pointer.click"}, Tabs: []protocol.Tab{},
	}
}

func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

func (o *owner) DebuggingCancelled(int) { o.note("cancelled") }

func (o *owner) RegisterPages(m *rpc.Mux) {
	for _, method := range protocol.Methods {
		if method.From == "extension" && pageMethod.MatchString(method.Name) {
			m.HandleFunc(method.Name, func(_ context.Context, _ string, params json.RawMessage) (any, error) {
				o.note(method.Name + " " + string(params))
				return map[string]string{"did": method.Name}, nil
			})
		}
	}
}

// pageMethod matches the methods of the extension's own pages.
var pageMethod = regexp.MustCompile(`^(agent_[^c]|ui_)`)
