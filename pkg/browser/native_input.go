package browser

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"sync"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// nativeInputs are the documents in which code may ask for real input.
type nativeInputs struct {
	mu    sync.Mutex
	byTab map[int]*NativeInput
}

// NativeInput lets the code of one run ask for real input, in one document and until it is
// closed. The code proves by a capability that it is that run's: whoever shares its world or
// its extension has another or none.
type NativeInput struct {
	all        *nativeInputs
	tabID      int
	runtimeID  string
	capability string
	requests   chan NativeRequest
	closed     chan struct{}
}

// NativeRequest is real input that is asked for. Answer is called once.
type NativeRequest struct {
	Input  protocol.NativeInput
	answer chan error // never blocks
}

// Answer ends the request; nil is for input that was done.
func (r NativeRequest) Answer(err error) { r.answer <- err }

// ArmNativeInput lets code in the document ask for real input until the result is closed.
func (b *Browser) ArmNativeInput(tabID int, runtimeID string) *NativeInput {
	var secret [16]byte
	_, _ = rand.Read(secret[:]) // never fails
	n := &NativeInput{
		all: &b.natives, tabID: tabID, runtimeID: runtimeID, capability: hex.EncodeToString(secret[:]),
		requests: make(chan NativeRequest), closed: make(chan struct{}),
	}
	b.natives.mu.Lock()
	defer b.natives.mu.Unlock()
	if b.natives.byTab == nil {
		b.natives.byTab = map[int]*NativeInput{}
	}
	b.natives.byTab[tabID] = n
	return n
}

// Capability returns what the code must present.
func (n *NativeInput) Capability() string {
	if n == nil {
		return ""
	}
	return n.capability
}

// Requests returns the channel of what is asked for; nil has none.
func (n *NativeInput) Requests() <-chan NativeRequest {
	if n == nil {
		return nil
	}
	return n.requests
}

// Close ends the permission. Those who wait are refused.
func (n *NativeInput) Close() {
	if n == nil {
		return
	}
	n.all.mu.Lock()
	defer n.all.mu.Unlock()
	close(n.closed)
	if n.all.byTab[n.tabID] == n {
		delete(n.all.byTab, n.tabID)
	}
}

// RequestNativeInput asks for real input as the code of a document and returns when it was
// done; the fault is permission_denied where nothing allows it.
func (b *Browser) RequestNativeInput(ctx context.Context, p protocol.NativeInput) error {
	b.natives.mu.Lock()
	n := b.natives.byTab[p.TabID]
	b.natives.mu.Unlock()
	switch {
	case n == nil || n.runtimeID != p.RuntimeID:
		return notArmed()
	case subtle.ConstantTimeCompare([]byte(n.capability), []byte(p.Capability)) != 1:
		return fault.New(fault.PermissionDenied, "this code was not given the right to real input").
			With("reason", "wrong capability").WithDispatched(fault.NotDispatched)
	}
	request := NativeRequest{p, make(chan error, 1)}
	select {
	case n.requests <- request:
	case <-n.closed:
		return notArmed()
	case <-ctx.Done():
		return fault.From(ctx.Err())
	}
	select {
	case err := <-request.answer:
		return err
	case <-ctx.Done():
		return fault.From(ctx.Err())
	}
}

func notArmed() error {
	return fault.New(fault.PermissionDenied, "real input is not armed for this code").With("reason", "not armed").
		WithNextStep(`Real input in scripts is switched off, or this code runs where it cannot be: the user switches it on in the options, and only browserjs() outside the main world has it.`).
		WithDispatched(fault.NotDispatched)
}
