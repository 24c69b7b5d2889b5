// Package transfer holds the transfer buffer: labelled values that an agent
// carries from one tab to another.
//
// Rules of this package:
//   - Items belong to the session that wrote them; no other one sees them.
//   - An item is removed when it expires. A method returns only what is on disk.
//   - Size, number and time have limits; nothing is dropped to make room.
//   - Values are data, whoever wrote them: they are rendered, never run.
package transfer

import (
	"crypto/rand"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/kv"
)

// Limits of the buffer.
const (
	MaxItem    = 256 << 10 // bytes of a value as JSON, also after an append
	MaxItems   = 200       // of all sessions
	MaxTotal   = 16 << 20  // bytes of all values
	MaxLabel   = 200       // bytes
	MaxNotes   = 4 << 10   // bytes of metadata, also after an append, of source and of redaction
	MaxText    = 1 << 20   // bytes of what a template makes of a value
	DefaultTTL = 2 * time.Hour
	MaxTTL     = 7 * 24 * time.Hour
)

// Formats of a value.
const (
	FormatText = "text/plain"
	FormatJSON = "application/json"
	FormatURIs = "text/uri-list"
)

// Modes of writing.
const (
	ModeReplace = "replace"
	ModeAppend  = "append"
)

// Item is a stored value.
type Item struct {
	ID        string                     `json:"id"`
	Label     string                     `json:"label"`
	Format    string                     `json:"format"`
	Value     json.RawMessage            `json:"value,omitzero"` // left out unless it was asked for
	Source    map[string]json.RawMessage `json:"source"`         // tab_id and url are the host's word, the rest the caller's
	CreatedAt time.Time                  `json:"created_at"`
	ExpiresAt time.Time                  `json:"expires_at"`
	SizeBytes int                        `json:"size_bytes"` // of the value as JSON
	Redaction Redaction                  `json:"redaction"`
	Metadata  map[string]json.RawMessage `json:"metadata"` // record_count where the value is a list
}

// Redaction is where a value may be shown apart from reading it.
type Redaction struct {
	LogPayload  bool   `json:"log_payload"` // the value may be in the log
	SafePreview string `json:"safe_preview,omitzero"`
}

// Write is a value to store.
type Write struct {
	Label     string
	Format    string
	Value     json.RawMessage
	Metadata  map[string]json.RawMessage
	TTL       time.Duration
	Mode      string // empty: ModeReplace
	Redaction Redaction
	Source    map[string]json.RawMessage // the caller's
	TabID     int                        // where it comes from
	URL       string
}

// Buffer holds the items of a profile. Its methods are safe for concurrent use.
type Buffer struct {
	db  kv.DB
	now func() time.Time
}

// Open opens the buffer of a database, whose owner closes it. A nil now is
// time.Now. The fault is storage_unavailable.
func Open(db *bbolt.DB, now func() time.Time) (*Buffer, error) {
	if now == nil {
		now = time.Now
	}
	b := &Buffer{db: kv.DB{Bolt: db, What: "the transfer buffer"}, now: now}
	return b, b.db.CreateBuckets(bucketItems)
}

// Write stores a value under its label and returns the item, without the value.
// Replace takes the place of what the label names; append adds the elements of
// a list to it, and keeps its id, its notes and the stricter redaction. The
// faults are transfer_label_required, transfer_format_unsupported,
// transfer_mode_unsupported, transfer_append_incompatible,
// transfer_payload_too_large and transfer_limit_reached.
func (b *Buffer) Write(session string, w Write) (Item, error) {
	if err := w.check(); err != nil {
		return Item{}, err.WithDispatched(fault.NotDispatched)
	}
	now := b.now().UTC()
	item := Item{
		ID: "transfer_" + rand.Text(), Label: w.Label, Format: w.Format, Value: w.Value, Source: w.source(),
		CreatedAt: now, ExpiresAt: now.Add(w.TTL), Redaction: w.Redaction, Metadata: map[string]json.RawMessage{},
	}
	for name, value := range w.Metadata {
		item.Metadata[name] = value
	}
	err := b.db.Update(func(tx *bbolt.Tx) error {
		root := tx.Bucket(bucketItems)
		others, err := dropExpired(root, now)
		if err != nil {
			return err
		}
		items, err := root.CreateBucketIfNotExists([]byte(session))
		if err != nil {
			return err
		}
		if old, found := read(items, w.Label); found {
			others.count--
			others.bytes -= old.SizeBytes
			if w.Mode == ModeAppend {
				if item, err = appended(old, item); err != nil {
					return err
				}
			}
		}
		item.count()
		if err := others.fits(item); err != nil {
			return err
		}
		return put(items, item)
	})
	item.Value = nil
	return item, err
}

