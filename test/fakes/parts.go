package fakes

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/nativemsg"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// The bounds of an extension, as its worker has them.
const (
	maxPartBytes    = nativemsg.MaxMessage
	maxPartMessages = 8
)

// Parts puts messages together that came in parts, as the extension's worker
// does; both are held against manifest/fixtures/parts.
type Parts struct {
	MaxBytes, MaxMessages int

	bytes    int
	messages []*partial // the one whose last part came longest ago is the first
}

// partial is a message whose parts are coming.
type partial struct {
	id, total int
	parts     []string
	bytes     int
}

// Add takes a part. It gives the message's text with its last part, and the
// messages that are given up.
func (p *Parts) Add(part protocol.MessagePart) (text string, whole bool, refused []protocol.MessageRefused) {
	refuse := func(id int, code fault.Code, format string, args ...any) {
		p.forget(id)
		refused = append(refused, protocol.MessageRefused{ID: id, Error: protocol.ErrorData{
			Code: string(code), Message: fmt.Sprintf(format, args...), Dispatched: string(fault.NotDispatched),
		}})
	}
	m := p.forget(part.ID) // it comes back as the last one
	if m == nil {
		m = &partial{id: part.ID, total: part.Total}
	}
	switch size := len(part.Data); {
	case part.Data == "":
		return "", false, nil
	case part.Index != len(m.parts) || part.Total != m.total:
		refuse(part.ID, fault.InvalidMessage, "part %d of %d came in place of part %d of %d", part.Index, part.Total, len(m.parts), m.total)
		return "", false, refused
	case m.bytes+size > p.MaxBytes:
		refuse(part.ID, fault.PayloadTooLarge, "the message has more than %d bytes", p.MaxBytes)
		return "", false, refused
	default:
		m.parts, m.bytes = append(m.parts, part.Data), m.bytes+size
	}
	for len(p.messages) > 0 && (p.bytes+m.bytes > p.MaxBytes || len(p.messages) >= p.MaxMessages) {
		refuse(p.messages[0].id, fault.InvalidMessage, "the rest of the message did not come")
	}
	if len(m.parts) == m.total {
		return strings.Join(m.parts, ""), true, refused
	}
	p.messages, p.bytes = append(p.messages, m), p.bytes+m.bytes
	return "", false, refused
}

func (p *Parts) forget(id int) *partial {
	at := slices.IndexFunc(p.messages, func(m *partial) bool { return m.id == id })
	if at < 0 {
		return nil
	}
	m := p.messages[at]
	p.messages, p.bytes = slices.Delete(p.messages, at, at+1), p.bytes-m.bytes
	return m
}

// joining is a stream whose reader sees whole messages where parts came. A frame
// that no browser would let through breaks it.
type joining struct {
	io.ReadWriteCloser
	frames *nativemsg.Reader
	parts  Parts
	rest   bytes.Buffer
	counts *Counts
}

// Counts is what came over a stream.
type Counts struct {
	Parts   atomic.Int64 // frames that were parts
	Largest atomic.Int64 // bytes of the largest frame
}

func newJoining(stream io.ReadWriteCloser, c *Counts) *joining {
	return &joining{
		ReadWriteCloser: stream, frames: nativemsg.NewReader(stream, nativemsg.MaxToBrowser),
		parts: Parts{MaxBytes: maxPartBytes, MaxMessages: maxPartMessages}, counts: c,
	}
}

func (j *joining) Read(p []byte) (int, error) {
	for j.rest.Len() == 0 {
		frame, err := j.frames.ReadFrame()
		if err != nil {
			return 0, err
		}
		j.counts.Largest.Store(max(j.counts.Largest.Load(), int64(len(frame))))
		var part protocol.MessagePart
		if !bytes.Contains(frame[:min(len(frame), 64)], []byte(`"jsonrpc"`)) && strictjson.Decode(frame, &part, strictjson.Limits{}) == nil {
			j.counts.Parts.Add(1)
			text, whole, refused := j.parts.Add(part)
			if len(refused) > 0 {
				return 0, fmt.Errorf("the host sent bad parts: %+v", refused)
			}
			if !whole {
				continue
			}
			frame = []byte(text)
		}
		if err := nativemsg.NewWriter(&j.rest, maxPartBytes).WriteFrame(frame); err != nil {
			return 0, err
		}
	}
	return j.rest.Read(p)
}
