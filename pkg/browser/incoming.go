package browser

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

// handle handles the requests and notifications of the extension.
func (b *Browser) handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if method == protocol.MethodHandshake {
		result, err := b.handshake(ctx, params)
		if err != nil {
			b.delegate.Refused(err)
		}
		return result, err
	}
	if !b.handshakeDone.Load() {
		return nil, fault.New(fault.InvalidMessage, "%s came before the handshake", method)
	}
	return b.mux.Serve(ctx, method, params)
}

// newMux returns the handlers of what may follow the handshake.
func (b *Browser) newMux() *rpc.Mux {
	m := rpc.NewMux(func(_ context.Context, method string, _ json.RawMessage) (any, error) {
		return nil, fault.New(fault.CapabilityUnavailable, "this host does not know the message %q", method)
	})
	rpc.Handle(m, protocol.MethodClaim, func(ctx context.Context, p protocol.ClaimParams) (protocol.Claims, error) {
		return claimsResult(b.delegate.Claim(ctx, p.Tab))
	})
	rpc.Handle(m, protocol.MethodRelease, func(ctx context.Context, p protocol.ReleaseParams) (protocol.Claims, error) {
		b.dialogs.remove(p.TabID)
		b.debugger.forgetAttachment(p.TabID)
		return claimsResult(b.delegate.Release(ctx, p.TabID, p.Reason))
	})
	rpc.Handle(m, protocol.MethodAgentCommand, func(ctx context.Context, p protocol.AgentCommand) (protocol.AgentView, error) {
		view, err := b.delegate.AgentCommand(ctx, string(p.Command), p.Arguments)
		return protocol.AgentView{View: view}, err
	})
	rpc.Handle(m, protocol.MethodDeskCommand, func(ctx context.Context, p protocol.DeskCommand) (protocol.DeskAnswer, error) {
		answer, err := b.delegate.UICommand(ctx, string(p.Command), p.Arguments)
		return protocol.DeskAnswer{Answer: answer}, err
	})
	rpc.Notify(m, protocol.MethodRuntimeStatus, func(p protocol.TabUpdate) { b.delegate.TabChanged(p.Tab) })
	rpc.Notify(m, protocol.MethodRuntimeReady, func(p protocol.RuntimeRef) { b.delegate.RuntimeReady(p.TabID, p.RuntimeID) })
	rpc.Notify(m, protocol.MethodRuntimeRemoved, func(p protocol.RuntimeRef) { b.delegate.RuntimeRemoved(p.TabID, p.RuntimeID) })
	rpc.Notify(m, protocol.MethodDomEvent, b.delegate.DOMEvent)
	rpc.Notify(m, protocol.MethodLauncherClicked, b.delegate.LauncherClicked)
	rpc.Notify(m, protocol.MethodAnnouncements, b.delegate.Announced)
	rpc.Handle(m, protocol.MethodDebuggerEvent, b.handleDebuggerEvent)
	rpc.Notify(m, protocol.MethodDebuggerDetached, func(p protocol.DebuggerDetached) {
		b.debugger.detached(p.TabID, p.Reason)
		b.dialogs.remove(p.TabID)
	})
	rpc.Notify(m, protocol.MethodMediaState, b.media.deliver)
	rpc.Notify(m, protocol.MethodTabOpened, b.openedTabs.notify)
	return m
}

func (b *Browser) handleDebuggerEvent(_ context.Context, p protocol.DebuggerEvent) (any, error) {
	if b.debugger.isOrphanedFrame(p) {
		go b.releaseWaitingFrames(p.TabID)
	}
	b.debugger.deliver(p)
	leave, err := b.dialogs.handleEvent(p)
	if leave != nil {
		go b.acceptDialog(p.TabID, leave)
	}
	return nil, err
}
