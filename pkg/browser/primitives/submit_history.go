package primitives

import (
	"sync"
	"time"

	"github.com/chromedp/chromedp/kb"
)

// submitTTL is how long a submit is remembered.
const submitTTL = 30 * time.Second

// submitHistory remembers the recent submits of each tab by hashes that the page code made. The
// page cannot, as a submit ends its document.
type submitHistory struct {
	mu   sync.Mutex
	sent map[int]map[string]time.Time
}

// record remembers what an action submitted; an empty key means nothing. An action that changes
// something else clears the tab's history: a submit after it is intended.
func (s *submitHistory) record(tabID int, action, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key == "" && action != "hover" && action != "scroll" {
		delete(s.sent, tabID)
	}
	s.remember(tabID, key)
}

// recordKey remembers what was submitted by a key at the focus, or by an action that failed; what
// submits nothing does not clear the history.
func (s *submitHistory) recordKey(tabID int, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remember(tabID, key)
}

func (s *submitHistory) remember(tabID int, key string) {
	if key == "" {
		return
	}
	if s.sent == nil {
		s.sent = map[int]map[string]time.Time{}
	}
	if s.sent[tabID] == nil {
		s.sent[tabID] = map[string]time.Time{}
	}
	s.sent[tabID][key] = time.Now()
}

// recent returns the submits that must not be repeated by mistake.
func (s *submitHistory) recent(tabID int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := []string{}
	for key, at := range s.sent[tabID] {
		if time.Since(at) > submitTTL {
			delete(s.sent[tabID], key)
			continue
		}
		keys = append(keys, key)
	}
	return keys
}

// canSubmit reports whether a key can press a button.
func canSubmit(key *kb.Key) bool { return key.Key == "Enter" || key.Key == " " }
