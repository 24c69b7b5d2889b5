package browser

import (
	"context"
	"encoding/json"
	"regexp"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

var randomID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// minProtocolChunks is the first protocol whose extensions take messages in parts.
const minProtocolChunks = 2

// minProtocolShown is the first protocol whose extensions show in the page what
// happens there.
const minProtocolShown = 3

// minProtocolShownArgument is the first protocol whose extensions also show what an
// action is about.
const minProtocolShownArgument = 8

// minProtocolMet is the first protocol whose extensions describe the target of a call.
const minProtocolMet = 13

// minProtocolRecordings is the first protocol whose extensions record what the user does.
const minProtocolRecordings = 14

// minProtocolPerform is the first protocol whose extensions perform an action in one message.
const minProtocolPerform = 17

// minProtocolWork is the first protocol whose extensions learn what runs and is stopped.
const minProtocolWork = 11

// minProtocolFields is the first protocol whose extensions can leave fields undrawn.
const minProtocolFields = 9

// minProtocolClipboardOrigin is the first protocol whose extensions keep the clipboard to the
// page of one origin.
const minProtocolClipboardOrigin = 5

// handshake checks that both sides are compatible and opens the profile.
func (b *Browser) handshake(ctx context.Context, params json.RawMessage) (any, error) {
	var h protocol.Handshake
	if err := strictjson.Decode(params, &h, strictjson.Limits{}); err != nil {
		return nil, err
	}
	if err := checkVersions(h); err != nil {
		return nil, err
	}
	// The ids name files and runs of a browser: what else they could hold must
	// not reach a path.
	if !randomID.MatchString(h.ProfileID) || !randomID.MatchString(h.BrowserSession) {
		return nil, fault.New(fault.InvalidMessage, "profile_id and browser_session must be 32 hexadecimal digits in lower case")
	}
	if !b.handshaking.CompareAndSwap(false, true) {
		return nil, fault.New(fault.InvalidMessage, "a second handshake on one connection")
	}
	ids, err := b.delegate.Handshake(ctx, b, h)
	if err != nil {
		b.handshaking.Store(false)
		return nil, err
	}
	if h.Protocol >= minProtocolChunks {
		b.conn.EnableChunks()
	}
	b.supportsShown.Store(h.Protocol >= minProtocolShown)
	b.supportsShownArgument.Store(h.Protocol >= minProtocolShownArgument)
	b.supportsWork.Store(h.Protocol >= minProtocolWork)
	b.supportsUndrawnFields.Store(h.Protocol >= minProtocolFields)
	b.supportsClipboardOrigin.Store(h.Protocol >= minProtocolClipboardOrigin)
	b.supportsMet.Store(h.Protocol >= minProtocolMet)
	b.supportsRecordings.Store(h.Protocol >= minProtocolRecordings)
	b.supportsRepl.Store(h.Protocol >= minProtocolRepl)
	b.supportsPerform.Store(h.Protocol >= minProtocolPerform)
	b.delegate.RegisterPages(b.mux)
	b.handshakeDone.Store(true)
	go func() {
		// It fails only with the connection, and then every call fails by itself.
		_ = b.conn.Drain(context.Background())
		close(b.handshakeAnswered)
	}()
	return protocol.HandshakeResult{
		Protocol: min(h.Protocol, protocol.Number), HostVersion: b.version,
		DictionaryHash: manifest.DictionaryHash(), Claims: append([]int{}, ids...),
	}, nil
}

// checkVersions returns an error if one side is too old for the other.
func checkVersions(h protocol.Handshake) error {
	switch {
	case h.Protocol < protocol.MinNumber:
		return fault.New(fault.VersionSkew, "the extension (%s) speaks protocol %d; this host needs %d or newer: update the extension", h.ExtensionVersion, h.Protocol, protocol.MinNumber).
			With("update", "extension")
	case h.ProtocolMin > protocol.Number:
		return fault.New(fault.VersionSkew, "the extension (%s) needs protocol %d; this host speaks %d: update the host", h.ExtensionVersion, h.ProtocolMin, protocol.Number).
			With("update", "host")
	}
	return nil
}
