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
	maxKept  = 32
	maxChars = 32 << 20
)

// Key says whose a snapshot is and what it is of.
type Key struct {
	Session any // comparable: the caller's session
	TabID   int
	// Document and Options are the same of two that may be compared.
	Document, Options string
}

// Kept is a remembered snapshot.
type Kept struct {
	Key
	Tree Tree
	// Facts is what its owner wants to say with each page of it.
	Facts any

	id    int
	chars int
}

// Store remembers the last snapshots; its zero value is ready.
type Store struct {
	mu     sync.Mutex
	kept   []Kept // the oldest first
	lastID int
}

// Keep remembers a snapshot.
func (s *Store) Keep(k Kept) Kept {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastID++
	k.id, k.chars = s.lastID, k.Tree.Chars()
	s.kept = append(s.kept, k)
	total := 0
	for _, each := range s.kept {
		total += each.chars
	}
	for len(s.kept) > maxKept || (total > maxChars && len(s.kept) > 1) {
		total -= s.kept[0].chars
		s.kept = slices.Delete(s.kept, 0, 1)
	}
	return k
}

// Last gives the last snapshot of the key.
func (s *Store) Last(key Key) (Kept, bool) {
	return s.last(func(k Kept) bool { return k.Key == key })
}

// At gives the snapshot that a cursor belongs to, and the line it stands at.
func (s *Store) At(session any, tabID int, cursor string) (Kept, int, error) {
	id, line, ok := parseCursor(cursor)
	k, found := s.last(func(k Kept) bool { return k.id == id && k.Session == session && k.TabID == tabID })
	if !ok || !found || line >= len(k.Tree) {
		return Kept{}, 0, fault.New(fault.InvalidArguments, "no snapshot of this tab is kept for the cursor %q", cursor).
			With("argument", "cursor").WithDispatched(fault.NotDispatched).
			WithNextStep("Call page.snapshot again without a cursor; only the last few snapshots are kept.")
	}
	return k, line, nil
}

// Find gives the role and the name that a ref of the session's snapshots of the
// tab stood for.
func (s *Store) Find(session any, tabID int, ref string) (role, name string, found bool) {
	_, found = s.last(func(k Kept) bool {
		if k.Session != session || k.TabID != tabID {
			return false
		}
		var here bool
		role, name, here = k.Tree.Find(ref)
		return here
	})
	return role, name, found
}

// Forget drops what is kept of a tab.
func (s *Store) Forget(tabID int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = slices.DeleteFunc(s.kept, func(k Kept) bool { return k.TabID == tabID })
}

func (s *Store) last(is func(Kept) bool) (Kept, bool) {
	s.mu.Lock()
	kept := slices.Clone(s.kept)
	s.mu.Unlock()
	for _, k := range slices.Backward(kept) {
		if is(k) {
			return k, true
		}
	}
	return Kept{}, false
}

// Cursor names the snapshot's line as the place to read on from.
func (k Kept) Cursor(line int) string {
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
