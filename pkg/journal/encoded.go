package journal

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.etcd.io/bbolt"
)

// AppendScan is [Reader.Scan] for a reader that passes the records on: it appends their JSON,
// with commas between them. Those that are stored as the writer stores them are copied.
func (r *Reader) AppendScan(ctx context.Context, text []byte, f Filter, from uint64, limit int) (_ []byte, next, last uint64, err error) {
	if limit < 1 {
		limit = defaultLimit
	}
	start := len(text)
	begin := func(value []byte) {
		if len(text) > start {
			text = append(text, ',')
		} else { // as if all were like the first one
			text = slices.Grow(text, min(limit*(len(value)+hashBytes), scanBytes))
		}
	}
	next, last, err = r.scan(ctx, f, from, limit, func(tx *bbolt.Tx, p *progress, key, value []byte, prev digest) (count, size int, err error) {
		before := len(text)
		if !f.Failed {
			begin(value)
			text = appendStored(text, key, value, prev)
			return 1, len(text) - before, nil
		}
		records, err := failedCall(tx, p, key, value)
		for _, r := range records {
			begin(value)
			text = r.appendJSON(text)
		}
		return len(records), len(text) - before, err
	})
	return text, next, last, err
}

// hashBytes is what the hashes of a record take in its JSON, in bytes.
const hashBytes = 4*sha256.Size + len(`,"prev":"","hash":""`)

// appendStored appends the JSON of a stored record.
func appendStored(b, key, value []byte, prev digest) []byte {
	if !asWritten(key, value) {
		return decode(key, value, prev).appendJSON(b)
	}
	b = append(b, value[len(digest{}):len(value)-len("}")]...)
	b = hex.AppendEncode(append(b, `,"prev":"`...), prev[:])
	b = hex.AppendEncode(append(b, `","hash":"`...), value[:len(digest{})])
	return append(b, `"}`...)
}

// appendJSON appends the JSON that [Record] describes. The data of a record that was read was
// checked by that, and is not gone through again.
func (r Record) appendJSON(b []byte) []byte {
	b = append(b, `{"seq":`...)
	b = strconv.AppendUint(b, r.Seq, 10)
	b = r.appendMembers(append(b, ','))
	b = append(append(b, `,"prev":"`...), r.Prev...)
	b = append(append(b, `","hash":"`...), r.Hash...)
	return append(b, `"}`...)
}

// asWritten reports whether the bytes of a stored record are the JSON that the writer makes of
// the usual record: one whose texts need no escapes.
func asWritten(key, value []byte) bool {
	h, rest, ok := cutHead(value)
	if !ok {
		return false
	}
	head := value[len(digest{}) : len(value)-len(rest)]
	var room [64]byte
	start := append(strconv.AppendUint(append(room[:0], `{"seq":`...), seqOf(key), 10), `,"at":"`...)
	start = append(h.at.UTC().AppendFormat(start, time.RFC3339Nano), '"')
	if !bytes.HasPrefix(head, start) || bytes.ContainsFunc(head, func(r rune) bool { return r < ' ' || r > '~' || r == '\\' }) {
		return false
	}
	data, hasData := bytes.CutPrefix(rest, []byte(dataMember))
	if !hasData {
		return string(rest) == "}"
	}
	data, closed := bytes.CutSuffix(data, []byte("}"))
	return closed && jsontext.Value(data).IsValid()
}
