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
	maxChunkBytes      = nativemsg.MaxMessage
	maxChunkedMessages = 8
)

// Chunks puts messages together that came in chunks, as the extension's worker
// does; both are held against manifest/fixtures/parts.
type Chunks struct {
	MaxBytes, MaxMessages int

	bytes    int
	messages []*partial // the one whose last chunk came longest ago is the first
}

// partial is a message whose chunks are coming.
type partial struct {
	id, total int
	chunks    []string
	bytes     int
}

// Add takes a chunk. It returns the message's text with its last chunk, and the
// messages that are given up.
func (p *Chunks) Add(chunk protocol.MessagePart) (text string, whole bool, refused []protocol.MessageRefused) {
	refuse := func(id int, code fault.Code, format string, args ...any) {
		p.forget(id)
		refused = append(refused, protocol.MessageRefused{ID: id, Error: protocol.ErrorData{
			Code: string(code), Message: fmt.Sprintf(format, args...), Dispatched: string(fault.NotDispatched),
		}})
	}
	m := p.forget(chunk.ID) // it comes back as the last one
	if m == nil {
		m = &partial{id: chunk.ID, total: chunk.Total}
	}
	switch size := len(chunk.Data); {
	case chunk.Data == "":
		return "", false, nil
	case chunk.Index != len(m.chunks) || chunk.Total != m.total:
		refuse(chunk.ID, fault.InvalidMessage, "part %d of %d came in place of part %d of %d", chunk.Index, chunk.Total, len(m.chunks), m.total)
		return "", false, refused
	case m.bytes+size > p.MaxBytes:
		refuse(chunk.ID, fault.PayloadTooLarge, "the message has more than %d bytes", p.MaxBytes)
		return "", false, refused
	default:
		m.chunks, m.bytes = append(m.chunks, chunk.Data), m.bytes+size
	}
	for len(p.messages) > 0 && (p.bytes+m.bytes > p.MaxBytes || len(p.messages) >= p.MaxMessages) {
		refuse(p.messages[0].id, fault.InvalidMessage, "the rest of the message did not come")
	}
	if len(m.chunks) == m.total {
		return strings.Join(m.chunks, ""), true, refused
	}
	p.messages, p.bytes = append(p.messages, m), p.bytes+m.bytes
	return "", false, refused
}

func (p *Chunks) forget(id int) *partial {
	at := slices.IndexFunc(p.messages, func(m *partial) bool { return m.id == id })
	if at < 0 {
		return nil
	}
	m := p.messages[at]
	p.messages, p.bytes = slices.Delete(p.messages, at, at+1), p.bytes-m.bytes
	return m
}

// joining is a stream whose reader sees whole messages where chunks came. A frame
// that no browser would let through breaks it.
type joining struct {
	io.ReadWriteCloser
	frames *nativemsg.Reader
	chunks Chunks
	rest   bytes.Buffer
	counts *Counts
}

// Counts counts the messages of a stream.
type Counts struct {
	Chunks  atomic.Int64 // frames that were chunks
	Largest atomic.Int64 // bytes of the largest frame
}

func newJoining(stream io.ReadWriteCloser, c *Counts) *joining {
	return &joining{
		ReadWriteCloser: stream, frames: nativemsg.NewReader(stream, nativemsg.MaxToBrowser),
		chunks: Chunks{MaxBytes: maxChunkBytes, MaxMessages: maxChunkedMessages}, counts: c,
	}
}

func (j *joining) Read(p []byte) (int, error) {
	for j.rest.Len() == 0 {
		frame, err := j.frames.ReadFrame()
		if err != nil {
			return 0, err
		}
		j.counts.Largest.Store(max(j.counts.Largest.Load(), int64(len(frame))))
		var chunk protocol.MessagePart
		if !bytes.Contains(frame[:min(len(frame), 64)], []byte(`"jsonrpc"`)) && strictjson.Decode(frame, &chunk, strictjson.Limits{}) == nil {
			j.counts.Chunks.Add(1)
			text, whole, refused := j.chunks.Add(chunk)
			if len(refused) > 0 {
				return 0, fmt.Errorf("the host sent bad parts: %+v", refused)
			}
			if !whole {
				continue
			}
			frame = []byte(text)
		}
		if err := nativemsg.NewWriter(&j.rest, maxChunkBytes).WriteFrame(frame); err != nil {
			return 0, err
		}
	}
	return j.rest.Read(p)
}
