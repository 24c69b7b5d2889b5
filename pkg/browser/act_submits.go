package browser

import (
	"sync"
	"time"
)

// repeatTime is how long a submit is remembered.
const repeatTime = 30 * time.Second

// submits remembers what was submitted on each tab a moment ago, as numbers that
// the page code made of it. A submit leaves its document, so the page cannot.
type submits struct {
	mu   sync.Mutex
	sent map[int]map[string]time.Time
}

// note remembers what an action submitted; the empty key is nothing. An action
// that changes something else shows that what follows is meant: it ends the
// memory of the tab.
func (s *submits) note(tabID int, action, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if key == "" {
		if action != "hover" && action != "scroll" {
			delete(s.sent, tabID)
		}
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

// recent lists those that must not be repeated by mistake.
func (s *submits) recent(tabID int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	keys := []string{}
	for key, at := range s.sent[tabID] {
		if time.Since(at) > repeatTime {
			delete(s.sent[tabID], key)
			continue
		}
		keys = append(keys, key)
	}
	return keys
}
