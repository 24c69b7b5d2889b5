package browser

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/chromedp/chromedp/kb"
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
	if key == "" && action != "hover" && action != "scroll" {
		delete(s.sent, tabID)
	}
	s.keep(tabID, key)
}

// add remembers what a key submitted where the focus was; any other key says
// nothing of what is meant.
func (s *submits) add(tabID int, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(tabID, key)
}

func (s *submits) keep(tabID int, key string) {
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

// keySubmit is the part that looks for the page; extensions before it had none.
const keySubmit = "key.submit"

// submitting tells whether a key can press a button.
func submitting(key *kb.Key) bool { return key.Key == "Enter" || key.Key == " " }

// keySubmit asks the page what the key would submit where the focus is now. What
// was sent a moment ago is refused. A page that is silent gets no real input.
func (h *Handlers) keySubmit(ctx context.Context, c primitive.Call, key string, trusted, again bool) (string, error) {
	args, err := primitive.Output(map[string]any{"key": key, "allow_repeat": again, "recent_submits": h.submits.recent(c.TabID)})
	if err != nil {
		return "", err
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if trusted {
		limited, cancel = context.WithTimeout(ctx, asideTime)
	}
	defer cancel()
	raw, err := h.inPage(limited, c, keySubmit, args)
	if limited.Err() != nil && ctx.Err() == nil {
		return "", silent()
	}
	if err != nil {
		f := *fault.From(err)
		f.Dispatched = fault.NotDispatched // only the question was sent
		return "", &f
	}
	var answer struct {
		SubmitKey string `json:"submit_key"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return "", fault.Wrap(err, fault.InvalidResult, "the page code's answer is not what was expected: %v", err).WithDispatched(fault.NotDispatched)
	}
	return answer.SubmitKey, nil
}
