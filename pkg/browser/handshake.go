package browser

import (
	"context"
	"encoding/json"
	"regexp"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
)

var randomID = regexp.MustCompile(`^[0-9a-f]{32}$`)

// protocolOfParts is the first protocol whose extensions take messages in parts.
const protocolOfParts = 2

// protocolOfShown is the first protocol whose extensions show in the page what
// happens there.
const protocolOfShown = 3

// handshake checks that both sides fit and opens the profile.
func (b *Browser) handshake(ctx context.Context, params json.RawMessage) (any, error) {
	h, err := decode[protocol.Handshake](params)
	if err != nil {
		return nil, err
	}
	if err := skew(h); err != nil {
		return nil, err
	}
	// The ids name files and runs of a browser: what else they could hold must
	// not reach a path.
	if !randomID.MatchString(h.ProfileID) || !randomID.MatchString(h.BrowserSession) {
		return nil, fault.New(fault.InvalidMessage, "profile_id and browser_session must be 32 hexadecimal digits in lower case")
	}
	if !b.greeting.CompareAndSwap(false, true) {
		return nil, fault.New(fault.InvalidMessage, "a second handshake on one connection")
	}
	ids, err := b.delegate.Handshake(ctx, b, h)
	if err != nil {
		b.greeting.Store(false)
		return nil, err
	}
	if h.Protocol >= protocolOfParts {
		b.conn.SendParts()
	}
	b.shows.Store(h.Protocol >= protocolOfShown)
	b.greeted.Store(true)
	go func() {
		// Fails only with the connection, of which every call learns by itself.
		_ = b.conn.Drain(context.Background())
		close(b.answered)
	}()
	return protocol.HandshakeResult{
		Protocol: min(h.Protocol, protocol.Number), HostVersion: b.version,
		DictionaryHash: manifest.DictionaryHash(), Claims: orEmpty(ids),
	}, nil
}

// skew finds out which side is too old for the other.
func skew(h protocol.Handshake) error {
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
