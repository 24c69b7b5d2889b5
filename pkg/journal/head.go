package journal

import (
	"bytes"
	"crypto/sha256"
	"slices"
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
	h, rest, ok := cutHead(value)
	return h, ok && (bytes.HasPrefix(rest, []byte(dataMember)) || bytes.Equal(rest, []byte("}")))
}

// split is peek, and returns the record's data, which may be no JSON.
func split(value []byte) (h recordHead, data []byte, ok bool) {
	h, rest, ok := cutHead(value)
	rest, hasData := bytes.CutPrefix(rest, []byte(dataMember))
	data, closed := bytes.CutSuffix(rest, []byte("}"))
	return h, data, ok && hasData && closed
}

const dataMember = `,"data":`

// headMembers are the members of the head, in their order.
var headMembers = []string{"at", "session_id", "type", "call_id", "parent_id", "name"}

// cutHead returns the head of a stored record and what comes after it.
func cutHead(value []byte) (h recordHead, rest []byte, ok bool) {
	if len(value) <= sha256.Size {
		return h, nil, false
	}
	rest, ok = bytes.CutPrefix(value[sha256.Size:], []byte(`{"seq":`))
	if !ok {
		return h, nil, false
	}
	rest = bytes.TrimLeft(rest, "0123456789")
	for place := -1; ; {
		name, text, after, ok := member(rest)
		if !ok {
			return h, rest, !h.at.IsZero() && len(h.kind) > 0 // the data comes, or the end
		}
		rest = after
		next := slices.Index(headMembers, string(name))
		if next <= place {
			return h, nil, false // unknown, twice or in another order
		}
		place = next
		switch string(name) {
		case "at":
			if err := h.at.UnmarshalText(text); err != nil {
				return h, nil, false
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
