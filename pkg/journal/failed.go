package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/redact"
)

const (
	// groupRecords bounds the records of one failed call, besides its intent and
	// its end: the records before the end, which hold the reason.
	groupRecords = 200
	// maxIntentDelay is how much earlier than by its duration a call's intent may be
	// dated: it was written before its duration began.
	maxIntentDelay = 10 * time.Second
)

// ending is the data of a call's last record.
type ending struct {
	Outcome
	redact.Truncation
	IntentSeq uint64 `json:"intent_seq"` // of an interrupted call
}

// EndsCall reports whether the record is the last of a call that is not a step.
func (r Record) EndsCall() bool {
	return r.CallID != "" && r.ParentID == "" && (r.Type == TypeOutcome || r.Type == TypeInterrupted || r.Type == TypePolicy)
}

// failedEnd reports whether a stored record is the end of a call that failed and
// that the rest of the filter selects: the outcome of one that did not end well,
// the refusal of one that was not let through, or the record that the host ended
// meanwhile. Steps are not calls: a failed step that a stored action tolerates is not a failure.
func (m *matcher) failedEnd(tx *bbolt.Tx, key, value []byte) bool {
	h, ok := peek(value)
	if !ok || !failedHead(h, value) {
		return false
	}
	e := endingOf(decode(key, value, digest{}))
	switch {
	case string(h.kind) == TypeInterrupted:
		return m.interrupted(tx, key, value, e)
	case e.Truncated: // its start still holds the result
		ok = strings.HasPrefix(e.Head, `{"ok":false`)
	case string(h.kind) == TypePolicy:
		ok = e.Error != nil && e.Error.Code != "" && e.Error.Code != fault.NeedsApproval // which is a question, and not its answer
	default:
		ok = e.Outcome.Failed()
	}
	return ok && (m.base.matchRecord(key, value) || m.byStep(key, value, e))
}

// failedHead is the cheap check before decoding: most records end no call, and most calls
// end well.
func failedHead(h recordHead, value []byte) bool {
	if len(h.callID) == 0 || len(h.parent) > 0 {
		return false
	}
	switch string(h.kind) {
	case TypeInterrupted:
		return true
	case TypeOutcome, TypePolicy:
		return bytes.Contains(value, []byte(`"ok":false`)) || bytes.Contains(value, []byte(`\"ok\":false`))
	}
	return false
}

// byStep reports whether the filter's name is that of a step that failed.
func (m *matcher) byStep(key, value []byte, e ending) bool {
	if m.Name == "" {
		return false
	}
	failed := func(s Step) bool { return !s.OK && m.matchesName(s.Primitive) }
	for _, s := range e.StepList() {
		if failed(s) || slices.ContainsFunc(s.Steps, failed) {
			return m.anyName.matchRecord(key, value)
		}
	}
	return false
}

// interrupted is failedEnd for an interrupted call: its end holds only the time of
// discovery, its intent the target.
func (m *matcher) interrupted(tx *bbolt.Tx, key, value []byte, e ending) bool {
	if m.base.matchRecord(key, value) {
		return true
	}
	intent := tx.Bucket(bucketRecords).Get(seqKey(e.IntentSeq))
	return intent != nil && m.byTime.matchRecord(key, value) && m.byTarget.matchRecord(seqKey(e.IntentSeq), intent)
}

func endingOf(r Record) (e ending) {
	_ = json.Unmarshal(r.Data, &e) // members of other types stay unset
	return e
}

// failedCall returns the records of a failed call, in order, by its end: its intent,
// its steps with theirs, and the end.
func failedCall(tx *bbolt.Tx, p *progress, key, value []byte) ([]Record, error) {
	end, err := stored(tx, key, value)
	if err != nil {
		return nil, err
	}
	records := []Record{end}
	if end.Type == TypePolicy {
		return records, nil // it was never begun
	}
	e := endingOf(end)
	earliest := end.At.Add(-time.Duration(e.DurationMS*float64(time.Millisecond)) - maxIntentDelay)
	calls := map[string]bool{end.CallID: true}
	c := tx.Bucket(bucketRecords).Cursor()
	c.Seek(key)
	for key, value := c.Prev(); len(key) == 8; key, value = c.Prev() {
		if err := p.visit(); err != nil {
			return nil, err
		}
		h, ok := peek(value)
		if !ok {
			continue
		}
		if e.IntentSeq == 0 && !e.HasIntent && h.at.Before(earliest) || binary.BigEndian.Uint64(key) < e.IntentSeq {
			break // it has no intent: it only reads, or its record is older than has_intent
		}
		intent := string(h.callID) == end.CallID && string(h.kind) == TypeIntent
		if !intent && (!calls[string(h.callID)] && !calls[string(h.parent)] || len(records) > groupRecords) {
			continue
		}
		if len(h.callID) > 0 {
			calls[string(h.callID)] = true // a step may have steps
		}
		record, err := stored(tx, key, value)
		if err != nil {
			return nil, err
		}
		records = append(records, record)
		if intent {
			break
		}
	}
	slices.Reverse(records)
	return records, nil
}