// check validates what can be validated without the buffer.
func (w Write) check() *fault.Error {
	switch {
	case strings.TrimSpace(w.Label) == "":
		return fault.New(fault.TransferLabelRequired, "a value needs a label")
	case len(w.Label) > MaxLabel:
		return fault.New(fault.TransferPayloadTooLarge, "the label has %d bytes; %d are allowed", len(w.Label), MaxLabel).With("max_bytes", MaxLabel)
	case w.Mode != "" && w.Mode != ModeReplace && w.Mode != ModeAppend:
		return fault.New(fault.TransferModeUnsupported, "%q is not a mode", w.Mode)
	case w.TTL < 0 || w.TTL > MaxTTL:
		return fault.New(fault.InvalidInput, "a value is kept from 0 to %d seconds", int(MaxTTL.Seconds()))
	case len(w.Value) > MaxItem:
		return tooLarge(len(w.Value))
	}
	switch w.Format {
	case FormatJSON:
	case FormatText, FormatURIs:
		if !textual(w.Value) {
			return fault.New(fault.TransferFormatUnsupported, "a value of the format %s is a text or a list of texts", w.Format)
		}
	default:
		return fault.New(fault.TransferFormatUnsupported, "%q is not a format of the buffer", w.Format)
	}
	for name, notes := range map[string]any{"metadata": w.Metadata, "source": w.Source, "redaction": w.Redaction} {
		if err := checkNotes(name, notes); err != nil {
			return err
		}
	}
	return nil
}

func checkNotes(name string, notes any) *fault.Error {
	if text, err := json.Marshal(notes); err != nil || len(text) > MaxNotes {
		return fault.New(fault.TransferPayloadTooLarge, "%s is too large; %d bytes are allowed", name, MaxNotes).
			With("max_bytes", MaxNotes).WithDispatched(fault.NotDispatched)
	}
	return nil
}

// source overrides the caller's members with what the host knows.
func (w Write) source() map[string]json.RawMessage {
	source := map[string]json.RawMessage{}
	for name, value := range w.Source {
		source[name] = value
	}
	for name, value := range map[string]any{"tab_id": w.TabID, "url": w.URL} {
		source[name], _ = json.Marshal(value) // numbers and texts always encode
	}
	return source
}

// appended returns the old item with the elements of the new one's list.
func appended(old, added Item) (Item, error) {
	var have, more []json.RawMessage
	if old.Format != added.Format || json.Unmarshal(old.Value, &have) != nil || json.Unmarshal(added.Value, &more) != nil ||
		have == nil || more == nil {
		return added, fault.New(fault.TransferAppendIncompatible, "%q holds %s and cannot take %s: both must be lists of one format",
			old.Label, describe(old), describe(added)).WithDispatched(fault.NotDispatched)
	}
	value, err := jsonnode.Encode(slices.Concat(have, more))
	if err != nil {
		return added, fault.Wrap(err, fault.InternalError, "the value cannot be written: %v", err)
	}
	old.Value, old.ExpiresAt, old.Source = value, added.ExpiresAt, added.Source
	for name, note := range added.Metadata {
		old.Metadata[name] = note
	}
	delete(old.Metadata, "record_count") // the host's own, counted anew
	if err := checkNotes("metadata", old.Metadata); err != nil {
		return added, err
	}
	old.Redaction.LogPayload = old.Redaction.LogPayload && added.Redaction.LogPayload
	return old, nil
}

func describe(item Item) string {
	if len(item.Value) > 0 && item.Value[0] == '[' {
		return "a list of the format " + item.Format
	}
	return "a single value of the format " + item.Format
}

// count brings the size and the number of records up to date.
func (item *Item) count() {
	item.SizeBytes = len(item.Value)
	delete(item.Metadata, "record_count")
	var list []json.RawMessage
	if json.Unmarshal(item.Value, &list) == nil && list != nil {
		item.Metadata["record_count"], _ = json.Marshal(len(list)) // a number always encodes
	}
}

// textual reports whether a value is a text or a list of texts.
func textual(value json.RawMessage) bool {
	var text *string
	var list []*string
	if json.Unmarshal(value, &text) == nil {
		return text != nil
	}
	return json.Unmarshal(value, &list) == nil && !slices.Contains(list, nil)
}

func tooLarge(size int) *fault.Error {
	return fault.New(fault.TransferPayloadTooLarge, "the value has %d bytes; %d are allowed", size, MaxItem).
		With("max_bytes", MaxItem).WithDispatched(fault.NotDispatched)
}
