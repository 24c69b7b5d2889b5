// Package fakes holds what cannot be had for real in a test, or must fail on
// demand: a browser whose extension and pages are Go functions.
//
// Rules of this package:
//   - A fake speaks the real protocol over real pipes; only what lies behind it
//     is made up.
//   - Where real Chromium can show the same, a test uses Chromium.
package fakes

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/nativemsg"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/rpc"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// Browser is an extension with pages made of functions.
type Browser struct {
	// Page answers action_call; nil answers page.info only.
	Page func(ctx context.Context, call protocol.ActionCall) (any, error)
	// Navigate answers tab_navigate.
	Navigate func(p protocol.TabNavigate) (protocol.TabNavigateResult, error)
	// Debugger answers debugger_command with a result; nil means that there is no debugger.
	Debugger func(ctx context.Context, command protocol.DebuggerCommand) (json.RawMessage, error)
	// Shown gets the questions that a page of the extension would show, with their codes; nil: nobody
	// looks.
	Shown func(id, code string)
	// Questions returns what could show a question; nil: nothing.
	Questions func() protocol.QuestionPages
	// Hello may change the handshake before it is sent.
	Hello func(*protocol.Handshake)

	Conn *rpc.Conn
	// Frames counts what came from the host.
	Frames Counts

	mu     sync.Mutex
	calls  []protocol.ActionCall
	seen   []string
	errors []protocol.ErrorData
	tabs   map[int]protocol.Tab

	clipboard protocol.ClipboardContent
}

// ProfileID is the id of the fake's profile.
const ProfileID = "0123456789abcdef0123456789abcdef"

// Connect starts the JSON-RPC connection with a host at the other end.
func (b *Browser) Connect(ctx context.Context, stream io.ReadWriteCloser) error {
	b.tabs = map[int]protocol.Tab{}
	conn, err := rpc.Connect(ctx, newJoining(stream, &b.Frames), rpc.Options{Handler: b.handle, MaxIn: maxChunkBytes, MaxOut: nativemsg.MaxFromBrowser})
	b.Conn = conn
	return err
}

// Handshake greets the host and returns its answer.
func (b *Browser) Handshake(ctx context.Context, open ...protocol.Tab) (protocol.HandshakeResult, error) {
	h := protocol.Handshake{
		Protocol: protocol.Number, ProtocolMin: protocol.MinNumber, ExtensionVersion: "0.0.0-fake",
		DictionaryHash: manifest.DictionaryHash(), ProfileID: ProfileID, ProfileLabel: "Fake 1",
		Browser: protocol.BrowserInfo{Name: "chromium", Version: "0"}, BrowserSession: ProfileID,
		Primitives: slices.Sorted(maps.Keys(manifest.Primitives())), Tabs: append([]protocol.Tab{}, open...),
	}
	if b.Hello != nil {
		b.Hello(&h)
	}
	for _, t := range open {
		b.remember(t)
	}
	var result protocol.HandshakeResult
	err := b.Conn.Call(ctx, protocol.MethodHandshake, h, &result)
	return result, err
}

// Claim hands a tab over, as the user would.
func (b *Browser) Claim(ctx context.Context, tabID int, url string) error {
	tab := protocol.Tab{TabID: tabID, WindowID: 1, URL: url, Title: "Fake", Active: true, RuntimeID: fmt.Sprintf("runtime-%d", tabID)}
	b.remember(tab)
	return b.Conn.Call(ctx, protocol.MethodClaim, protocol.ClaimParams{Tab: tab}, nil)
}

// Release takes a claimed tab back, as the user would.
func (b *Browser) Release(ctx context.Context, tabID int) error {
	return b.Conn.Call(ctx, protocol.MethodRelease, protocol.ReleaseParams{TabID: tabID, Reason: "user"}, nil)
}

// Open opens a tab in the browser without notifying the host.
func (b *Browser) Open(tab protocol.Tab) { b.remember(tab) }

// Goto reports to the host that a claimed tab is elsewhere now.
func (b *Browser) Goto(ctx context.Context, tabID int, url string) error {
	tab := b.tab(tabID)
	tab.URL = url
	b.remember(tab)
	return b.Conn.Notify(ctx, protocol.MethodRuntimeStatus, protocol.TabUpdate{Tab: tab})
}

func (b *Browser) remember(t protocol.Tab) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tabs[t.TabID] = t
}

func (b *Browser) tab(id int) protocol.Tab {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tabs[id]
}

// Calls returns the page primitives that arrived, in order.
func (b *Browser) Calls() []protocol.ActionCall {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]protocol.ActionCall(nil), b.calls...)
}

// Seen returns the methods of all requests that arrived, in order.
func (b *Browser) Seen() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.seen)
}

// Errors returns the action_error notifications that arrived.
func (b *Browser) Errors() []protocol.ErrorData {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]protocol.ErrorData(nil), b.errors...)
}

