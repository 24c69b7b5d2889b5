package storage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// A bundle carries a storage in one JSON text.
const (
	BundleProtocol = "actions.json.storage.bundle"
	bundleVersion  = 1
)

// Limits of a bundle.
const (
	maxBundleBytes   = 64 << 20
	maxBundleEntries = 10_000
	maxEntryBytes    = actionmap.MaxBytes
)

// Bundle is a whole storage, its files by path.
type Bundle struct {
	Protocol   string        `json:"protocol"`
	Version    int           `json:"version"`
	SyncedAtMS int64         `json:"synced_at_ms"`
	Entries    []BundleEntry `json:"entries"`
}

// BundleEntry is one text file.
type BundleEntry struct {
	Path         string `json:"path"`
	Content      string `json:"content"`
	ContentType  string `json:"content_type"`
	Bytes        int    `json:"bytes"`
	ModifiedAtMS int64  `json:"modified_at_ms"` // 0 in an imported bundle: unknown
}

// Export returns the storage as a bundle, and the files that it cannot contain:
// those that are not text, too large or unreadable. A storage above the bounds of a
// bundle is payload_too_large.
func (s *Store) Export() (Bundle, []Skipped, error) {
	if problem := s.unreadable(); problem != "" {
		return Bundle{}, nil, fault.New(fault.StorageUnavailable, "%s", problem)
	}
	items, skipped := s.List()
	b := Bundle{Protocol: BundleProtocol, Version: bundleVersion, SyncedAtMS: time.Now().UnixMilli(), Entries: []BundleEntry{}}
	total := 0
	for _, i := range items {
		text, why := i.content()
		if why != "" {
			skipped = append(skipped, Skipped{Path: i.Path, Reason: why})
			continue
		}
		total += len(text)
		if total > maxBundleBytes/2 || len(b.Entries) == maxBundleEntries {
			// Escaping can make a text longer; half of the limit leaves room.
			return Bundle{}, nil, fault.New(fault.PayloadTooLarge, "the storage has more than %d files or %d bytes of text", maxBundleEntries, maxBundleBytes/2).
				WithNextStep("Move what is not needed out of the storage folder, or copy the folder itself.")
		}
		b.Entries = append(b.Entries, BundleEntry{
			Path: i.Path, Content: text, ContentType: contentType(i.Path), Bytes: len(text), ModifiedAtMS: i.ModifiedAtMS,
		})
	}
	return b, skipped, nil
}

// content returns a file's text for a bundle, or why it cannot be included.
func (i Item) content() (text, why string) {
	if i.Bytes > maxEntryBytes {
		return "", fmt.Sprintf("it has more than %d bytes", maxEntryBytes)
	}
	resolved, inside := i.at.resolve(anyName)
	if !inside {
		return "", "it is a link that leaves the storage folder"
	}
	head, _, err := readHead(resolved, maxEntryBytes+1)
	switch {
	case err != nil:
		return "", fmt.Sprintf("it cannot be read: %v", reason(err))
	case len(head) > maxEntryBytes:
		return "", fmt.Sprintf("it has more than %d bytes", maxEntryBytes)
	case !utf8.Valid(head):
		return "", "it is not text in UTF-8"
	}
	return string(head), ""
}

func contentType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".json":
		return "application/json"
	case ".html", ".htm":
		return "text/html"
	case ".md":
		return "text/markdown"
	case ".css":
		return "text/css"
	case ".js", ".mjs":
		return "text/javascript"
	}
	return "text/plain"
}

// incomingEntry is an entry in the forms that other programs write.
type incomingEntry struct {
	Path        string          `json:"path"`
	Content     *string         `json:"content"`
	Text        *string         `json:"text"`
	ContentJSON json.RawMessage `json:"content_json"`
	ModifiedAt  json.RawMessage `json:"modified_at_ms"`
	LastAt      json.RawMessage `json:"last_modified_ms"`
	MTime       json.RawMessage `json:"mtime_ms"`
	UpdatedAt   json.RawMessage `json:"updated_at_ms"`
}

// decodeBundle decodes a bundle. The error is invalid_input, or payload_too_large.
func decodeBundle(text []byte) (Bundle, error) {
	if len(text) > maxBundleBytes {
		return Bundle{}, fault.New(fault.PayloadTooLarge, "the bundle has %d bytes; %d are allowed", len(text), maxBundleBytes)
	}
	var in struct {
		Protocol   string          `json:"protocol"`
		Version    json.RawMessage `json:"version"`
		SyncedAtMS json.RawMessage `json:"synced_at_ms"`
		Entries    []incomingEntry `json:"entries"`
	}
	if err := strictjson.DecodeOpen(text, &in, strictjson.Limits{MaxBytes: maxBundleBytes}); err != nil {
		return Bundle{}, fault.Wrap(err, fault.InvalidInput, "the bundle cannot be read: %s", fault.From(err).Message).WithNextStep(wantBundle)
	}
	switch {
	case in.Protocol != BundleProtocol || in.Entries == nil:
		return Bundle{}, fault.New(fault.InvalidInput, "an import requires an %s with entries", BundleProtocol).WithNextStep(wantBundle)
	case string(in.Version) != "1":
		return Bundle{}, fault.New(fault.InvalidInput, "the bundle's version is %.40s; this program reads version 1", in.Version)
	case len(in.Entries) > maxBundleEntries:
		return Bundle{}, fault.New(fault.PayloadTooLarge, "the bundle has %d entries; %d are allowed", len(in.Entries), maxBundleEntries)
	}
	b := Bundle{Protocol: in.Protocol, Version: bundleVersion, SyncedAtMS: milliseconds(in.SyncedAtMS)}
	for i, e := range in.Entries {
		content, why := e.content()
		if why != "" {
			return Bundle{}, fault.New(fault.InvalidInput, "the entry %d of the bundle, %.80q, %s", i, e.Path, why).With("entry", i)
		}
		if len(content) > maxEntryBytes {
			return Bundle{}, fault.New(fault.PayloadTooLarge, "the entry %.80q has %d bytes; %d are allowed", e.Path, len(content), maxEntryBytes)
		}
		entry := BundleEntry{Path: e.Path, Content: content, ContentType: contentType(e.Path), Bytes: len(content)}
		for _, at := range []json.RawMessage{e.ModifiedAt, e.LastAt, e.MTime, e.UpdatedAt} {
			if entry.ModifiedAtMS == 0 {
				entry.ModifiedAtMS = milliseconds(at)
			}
		}
		b.Entries = append(b.Entries, entry)
	}
	return b, nil
}

// content returns the entry's text, from exactly one of its forms.
func (e incomingEntry) content() (text, why string) {
	forms := 0
	for _, form := range []*string{e.Content, e.Text} {
		if form != nil {
			forms++
			text = *form
		}
	}
	if len(e.ContentJSON) > 0 && string(e.ContentJSON) != "null" {
		forms++
		var indented bytes.Buffer
		if err := json.Indent(&indented, e.ContentJSON, "", "  "); err != nil {
			return "", "has a content_json that cannot be written"
		}
		text = indented.String() + "\n"
	}
	if forms != 1 {
		return "", "must have exactly one of content, text and content_json"
	}
	return text, ""
}

// milliseconds parses a time: a number of milliseconds or a date as text. 0 is
// unknown, which is older than anything. A future time counts as now: no sender's
// clock makes its files the newest forever.
func milliseconds(raw json.RawMessage) int64 {
	var number float64
	var text string
	now := time.Now().UnixMilli()
	if json.Unmarshal(raw, &number) == nil {
		return int64(min(max(number, 0), float64(now)))
	}
	if json.Unmarshal(raw, &text) != nil {
		return 0
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateTime, time.DateOnly} {
		if at, err := time.Parse(layout, text); err == nil {
			return min(max(at.UnixMilli(), 0), now)
		}
	}
	return 0
}
