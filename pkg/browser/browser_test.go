package browser

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestHandshake(t *testing.T) {
	// Ensure that a good handshake is answered with what the extension needs to know, an empty list of claims being a list.
	o := &owner{}
	_, w := connect(t, o)
	var got protocol.HandshakeResult
	if err := w.Call(limited(t), protocol.MethodHandshake, hello(), &got); err != nil {
		t.Fatal(err)
	}
	want := protocol.HandshakeResult{Protocol: protocol.Number, HostVersion: "1.0.0", DictionaryHash: manifest.DictionaryHash(), Claims: []int{1}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, w = connect(t, &owner{greeted: func(protocol.Handshake) ([]int, error) { return nil, nil }})
	var raw json.RawMessage
	if err := w.Call(limited(t), protocol.MethodHandshake, hello(), &raw); err != nil || !strings.Contains(string(raw), `"claims":[]`) {
		t.Errorf("got %s, %v", raw, err)
	}
}

func TestNewerExtension(t *testing.T) {
	// Ensure that an extension that speaks more than this host gets on with it by the older protocol.
	_, w := connect(t, &owner{})
	h := hello()
	h.Protocol = protocol.Number + 3
	var got protocol.HandshakeResult
	if err := w.Call(limited(t), protocol.MethodHandshake, h, &got); err != nil || got.Protocol != protocol.Number {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestSkew(t *testing.T) {
	// Ensure that parts that are too far apart say which one to update, and that the profile stays closed.
	for update, change := range map[string]func(*protocol.Handshake){
		"extension": func(h *protocol.Handshake) { h.Protocol, h.ProtocolMin = protocol.MinNumber-1, protocol.MinNumber-1 },
		"host":      func(h *protocol.Handshake) { h.Protocol, h.ProtocolMin = protocol.Number+5, protocol.Number+1 },
	} {
		t.Run(update, func(t *testing.T) {
			o := &owner{}
			_, w := connect(t, o)
			h := hello()
			change(&h)
			f := fault.From(w.Call(limited(t), protocol.MethodHandshake, h, nil))
			if f == nil || f.Code != fault.VersionSkew || f.Evidence["update"] != update || !strings.Contains(f.Message, "update the "+update) {
				t.Errorf("got %+v", f)
			}
			if !o.onlyRefused() {
				t.Errorf("the profile heard more of it: %v", o.notes())
			}
		})
	}
}

func TestBadHandshake(t *testing.T) {
	// Ensure that ids which could be more than a file's name, and members of another shape, are refused before the profile is opened.
	for name, change := range map[string]func(*protocol.Handshake){
		"a path":         func(h *protocol.Handshake) { h.ProfileID = "../../../../etc/passwd" },
		"a short id":     func(h *protocol.Handshake) { h.ProfileID = "abc" },
		"no id":          func(h *protocol.Handshake) { h.ProfileID = "" },
		"upper case":     func(h *protocol.Handshake) { h.ProfileID = strings.ToUpper(someID) },
		"a line break":   func(h *protocol.Handshake) { h.ProfileID = someID + "\n" },
		"a long session": func(h *protocol.Handshake) { h.BrowserSession = someID + "0" },
	} {
		t.Run(name, func(t *testing.T) {
			o := &owner{}
			_, w := connect(t, o)
			h := hello()
			change(&h)
			if err := w.Call(limited(t), protocol.MethodHandshake, h, nil); !fault.Is(err, fault.InvalidMessage) || !o.onlyRefused() {
				t.Errorf("got %v, %v", err, o.notes())
			}
		})
	}
	o := &owner{}
	_, w := connect(t, o)
	if err := w.Call(limited(t), protocol.MethodHandshake, map[string]any{"Protocol": 1}, nil); err == nil || !o.onlyRefused() {
		t.Errorf("another shape gave %v, %v", err, o.notes())
	}
}

func TestBeforeTheHandshake(t *testing.T) {
	// Ensure that no message is heard before the handshake: neither a claim nor what is said of tabs.
	o := &owner{}
	_, w := connect(t, o)
	tab := protocol.Tab{TabID: 1, URL: "https://example.com/"}
	for method, params := range map[string]any{
		protocol.MethodClaim: protocol.ClaimParams{Tab: tab}, protocol.MethodRelease: protocol.ReleaseParams{TabID: 1, Reason: "user"}, "teleport": struct{}{},
	} {
		if err := w.Call(limited(t), method, params, nil); !fault.Is(err, fault.InvalidMessage) {
			t.Errorf("%s: %v", method, err)
		}
	}
	if err := w.Notify(t.Context(), protocol.MethodRuntimeStatus, protocol.TabUpdate{Tab: tab}); err != nil {
		t.Fatal(err)
	}
	// Requests and notifications come in order: once this is answered, the other was handled.
	if err := w.Call(limited(t), protocol.MethodHandshake, hello(), nil); err != nil {
		t.Fatal(err)
	}
	if err := w.Notify(t.Context(), protocol.MethodRuntimeReady, protocol.RuntimeRef{TabID: 1, RuntimeID: "r"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Call(limited(t), protocol.MethodRelease, protocol.ReleaseParams{TabID: 1, Reason: "closed"}, nil); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"refused": 1, "handshake": 1, "ready r": 1, "release closed": 1}
	got := map[string]int{}
	for _, n := range o.notes() {
		got[n]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the profile heard (-want +got)\n%s", diff)
	}
}

func TestSecondHandshake(t *testing.T) {
	// Ensure that a connection is greeted once, that a profile which cannot be opened may be tried again, and that a refused second greeting changes nothing.
	fail := true
	o := &owner{greeted: func(protocol.Handshake) ([]int, error) {
		if fail {
			return nil, fault.New(fault.DatabaseLocked, "busy")
		}
		return []int{7}, nil
	}}
	_, w := connect(t, o)
	if err := w.Call(limited(t), protocol.MethodHandshake, hello(), nil); !fault.Is(err, fault.DatabaseLocked) {
		t.Fatalf("a locked database: %v", err)
	}
	if err := w.Call(limited(t), protocol.MethodClaim, protocol.ClaimParams{Tab: protocol.Tab{TabID: 1, URL: "https://example.com/"}}, nil); !fault.Is(err, fault.InvalidMessage) {
		t.Errorf("a claim after a failed handshake: %v", err)
	}
	fail = false
	if err := w.Call(limited(t), protocol.MethodHandshake, hello(), nil); err != nil {
		t.Fatalf("another try: %v", err)
	}
	if err := w.Call(limited(t), protocol.MethodHandshake, hello(), nil); !fault.Is(err, fault.InvalidMessage) {
		t.Errorf("a second handshake: %v", err)
	}
	if err := w.Call(limited(t), protocol.MethodRelease, protocol.ReleaseParams{TabID: 1, Reason: "user"}, nil); err != nil {
		t.Errorf("the connection after it: %v", err)
	}
}

func TestUnknownMessage(t *testing.T) {
	// Ensure that a message which this host does not know, or whose shape is another, is an error and not the end.
	_, w := greeted(t, nil)
	if err := w.Call(limited(t), "teleport", struct{}{}, nil); !fault.Is(err, fault.CapabilityUnavailable) {
		t.Errorf("got %v", err)
	}
	if err := w.Call(limited(t), protocol.MethodClaim, map[string]any{"tab_id": 1}, nil); err == nil {
		t.Error("a claim of another shape was taken")
	}
	if err := w.Call(limited(t), protocol.MethodRelease, protocol.ReleaseParams{TabID: 1, Reason: "user"}, nil); err != nil {
		t.Errorf("the connection ended: %v", err)
	}
}

func TestRequestsCarryTheirTime(t *testing.T) {
	// Ensure that the extension is told how long a call may take, and that the end of the connection is an error that says what is known.
	asked := make(chan protocol.ActionCall, 1)
	b, w := greeted(t, nil)
	w.answer = func(ctx context.Context, _ string, params json.RawMessage) (any, error) {
		var c protocol.ActionCall
		if err := json.Unmarshal(params, &c); err != nil {
			return nil, err
		}
		asked <- c
		<-ctx.Done()
		return nil, ctx.Err()
	}
	failed := make(chan error, 1)
	go func() {
		_, err := b.Page(limited(t), protocol.ActionCall{CallID: "c", Name: "page.info", Arguments: json.RawMessage(`{}`), TabID: 1})
		failed <- err
	}()
	if c := <-asked; c.TimeoutMS <= 0 || c.TimeoutMS > int(patience.Milliseconds()) || c.Name != "page.info" {
		t.Errorf("asked %+v", c)
	}
	w.Close()
	if f := fault.From(<-failed); f.Code != fault.TransportFailed || f.Dispatched != fault.DispatchedUnknown {
		t.Errorf("got %+v", f)
	}
	<-b.Done()
	if _, err := b.Ping(limited(t)); fault.From(err).Dispatched != fault.NotDispatched {
		t.Errorf("afterwards: %v", err)
	}
}