// unasked are the messages that a host sends by itself.
var unasked = []string{protocol.MethodActionError, protocol.MethodClaimsChanged, protocol.MethodAgentChanged, protocol.MethodWorkChanged, protocol.MethodMediaClose}

func (b *Browser) handle(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if !slices.Contains(unasked, method) {
		b.mu.Lock()
		b.seen = append(b.seen, method)
		b.mu.Unlock()
	}
	switch method {
	case protocol.MethodActionCall:
		var call protocol.ActionCall
		if err := strictjson.Decode(params, &call, strictjson.Limits{}); err != nil {
			return nil, err
		}
		return b.action(ctx, call)
	case protocol.MethodTabNavigate:
		var p protocol.TabNavigate
		if err := strictjson.Decode(params, &p, strictjson.Limits{}); err != nil {
			return nil, err
		}
		if b.Navigate != nil {
			return b.Navigate(p)
		}
		return protocol.TabNavigateResult{Tab: b.tab(p.TabID), Complete: true}, nil
	case protocol.MethodTabFrames:
		var p protocol.TabFrames
		if err := strictjson.Decode(params, &p, strictjson.Limits{}); err != nil {
			return nil, err
		}
		tab := b.tab(p.TabID)
		at, err := origin.Parse(tab.URL)
		if err != nil {
			return nil, err
		}
		return protocol.TabFramesResult{Frames: []protocol.Frame{{DocumentID: tab.RuntimeID, URL: tab.URL, Origin: at.String()}}}, nil
	case protocol.MethodClipboardRead:
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.clipboard, nil
	case protocol.MethodClipboardWrite:
		var p protocol.ClipboardWrite
		if err := strictjson.Decode(params, &p, strictjson.Limits{}); err != nil {
			return nil, err
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.clipboard = protocol.ClipboardContent{Text: p.Text, HTML: p.HTML}
		return protocol.Ping{}, nil
	case protocol.MethodDebuggerCommand:
		var command protocol.DebuggerCommand
		if err := strictjson.Decode(params, &command, strictjson.Limits{}); err != nil {
			return nil, err
		}
		return b.command(ctx, command)
	case protocol.MethodTabOpen:
		var p protocol.TabOpen
		if err := strictjson.Decode(params, &p, strictjson.Limits{}); err != nil {
			return nil, err
		}
		return b.openTab(ctx, p)
	case protocol.MethodTabClose:
		var p protocol.TabClose
		if err := strictjson.Decode(params, &p, strictjson.Limits{}); err != nil {
			return nil, err
		}
		return protocol.Ping{}, b.Conn.Call(ctx, protocol.MethodRelease, protocol.ReleaseParams{TabID: p.TabID, Reason: "closed"}, nil)
	case protocol.MethodMediaOffer:
		return protocol.MediaOffer{SDP: "v=0\r\n"}, nil
	case protocol.MethodMediaAnswer, protocol.MethodMediaMute, protocol.MethodMediaClose:
		return protocol.Ping{}, nil
	case protocol.MethodPing:
		return protocol.Pong{ExtensionVersion: "0.0.0-fake"}, nil
	case protocol.MethodActionError:
		var e protocol.ErrorData
		if err := strictjson.Decode(params, &e, strictjson.Limits{}); err != nil {
			return nil, err
		}
		b.mu.Lock()
		b.errors = append(b.errors, e)
		b.mu.Unlock()
		return nil, nil
	case protocol.MethodQuestionPages:
		if b.Questions == nil {
			return protocol.QuestionPages{}, nil
		}
		return b.Questions(), nil
	case protocol.MethodAgentChanged:
		return nil, b.show(params)
	case protocol.MethodClaimsChanged, protocol.MethodWorkChanged:
		return nil, nil
	}
	return nil, fault.New(fault.CapabilityUnavailable, "the fake does not know %q", method)
}

// show shows the questions of a change.
func (b *Browser) show(params json.RawMessage) error {
	var changed struct {
		Change struct {
			Approvals []struct{ ID, Code string }
		}
	}
	if err := json.Unmarshal(params, &changed); err != nil {
		return err
	}
	for _, q := range changed.Change.Approvals {
		if b.Shown != nil {
			b.Shown(q.ID, q.Code)
		}
	}
	return nil
}

func (b *Browser) action(ctx context.Context, call protocol.ActionCall) (any, error) {
	b.mu.Lock()
	b.calls = append(b.calls, call)
	tab := b.tabs[call.TabID]
	b.mu.Unlock()
	var output any = map[string]string{"url": tab.URL, "title": tab.Title}
	if b.Page != nil {
		var err error
		if output, err = b.Page(ctx, call); err != nil {
			return nil, err
		}
	}
	raw, err := json.Marshal(output)
	if err != nil {
		return nil, err
	}
	return protocol.ActionCallOutput{Output: raw, RuntimeID: tab.RuntimeID, URL: tab.URL}, nil
}
