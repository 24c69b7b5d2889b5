package agent

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/kv"
	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/voice"
)

const (
	// saveInterval is how often a session is saved without a change.
	saveInterval = 30 * time.Second
	// savedTTL is how long after its last write a session is resumed: later, a
	// microphone that opens by itself would surprise.
	savedTTL = 90 * time.Second
	// savedRows is how many turns of the transcript are saved.
	savedRows = 100
)

const sessionKey = "standing"

// chatsBucket has the sessions of the side panel, by their tabs.
const chatsBucket = "agent_chats"

// Place is where a session is saved.
type Place struct {
	bucket kv.Bucket[string, SavedSession]
	key    string
}

// SpokenPlace returns the place of the spoken session.
func SpokenPlace(db *bbolt.DB) Place {
	return Place{kv.Bucket[string, SavedSession]{DB: db, Name: string(agentBucket), What: "the agent's session", Open: true}, sessionKey}
}

// ChatPlace returns the place of a tab's session in the side panel.
func ChatPlace(db *bbolt.DB, tabID int) Place { return Place{savedChats(db), strconv.Itoa(tabID)} }

func savedChats(db *bbolt.DB) kv.Bucket[string, SavedSession] {
	return kv.Bucket[string, SavedSession]{DB: db, Name: chatsBucket, What: "the chats", Open: true}
}

// RetainChats deletes the chats of other tabs, which are no more under control.
func RetainChats(db *bbolt.DB, tabIDs []int) error {
	return savedChats(db).Retain(func(key string, _ SavedSession) bool {
		id, err := strconv.Atoi(key)
		return err == nil && slices.Contains(tabIDs, id)
	})
}

// SavedSession is the state of a session that the next host loads.
type SavedSession struct {
	Caller         string                `json:"caller"`          // its id on the call path
	BrowserSession string                `json:"browser_session"` // the run of the browser that it belongs to
	Tab            int                   `json:"tab"`             // its current one
	AliveAt        time.Time             `json:"alive_at"`
	Rows           []voice.Row           `json:"rows"`
	Snapshot       voice.SessionSnapshot `json:"standing"`
	// Of a chat: what the user keeps beside it.
	Summary Summary `json:"summary,omitzero"`
	Code    bool    `json:"code,omitzero"`
}

// SessionStore saves a session, so that the next host can resume it when this one ends
// before the session does: the browser ends the host together with the extension's
// worker.
type SessionStore struct {
	place   Place
	fill    func(*SavedSession)
	onError func(error)

	mu      sync.Mutex
	latest  *voice.SessionSnapshot
	changed chan struct{}
	stop    chan struct{}
	stopped chan struct{}
}

// NewSessionStore returns a store that saves snapshots until [SessionStore.Delete] is
// called. fill adds host state to each; onError receives write errors.
func NewSessionStore(place Place, fill func(*SavedSession), onError func(error)) *SessionStore {
	s := &SessionStore{
		place: place, fill: fill, onError: onError,
		changed: make(chan struct{}, 1), stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	go s.run()
	return s
}

// Save queues the snapshot to be written.
func (s *SessionStore) Save(snapshot voice.SessionSnapshot) {
	s.mu.Lock()
	s.latest = &snapshot
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default: // the newest is written anyway
	}
}

// Delete deletes the saved session, which is over. It is called once.
func (s *SessionStore) Delete() {
	close(s.stop)
	<-s.stopped
}

func (s *SessionStore) run() {
	defer close(s.stopped)
	alive := time.NewTicker(saveInterval)
	defer alive.Stop()
	for {
		select {
		case <-s.changed:
		case <-alive.C:
		case <-s.stop:
			s.report(DeleteSaved(s.place))
			return
		}
		s.report(s.write())
	}
}

func (s *SessionStore) report(err error) {
	if err != nil {
		s.onError(err)
	}
}

func (s *SessionStore) write() error {
	s.mu.Lock()
	latest := s.latest
	s.mu.Unlock()
	if latest == nil {
		return nil
	}
	saved := SavedSession{AliveAt: time.Now(), Snapshot: *latest}
	s.fill(&saved)
	saved.Rows = saved.Rows[max(0, len(saved.Rows)-savedRows):]
	saved.hideSecrets()
	return s.place.bucket.Put(s.place.key, saved)
}

// hideSecrets removes what must not be on a disk: the arguments of tools, as a
// password may have been typed, and what the log would hide. The next host needs
// neither.
func (s *SavedSession) hideSecrets() {
	s.Snapshot.Conversation = slices.Clone(s.Snapshot.Conversation)
	for i := range s.Snapshot.Conversation {
		m := &s.Snapshot.Conversation[i]
		if m.Role == "system" {
			m.Text, _, _ = strings.Cut(m.Text, voice.CalledWith)
		}
		m.Text = redactRow(m.Text)
	}
	s.Rows = slices.Clone(s.Rows)
	for i := range s.Rows {
		s.Rows[i].Text = redactRow(s.Rows[i].Text)
		s.Rows[i].Detail = "" // what a page said
	}
	s.Summary = Summary{Text: redact.Text(s.Summary.Text), URL: redact.URL(s.Summary.URL)}
}

// redactRow redacts a text; the answer of a tool that it quotes is JSON.
func redactRow(text string) string {
	if before, page, after, ok := pagedata.Split(text); ok {
		return redactRow(strings.TrimSuffix(before, "\n")) + "\n" + pagedata.Seal(string(redact.JSON(json.RawMessage(page)))) + redact.Text(after)
	}
	subject, answer, found := strings.Cut(text, ": {")
	if found && json.Valid([]byte("{"+answer)) {
		return redact.Text(subject) + ": " + string(redact.JSON(json.RawMessage("{"+answer)))
	}
	return redact.Text(text)
}

// DeleteSaved deletes the session that an earlier host had to leave.
func DeleteSaved(place Place) error { return place.bucket.Delete(place.key) }

// LoadSaved returns the session that the earlier host of this run of the browser had
// to leave; nil if there is none. One that cannot be decoded, or not be resumed any more,
// is deleted.
func LoadSaved(place Place, browserSession string, now time.Time) (*SavedSession, error) {
	saved, found, err := place.bucket.Get(place.key)
	switch {
	case errors.Is(err, kv.ErrUnreadable):
		return nil, errors.Join(err, DeleteSaved(place))
	case err != nil:
		return nil, err
	case !found:
		return nil, nil
	case saved.BrowserSession != browserSession || now.Sub(saved.AliveAt) > savedTTL:
		return nil, DeleteSaved(place)
	}
	return &saved, nil
}
