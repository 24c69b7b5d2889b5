package nativemsg

import (
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxMessage is the largest message that travels in parts, in bytes.
const MaxMessage = 64 << 20

// partFrame bounds what a part's frame holds besides its data.
const partFrame = 128

// Parts cuts a message that is too large for one frame to the browser. Each part
// is a frame of its own, {"id","index","total","data"}: the data of all parts in
// order is the message's text. Frames of other messages may stand in between.
type Parts struct {
	id   uint64
	text []byte
	ends []int // where each part ends
	next int
}

// Cut prepares the parts of a message, which is UTF-8 and no larger than
// MaxMessage, for frames of at most max bytes. No two messages that are under
// way may have the same id.
func Cut(id uint64, text []byte, max int) *Parts {
	p := &Parts{id: id, text: text}
	for start := 0; start < len(text); {
		end := endOfPart(text, start, max-partFrame)
		p.ends = append(p.ends, end)
		start = end
	}
	return p
}

// endOfPart finds the last character whose part, quoted as JSON, still fits.
func endOfPart(text []byte, start, room int) int {
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

// Next gives the next part's frame; nil after the last.
func (p *Parts) Next() []byte {
	if p.next == len(p.ends) {
		return nil
	}
	start := 0
	if p.next > 0 {
		start = p.ends[p.next-1]
	}
	frame := p.frame(p.text[start:p.ends[p.next]])
	p.next++
	return frame
}

// Begun tells whether a part was given already.
func (p *Parts) Begun() bool { return p.next > 0 }

// Done tells whether the last part was given.
func (p *Parts) Done() bool { return p.next == len(p.ends) }

// Abandon gives the frame that tells the browser's side to forget the parts it
// has: one without data. No other part follows.
func (p *Parts) Abandon() []byte {
	frame := p.frame(nil)
	p.next = len(p.ends)
	return frame
}

func (p *Parts) frame(data []byte) []byte {
	b := make([]byte, 0, len(data)+len(data)/8+partFrame)
	b = append(b, `{"id":`...)
	b = strconv.AppendUint(b, p.id, 10)
	b = append(b, `,"index":`...)
	b = strconv.AppendInt(b, int64(p.next), 10)
	b = append(b, `,"total":`...)
	b = strconv.AppendInt(b, int64(len(p.ends)), 10)
	b = append(b, `,"data":`...)
	b, _ = jsontext.AppendQuote(b, data) // fails only for text that is not UTF-8, which it replaces
	return append(b, '}')
}
