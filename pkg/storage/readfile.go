package storage

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Limits of the text of [Store.ReadFile], in bytes.
const (
	DefaultReadBytes = 64_000
	MaxReadBytes     = 256_000
)

// maxFrontMatter is the number of bytes in which front matter is searched, whatever
// the requested size of the text.
const maxFrontMatter = 16 << 10

// File is a declared file with its text.
type File struct {
	Path         string            `json:"path"`          // canonical
	RelativePath string            `json:"relative_path"` // to the folder of the map that declares it, where it lies below
	ID           string            `json:"id"`
	Kind         string            `json:"kind"`
	MimeType     string            `json:"mime_type"`
	Bytes        int64             `json:"bytes"` // of the whole file
	Truncated    bool              `json:"truncated"`
	FrontMatter  map[string]string `json:"front_matter"`
	Text         string            `json:"text"`
}

// declaration is a declared file with the map that declares it.
type declaration struct {
	path, id, kind, mapPath string
}

// ReadFile reads a file that a map of the page declares, named by exactly one
// of its id and its canonical path. maxBytes bounds the text, cut between code
// points; 0 is [DefaultReadBytes]. The errors are invalid_input,
// storage_file_not_found, storage_file_ambiguous_id, storage_file_not_text and
// storage_file_path_unauthorized.
func (s *Store) ReadFile(pageURL string, id, path string, maxBytes int) (File, error) {
	if maxBytes == 0 {
		maxBytes = DefaultReadBytes
	}
	switch {
	case (id == "") == (path == ""):
		return File{}, fault.New(fault.InvalidInput, "give exactly one of id and path").
			WithNextStep("Name the file by its id or by its path, as actions.site shows them with {\"mode\":\"list\"}.")
	case maxBytes < 0 || maxBytes > MaxReadBytes:
		return File{}, fault.New(fault.InvalidInput, "max_bytes must be from 1 to %d", MaxReadBytes)
	case path != "":
		if why := unsafePath(path); why != "" {
			return File{}, fault.New(fault.StorageFilePathUnauthorized, "the path %.80q is not safe: %s", path, why)
		}
	}
	d, err := choose(s.Match(pageURL), id, path)
	if err != nil {
		return File{}, err
	}
	s.mu.Lock()
	at, found := s.layout().locate(d.path)
	s.mu.Unlock()
	if !found {
		return File{}, fault.New(fault.StorageFileNotFound, "the declared file %s does not exist", d.path).With("map", d.mapPath)
	}
	return at.read(d, maxBytes)
}

// choose returns the one declared file with the id or the path.
func choose(site Site, id, path string) (declaration, error) {
	var found []declaration
	paths := map[string]bool{} // a file that several maps declare is one file
	for _, e := range site.Maps {
		for _, f := range declaredFiles(e.Map) {
			if (id != "" && f.ID == id || path != "" && f.Path == path) && !paths[f.Path] {
				paths[f.Path] = true
				found = append(found, declaration{f.Path, f.ID, f.Kind, e.Path})
			}
		}
	}
	switch len(found) {
	case 0:
		return declaration{}, fault.New(fault.StorageFileNotFound, "no map of this page declares the file %.80q", id+path)
	case 1:
		return found[0], nil
	}
	var candidates []string
	for _, d := range found {
		candidates = append(candidates, d.path)
	}
	return declaration{}, fault.New(fault.StorageFileAmbiguousID, "%d declared files have the id %q", len(found), id).With("candidates", candidates)
}

// read reads the beginning of the file.
func (at location) read(d declaration, maxBytes int) (File, error) {
	// Evidence may be read, though never run; hidden files may not.
	visible := func(name string) bool { return !strings.HasPrefix(name, ".") }
	resolved, inside := at.resolve(visible)
	if !inside {
		return File{}, fault.New(fault.StorageFilePathUnauthorized, "%s is a link that leaves its storage folder", d.path)
	}
	head, size, err := readHead(resolved, max(maxBytes, maxFrontMatter)+utf8.UTFMax)
	switch {
	case errors.Is(err, errNotRegular):
		return File{}, fault.New(fault.StorageFileNotText, "%s is not a regular file", d.path)
	case errors.Is(err, fs.ErrNotExist):
		return File{}, fault.New(fault.StorageFileNotFound, "the declared file %s does not exist", d.path)
	case err != nil:
		return File{}, fault.Wrap(err, fault.StorageUnavailable, "%s cannot be read: %v", d.path, reason(err))
	}
	text, isText := textOf(head, maxBytes, int64(len(head)) < size)
	if !isText {
		return File{}, fault.New(fault.StorageFileNotText, "%s is not text in UTF-8", d.path).With("bytes", size)
	}
	return File{
		Path: d.path, RelativePath: relativeTo(d.mapPath, d.path), ID: d.id, Kind: d.kind, MimeType: mimeType(d.path),
		Bytes: size, Truncated: int64(len(text)) < size, FrontMatter: frontMatter(head), Text: text,
	}, nil
}

var errNotRegular = errors.New("not a regular file")

// readHead reads up to limit bytes and returns the size of the whole file.
func readHead(name string, limit int) (head []byte, size int64, err error) {
	// Opening a pipe would block: check before, and once more when open.
	if info, err := os.Stat(name); err != nil {
		return nil, 0, err
	} else if !info.Mode().IsRegular() {
		return nil, 0, errNotRegular
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errNotRegular
	}
	if err != nil {
		return nil, 0, err
	}
	head, err = io.ReadAll(io.LimitReader(file, int64(limit)))
	// A file that has grown meanwhile has at least the bytes read.
	return head, max(info.Size(), int64(len(head))), err
}

// textOf returns at most limit bytes of the head, cut between code points. more
// is set if the file continues after the head, whose last code point may then be
// incomplete.
func textOf(head []byte, limit int, more bool) (string, bool) {
	if more {
		head = wholeRunes(head)
	}
	if !utf8.Valid(head) || bytes.IndexByte(head, 0) >= 0 {
		return "", false
	}
	end := min(limit, len(head))
	for end < len(head) && end > 0 && !utf8.RuneStart(head[end]) {
		end--
	}
	return string(head[:end]), true
}

// wholeRunes returns the text without an incomplete code point at the end.
func wholeRunes(text []byte) []byte {
	for i := len(text) - 1; i >= 0 && i > len(text)-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				return text[:i]
			}
			break
		}
	}
	return text
}

func mimeType(name string) string {
	if strings.EqualFold(path.Ext(name), ".md") {
		return "text/markdown"
	}
	return "text/plain"
}

// relativeTo returns a file's path from the folder of its map, or the canonical
// path of one elsewhere.
func relativeTo(mapPath, name string) string {
	if below, ok := strings.CutPrefix(name, path.Dir(mapPath)+"/"); ok {
		return filepath.ToSlash(below)
	}
	return name
}
