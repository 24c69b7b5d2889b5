package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Types of records.
const (
	TypeSessionStarted = "session_started"
	TypeSessionNamed   = "session_named"
	TypeSessionEnded   = "session_ended"
	TypeIntent         = "intent"  // a call is about to be sent; needs a call id
	TypeOutcome        = "outcome" // what became of the call with this call id
	TypeClaim          = "claim"
	TypeRelease        = "release"
	TypeRuntime        = "runtime"
	TypeHandshake      = "handshake"
	TypePolicy         = "policy"
	TypeDOMEvent       = "dom_event" // a page's event that a map declares; the page's word
	TypePageTool       = "page_tool" // an invocation of a page's tool that no caller made; the page's word
	TypeLifecycle      = "lifecycle"
	TypeRecovered      = "recovered"   // the file, or its last transaction, was broken
	TypeInterrupted    = "interrupted" // the host ended between intent and outcome
	TypeDamaged        = "damaged"     // given by Read in place of a record that cannot be decoded; never written
)

// maxField is the longest identifier in bytes. Call ids are keys of the index,
// and no record may grow without a limit.
const maxField = 512

// Record is one entry of the log. Seq, Prev and Hash are given by the journal,
// At too where it is zero.
type Record struct {
	Seq       uint64          `json:"seq"`
	At        time.Time       `json:"at"` // UTC; says nothing about the order, which Seq gives
	SessionID string          `json:"session_id,omitzero"`
	Type      string          `json:"type"`
	CallID    string          `json:"call_id,omitzero"`
	ParentID  string          `json:"parent_id,omitzero"` // call id of the workflow that a step belongs to
	Name      string          `json:"name,omitzero"`
	Data      json.RawMessage `json:"data,omitzero"` // redacted, at most MaxData bytes
	Prev      string          `json:"prev,omitzero"` // hash of the record before, hex
	Hash      string          `json:"hash,omitzero"` // SHA-256 of the hash before and of the canonical bytes, hex
}

// digest is a hash of the chain; the zero value stands before the first record.
type digest = [sha256.Size]byte

// encodeTail returns the canonical bytes of a record except for the sequence
// number, which only the writer knows: everything from the "at" member on.
// Members are in a fixed order, empty ones are left out.
func encodeTail(r Record) ([]byte, error) {
	for _, field := range []string{r.SessionID, r.Type, r.CallID, r.ParentID, r.Name} {
		if len(field) > maxField {
			return nil, fault.New(fault.InvalidArguments, "an identifier of a log record is %d bytes long; %d are allowed", len(field), maxField)
		}
	}
	switch {
	case r.Type == "" || r.Type == TypeDamaged:
		return nil, fault.New(fault.InvalidArguments, "a log record needs a type that may be written, not %q", r.Type)
	case r.CallID == "" && (r.Type == TypeIntent || r.Type == TypeOutcome):
		return nil, fault.New(fault.InvalidArguments, "a log record of type %s needs a call id", r.Type)
	}
	if year := r.At.UTC().Year(); year < 0 || year > 9999 {
		return nil, fault.New(fault.InvalidArguments, "the year %d of a log record cannot be written as RFC 3339", year)
	}
	r.Data = capData(r.Data)
	b := r.appendMembers(make([]byte, 0, 128+len(r.Data)))
	return append(b, '}'), nil
}

// appendMembers appends the members from "at" to "data", as they are stored. It is
// written by hand: the bytes are hashed, so their form must not depend on how some
// encoder formats them.
func (r Record) appendMembers(b []byte) []byte {
	b = append(b, `"at":"`...)
	b = r.At.UTC().AppendFormat(b, time.RFC3339Nano)
	b = append(b, '"')
	for _, m := range []struct{ name, value string }{
		{"session_id", r.SessionID}, {"type", r.Type}, {"call_id", r.CallID}, {"parent_id", r.ParentID}, {"name", r.Name},
	} {
		if m.value == "" {
			continue
		}
		b = append(b, ',', '"')
		b = append(b, m.name...)
		b = append(b, '"', ':')
		// Invalid UTF-8 is replaced, and reported only as an error that does
		// not matter here.
		b, _ = jsontext.AppendQuote(b, m.value)
	}
	if len(r.Data) > 0 {
		b = append(b, dataMember...)
		b = append(b, r.Data...)
	}
	return b
}

// seal returns the stored form of a record, its hash followed by its canonical
// bytes, and the hash.
func seal(seq uint64, tail []byte, prev digest) ([]byte, digest) {
	// The hash before stands where the own hash will: what is summed is then
	// one piece and needs no copy.
	b := make([]byte, 0, len(prev)+len(`{"seq":,`)+20+len(tail))
	b = append(b, prev[:]...)
	b = append(b, `{"seq":`...)
	b = strconv.AppendUint(b, seq, 10)
	b = append(b, ',')
	b = append(b, tail...)
	hash := sha256.Sum256(b)
	copy(b, hash[:])
	return b, hash
}

const problemHash = "the hash does not match the record and the one before it"

// open checks a stored record against the hash before it and its place.
func open(key, value []byte, want uint64, prev digest) (h recordHead, problem string) {
	if seqOf(key) != want {
		return h, "the sequence has a gap or another order"
	}
	if len(value) < sha256.Size {
		return h, "the record is cut off"
	}
	h, ok := peek(value)
	if !ok {
		problem = "the record cannot be decoded"
	}
	sum := sha256.New()
	sum.Write(prev[:])
	sum.Write(value[sha256.Size:])
	if digest(sum.Sum(nil)) != digest(value[:sha256.Size]) {
		problem = problemHash
	}
	return h, problem
}

// decode turns a stored record into a Record without checking its hash. What
// cannot be decoded becomes a record of type damaged, so that one bad record
// does not hide those behind it. The result shares no memory with its input.
func decode(key, value []byte, prev digest) Record {
	var r Record
	hash := digest{}
	if len(value) > sha256.Size {
		hash = digest(value[:sha256.Size])
	}
	// Most of a record is its data, which is taken as it is.
	h, data, ok := split(value)
	if ok && jsontext.Value(data).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) {
		r = Record{At: h.at, SessionID: string(h.session), Type: string(h.kind), CallID: string(h.callID), ParentID: string(h.parent), Name: string(h.name), Data: bytes.Clone(data)}
	} else if err := json.Unmarshal(value[min(sha256.Size, len(value)):], &r); err != nil {
		reason, _ := json.Marshal(map[string]string{"problem": err.Error()}) // strings always encode
		r = Record{Type: TypeDamaged, Data: reason}
	}
	if len(key) == 8 {
		r.Seq = binary.BigEndian.Uint64(key)
	}
	r.Prev, r.Hash = hex.EncodeToString(prev[:]), hex.EncodeToString(hash[:])
	return r
}

// seqOf returns the number of a record's key, 0 for any other key.
func seqOf(key []byte) uint64 {
	if len(key) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(key)
}

// seqKey is big endian so that bbolt's order of keys is the order of records.
func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }
