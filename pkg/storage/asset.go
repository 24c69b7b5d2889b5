package storage

import (
	"errors"
	"io/fs"
	"strings"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// ReadAsset reads a whole text file of a scope: a template or the data of an
// overlay. The name is below the scope's folder, from sites/ on. The errors are
// unsafe_path, asset_not_found and payload_too_large. It returns the canonical path
// and the text.
func (s *Store) ReadAsset(scope, name string, maxBytes int) (path, text string, err error) {
	if why := unsafePath(name); why != "" {
		return "", "", fault.New(fault.UnsafePath, "the path %.80q is not safe: %s", name, why)
	}
	path = scopePath(scope) + "/" + name
	if _, _, ok := canonicalScope(path); !ok || unsafePath(path) != "" {
		return "", "", fault.New(fault.UnsafePath, "%.80q names no scope", scope)
	}
	s.mu.Lock()
	at, found := s.layout().locate(path)
	s.mu.Unlock()
	if !found {
		return "", "", fault.New(fault.AssetNotFound, "the storage folder has no file %s", path)
	}
	resolved, inside := at.resolve(func(name string) bool { return !strings.HasPrefix(name, ".") })
	if !inside {
		return "", "", fault.New(fault.UnsafePath, "%s is a link that leaves its storage folder", path)
	}
	head, size, err := readHead(resolved, maxBytes+utf8.UTFMax)
	switch {
	case errors.Is(err, errNotRegular), errors.Is(err, fs.ErrNotExist):
		return "", "", fault.New(fault.AssetNotFound, "the storage folder has no file %s", path)
	case err != nil:
		return "", "", fault.Wrap(err, fault.StorageUnavailable, "%s cannot be read: %v", path, reason(err))
	case size > int64(maxBytes):
		return "", "", fault.New(fault.PayloadTooLarge, "%s has %d bytes; an overlay takes %d", path, size, maxBytes).With("max_bytes", maxBytes)
	}
	text, isText := textOf(head, maxBytes, false)
	if !isText {
		return "", "", fault.New(fault.AssetNotFound, "%s is not text in UTF-8", path)
	}
	return path, text, nil
}
