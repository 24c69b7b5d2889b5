package journal

import (
	"bytes"
	"crypto/sha256"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// recordHead holds the members of a record's canonical bytes before its data. It
// shares memory with the record.
type recordHead struct {
	at                                  time.Time
	session, kind, callID, parent, name []byte
}

// peek reads the head of a stored record without decoding its data, which is
// most of it. It knows no other form than encodeTail's.
func peek(value []byte) (h recordHead, ok bool) {
	if len(value) <= sha256.Size {
		return h, false
	}
	rest, ok := bytes.CutPrefix(value[sha256.Size:], []byte(`{"seq":`))
	if !ok {
		return h, false
	}
	rest = bytes.TrimLeft(rest, "0123456789")
	for {
		name, text, after, ok := member(rest)
		if !ok {
			// The data, or the end: the head is over.
			return h, !h.at.IsZero() && len(h.kind) > 0 && (bytes.HasPrefix(rest, []byte(`,"data":`)) || bytes.Equal(rest, []byte("}")))
		}
		rest = after
		switch string(name) {
		case "at":
			if err := h.at.UnmarshalText(text); err != nil {
				return h, false
			}
		case "session_id":
			h.session = text
		case "type":
			h.kind = text
		case "call_id":
			h.callID = text
		case "parent_id":
			h.parent = text
		case "name":
			h.name = text
		}
	}
}

// member reads ,"name":"text" from the start of a text. Names have no escapes.
func member(b []byte) (name, text, rest []byte, ok bool) {
	b, ok = bytes.CutPrefix(b, []byte(`,"`))
	if !ok {
		return nil, nil, nil, false
	}
	name, b, ok = bytes.Cut(b, []byte(`":"`))
	if !ok || bytes.ContainsAny(name, `":,{`) {
		return nil, nil, nil, false
	}
	end := 0
	for end < len(b) && b[end] != '"' {
		if b[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(b) {
		return nil, nil, nil, false
	}
	text = b[:end]
	if bytes.IndexByte(text, '\\') >= 0 {
		unquoted, err := jsontext.AppendUnquote(nil, append(append([]byte{'"'}, text...), '"'))
		if err != nil {
			return nil, nil, nil, false
		}
		text = unquoted
	}
	return name, text, b[end+1:], true
}
