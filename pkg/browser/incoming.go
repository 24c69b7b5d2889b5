package browser

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/rpc"
	"github.com/actionsjson/actions-host/pkg/strictjson"
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
	rpc.Notify(m, protocol.MethodRuntimeStatus, func(p protocol.TabUpdate) { b.delegate.TabChanged(p.Tab) })
	rpc.Notify(m, protocol.MethodRuntimeReady, func(p protocol.RuntimeRef) { b.delegate.RuntimeReady(p.TabID, p.RuntimeID) })
	rpc.Notify(m, protocol.MethodRuntimeRemoved, func(p protocol.RuntimeRef) { b.delegate.RuntimeRemoved(p.TabID, p.RuntimeID) })
	rpc.Notify(m, protocol.MethodDomEvent, b.delegate.DOMEvent)
	rpc.Notify(m, protocol.MethodLauncherClicked, b.delegate.LauncherClicked)
	rpc.Notify(m, protocol.MethodAnnouncements, b.delegate.Announced)
	rpc.Handle(m, protocol.MethodDebuggerEvent, b.handleDebuggerEvent)
	rpc.Notify(m, protocol.MethodDebuggerDetached, func(p protocol.DebuggerDetached) {
		if p.Reason == byUser {
			b.delegate.DebuggingCancelled(p.TabID)
		}
		b.debugger.detached(p.TabID, p.Reason)
		b.dialogs.remove(p.TabID)
	})
	rpc.Notify(m, protocol.MethodMediaState, b.media.deliver)
	rpc.Notify(m, protocol.MethodTabOpened, b.openedTabs.notify)
	rpc.Handle(m, protocol.MethodReplStep, b.repls.handleStep)
	rpc.Handle(m, protocol.MethodNativeInput, func(ctx context.Context, p protocol.NativeInput) (protocol.Empty, error) {
		return protocol.Empty{}, b.RequestNativeInput(ctx, p)
	})
	handleCommands(m)
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

// agentMethods and uiMethods are the methods that take the place of the commands of
// protocol 5.
var (
	agentMethods = map[string]string{
		"view": protocol.MethodAgentView, "start": protocol.MethodAgentStart, "stop": protocol.MethodAgentStop,
		"say": protocol.MethodAgentSend, "interrupt": protocol.MethodAgentInterrupt, "mute": protocol.MethodAgentMute,
		"approve": protocol.MethodAgentApprove, "settings": protocol.MethodAgentSettings, "forget": protocol.MethodAgentForget,
	}
	uiMethods = map[string]string{
		"view": protocol.MethodUIView, "stop": protocol.MethodUIStop, "settings": protocol.MethodUISettings,
		"storage": protocol.MethodUIStorage, "import_part": protocol.MethodUIImportChunk, "import": protocol.MethodUIImport,
		"grants": protocol.MethodUIGrants, "revoke": protocol.MethodUIRevoke,
	}
)

// byUser is the browser's reason for a debugger that the user detached.
const byUser = "canceled_by_user"

// handleCommands registers the two methods by which an extension of protocol 5 or older
// sends what has methods of its own since then.
func handleCommands(m *rpc.Mux) {
	rpc.Handle(m, protocol.MethodAgentCommand, func(ctx context.Context, p protocol.AgentCommand) (protocol.AgentCommandResult, error) {
		view, err := serveCommand(ctx, m, agentMethods, p.Command, p.Arguments)
		return protocol.AgentCommandResult{View: view}, err
	})
	rpc.Handle(m, protocol.MethodDeskCommand, func(ctx context.Context, p protocol.DeskCommand) (protocol.DeskAnswer, error) {
		answer, err := serveCommand(ctx, m, uiMethods, p.Command, p.Arguments)
		return protocol.DeskAnswer{Answer: answer}, err
	})
}

// serveCommand serves a command by the method that takes its place.
func serveCommand(ctx context.Context, m *rpc.Mux, methods map[string]string, command string, args json.RawMessage) (json.RawMessage, error) {
	method, ok := methods[command]
	if !ok {
		return nil, fault.New(fault.InvalidInput, "the host does not know the command %q", command).WithDispatched(fault.NotDispatched)
	}
	params, err := commandParams(method, args)
	if err != nil {
		return nil, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	result, err := m.Serve(ctx, method, params)
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

// commandParams returns the parameters of the method for the arguments of a command.
func commandParams(method string, args json.RawMessage) (json.RawMessage, error) {
	switch method {
	case protocol.MethodAgentSettings, protocol.MethodUISettings:
		return json.Marshal(protocol.SettingsChange{Changes: args})
	case protocol.MethodUIImport:
		var start struct {
			Import string `json:"import"`
			Chunks int    `json:"parts"`
		}
		if err := strictjson.Decode(args, &start, strictjson.Limits{}); err != nil {
			return nil, err
		}
		return json.Marshal(protocol.ImportStart(start))
	}
	return args, nil
}
