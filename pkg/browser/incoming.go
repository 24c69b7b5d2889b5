package browser

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
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
	switch method {
	case protocol.MethodClaim:
		p, err := decode[protocol.ClaimParams](params)
		if err != nil {
			return nil, err
		}
		return claimsResult(b.delegate.Claim(ctx, p.Tab))
	case protocol.MethodAgentCommand:
		p, err := decode[protocol.AgentCommand](params)
		if err != nil {
			return nil, err
		}
		view, err := b.delegate.AgentCommand(ctx, string(p.Command), p.Arguments)
		return protocol.AgentView{View: view}, err
	case protocol.MethodDeskCommand:
		p, err := decode[protocol.DeskCommand](params)
		if err != nil {
			return nil, err
		}
		answer, err := b.delegate.UICommand(ctx, string(p.Command), p.Arguments)
		return protocol.DeskAnswer{Answer: answer}, err
	case protocol.MethodRelease:
		p, err := decode[protocol.ReleaseParams](params)
		if err != nil {
			return nil, err
		}
		b.dialogs.remove(p.TabID)
		b.debugger.forgetAttachment(p.TabID)
		return claimsResult(b.delegate.Release(ctx, p.TabID, p.Reason))
	case protocol.MethodRuntimeStatus:
		p, err := decode[protocol.TabUpdate](params)
		if err != nil {
			return nil, err
		}
		b.delegate.TabChanged(p.Tab)
	case protocol.MethodRuntimeReady, protocol.MethodRuntimeRemoved:
		p, err := decode[protocol.RuntimeRef](params)
		if err != nil {
			return nil, err
		}
		if method == protocol.MethodRuntimeReady {
			b.delegate.RuntimeReady(p.TabID, p.RuntimeID)
		} else {
			b.delegate.RuntimeRemoved(p.TabID, p.RuntimeID)
		}
	case protocol.MethodDomEvent:
		p, err := decode[protocol.DomEvent](params)
		if err != nil {
			return nil, err
		}
		b.delegate.DOMEvent(p)
	case protocol.MethodLauncherClicked:
		p, err := decode[protocol.LauncherClick](params)
		if err != nil {
			return nil, err
		}
		b.delegate.LauncherClicked(p)
	case protocol.MethodAnnouncements:
		p, err := decode[protocol.Announcements](params)
		if err != nil {
			return nil, err
		}
		b.delegate.Announced(p)
	case protocol.MethodDebuggerEvent:
		p, err := decode[protocol.DebuggerEvent](params)
		if err != nil {
			return nil, err
		}
		if b.debugger.isOrphanedFrame(p) {
			go b.releaseWaitingFrames(p.TabID)
		}
		b.debugger.deliver(p)
		leave, err := b.dialogs.handleEvent(p)
		if leave != nil {
			go b.acceptDialog(p.TabID, leave)
		}
		return nil, err
	case protocol.MethodDebuggerDetached:
		p, err := decode[protocol.DebuggerDetached](params)
		if err != nil {
			return nil, err
		}
		b.debugger.detached(p.TabID, p.Reason)
		b.dialogs.remove(p.TabID)
	case protocol.MethodMediaState:
		p, err := decode[protocol.MediaState](params)
		if err != nil {
			return nil, err
		}
		b.media.deliver(p)
	case protocol.MethodTabOpened:
		p, err := decode[protocol.TabOpened](params)
		if err != nil {
			return nil, err
		}
		b.openedTabs.notify(p)
	default:
		return nil, fault.New(fault.CapabilityUnavailable, "this host does not know the message %q", method)
	}
	return nil, nil
}
