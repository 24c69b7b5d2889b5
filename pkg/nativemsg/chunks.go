package nativemsg

import (
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxMessage is the largest message that is sent in chunks, in bytes.
const MaxMessage = 64 << 20

// chunkOverhead bounds what a chunk's frame holds besides its data.
const chunkOverhead = 128

// Chunks splits a message that is too large for one frame to the browser. Each chunk
// is a frame of its own, {"id","index","total","data"}: the data of all chunks in
// order is the message's text. Frames of other messages may come in between.
type Chunks struct {
	id   uint64
	text []byte
	ends []int // where each chunk ends
	next int
}

// Split prepares the chunks of a message, which is UTF-8 and no larger than
// MaxMessage, for frames of at most max bytes. No two messages that are being
// sent may have the same ID.
func Split(id uint64, text []byte, max int) *Chunks {
	c := &Chunks{id: id, text: text}
	for start := 0; start < len(text); {
		end := chunkEnd(text, start, max-chunkOverhead)
		c.ends = append(c.ends, end)
		start = end
	}
	return c
}

// chunkEnd finds the last character whose chunk, quoted as JSON, still fits.
func chunkEnd(text []byte, start, room int) int {
	end := start
	for end < len(text) {
		if room -= quotedSize(text[end]); room < 0 {
			break
		}
		end++
	}
	for at := end; at > start && at < len(text) && end-at < utf8.UTFMax; at-- {
		if utf8.RuneStart(text[at]) {
			return at
		}
	}
	return max(end, start+1)
}

// quotedSize is what a byte takes at most within a JSON string.
func quotedSize(b byte) int {
	switch {
	case b == '"' || b == '\\':
		return 2
	case b < ' ':
		return 6
	}
	return 1
}

// Next returns the next chunk's frame; nil after the last.
func (c *Chunks) Next() []byte {
	if c.next == len(c.ends) {
		return nil
	}
	start := 0
	if c.next > 0 {
		start = c.ends[c.next-1]
	}
	frame := c.frame(c.text[start:c.ends[c.next]])
	c.next++
	return frame
}

// Started reports whether Next has returned a chunk.
func (c *Chunks) Started() bool { return c.next > 0 }

// Done reports whether no chunk is left.
func (c *Chunks) Done() bool { return c.next == len(c.ends) }

// Abandon returns the frame that makes the browser's side drop the chunks it
// has: one without data. No other chunk follows.
func (c *Chunks) Abandon() []byte {
	frame := c.frame(nil)
	c.next = len(c.ends)
	return frame
}

func (c *Chunks) frame(data []byte) []byte {
	b := make([]byte, 0, len(data)+len(data)/8+chunkOverhead)
	b = append(b, `{"id":`...)
	b = strconv.AppendUint(b, c.id, 10)
	b = append(b, `,"index":`...)
	b = strconv.AppendInt(b, int64(c.next), 10)
	b = append(b, `,"total":`...)
	b = strconv.AppendInt(b, int64(len(c.ends)), 10)
	b = append(b, `,"data":`...)
	b, _ = jsontext.AppendQuote(b, data) // fails only for text that is not UTF-8, which it replaces
	return append(b, '}')
}
