package snapshot

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Limits of what is remembered.
const (
	maxSaved = 32
	maxChars = 32 << 20
)

// Key identifies the owner and the subject of a snapshot.
type Key struct {
	Session any // comparable: the caller's session
	TabID   int
	// Document and Options are the same of two that may be compared.
	Document, Options string
}

// Saved is a saved snapshot.
type Saved struct {
	Key
	Tree Tree
	// Facts is the owner's data for each page of it.
	Facts any

	id    int
	chars int
}

// Store remembers the last snapshots; its zero value is ready.
type Store struct {
	mu     sync.Mutex
	saved  []Saved // the oldest first
	lastID int
}

// Save saves a snapshot.
func (s *Store) Save(k Saved) Saved {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	k.id, k.chars = s.lastID, k.Tree.Chars()
	s.saved = append(s.saved, k)
	total := 0
	for _, each := range s.saved {
		total += each.chars
	}
	for len(s.saved) > maxSaved || (total > maxChars && len(s.saved) > 1) {
		total -= s.saved[0].chars
		s.saved = slices.Delete(s.saved, 0, 1)
	}
	return k
}

// Last returns the last snapshot of the key.
func (s *Store) Last(key Key) (Saved, bool) {
	return s.last(func(k Saved) bool { return k.Key == key })
}

// At returns the snapshot that a cursor belongs to, and its line.
func (s *Store) At(session any, tabID int, cursor string) (Saved, int, error) {
	id, line, ok := parseCursor(cursor)
	k, found := s.last(func(k Saved) bool { return k.id == id && k.Session == session && k.TabID == tabID })
	if !ok || !found || line >= len(k.Tree) {
		return Saved{}, 0, fault.New(fault.InvalidArguments, "no snapshot of this tab is kept for the cursor %q", cursor).
			With("argument", "cursor").WithDispatched(fault.NotDispatched).
			WithNextStep("Call page.snapshot again without a cursor; only the last few snapshots are kept.")
	}
	return k, line, nil
}

// Find returns the role and the name that a ref of the session's snapshots of the
// tab stood for.
func (s *Store) Find(session any, tabID int, ref string) (role, name string, found bool) {
	_, found = s.last(func(k Saved) bool {
		if k.Session != session || k.TabID != tabID {
			return false
		}
		var matched bool
		role, name, matched = k.Tree.Find(ref)
		return matched
	})
	return role, name, found
}

// Forget deletes the snapshots of a tab.
func (s *Store) Forget(tabID int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved = slices.DeleteFunc(s.saved, func(k Saved) bool { return k.TabID == tabID })
}

func (s *Store) last(matches func(Saved) bool) (Saved, bool) {
	s.mu.Lock()
	kept := slices.Clone(s.saved)
	s.mu.Unlock()
	for _, k := range slices.Backward(kept) {
		if matches(k) {
			return k, true
		}
	}
	return Saved{}, false
}

// Cursor returns a cursor for the snapshot's line.
func (k Saved) Cursor(line int) string {
	return strconv.Itoa(k.id) + ":" + strconv.Itoa(line)
}

func parseCursor(text string) (id, line int, ok bool) {
	first, second, found := strings.Cut(text, ":")
	id, err := strconv.Atoi(first)
	if err != nil {
		return 0, 0, false
	}
	line, err = strconv.Atoi(second)
	return id, line, found && err == nil && line >= 0
}
