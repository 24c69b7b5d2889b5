package agent

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
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

var sessionKey = []byte("standing")

// SavedSession is the state of a session that the next host loads.
type SavedSession struct {
	Caller         string                `json:"caller"`          // its id on the call path
	BrowserSession string                `json:"browser_session"` // the run of the browser that it belongs to
	Tab            int                   `json:"tab"`             // its current one
	AliveAt        time.Time             `json:"alive_at"`
	Rows           []voice.Row           `json:"rows"`
	Snapshot       voice.SessionSnapshot `json:"standing"`
}

// SessionStore saves a session, so that the next host can resume it when this one ends
// before the session does: the browser ends the host together with the extension's
// worker.
type SessionStore struct {
	db      *bbolt.DB
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
func NewSessionStore(db *bbolt.DB, fill func(*SavedSession), onError func(error)) *SessionStore {
	s := &SessionStore{
		db: db, fill: fill, onError: onError,
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
			s.report(putSession(s.db, nil))
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
	raw, err := json.Marshal(saved)
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "cannot save the agent's session: %v", err)
	}
	return putSession(s.db, raw)
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
	}
}

// redactRow redacts a text; the answer of a tool that it quotes is JSON.
func redactRow(text string) string {
	subject, answer, found := strings.Cut(text, ": {")
	if found && json.Valid([]byte("{"+answer)) {
		return redact.Text(subject) + ": " + string(redact.JSON(json.RawMessage("{"+answer)))
	}
	return redact.Text(text)
}

// putSession writes the record, or deletes it if raw is nil.
func putSession(db *bbolt.DB, raw []byte) error {
	err := db.Update(func(tx *bbolt.Tx) error {
		bucket, err := tx.CreateBucketIfNotExists(agentBucket)
		if err != nil {
			return err
		}
		if raw == nil {
			return bucket.Delete(sessionKey)
		}
		return bucket.Put(sessionKey, raw)
	})
	if err != nil {
		return fault.Wrap(err, fault.JournalUnavailable, "cannot save the agent's session: %v", err)
	}
	return nil
}

// DeleteSaved deletes the session that an earlier host had to leave.
func DeleteSaved(db *bbolt.DB) error { return putSession(db, nil) }

// LoadSaved returns the session that the earlier host of this run of the browser had
// to leave; nil if there is none. One that cannot be resumed any more is deleted.
func LoadSaved(db *bbolt.DB, browserSession string, now time.Time) (*SavedSession, error) {
	var raw []byte
	err := db.View(func(tx *bbolt.Tx) error {
		if bucket := tx.Bucket(agentBucket); bucket != nil {
			raw = append(raw, bucket.Get(sessionKey)...)
		}
		return nil
	})
	if err != nil {
		return nil, fault.Wrap(err, fault.JournalUnavailable, "the agent's former session cannot be read: %v", err)
	}
	if raw == nil {
		return nil, nil
	}
	var saved SavedSession
	if err := json.Unmarshal(raw, &saved); err != nil {
		return nil, errors.Join(fault.Wrap(err, fault.InternalError, "the agent's former session cannot be read: %v", err), putSession(db, nil))
	}
	if saved.BrowserSession != browserSession || now.Sub(saved.AliveAt) > savedTTL {
		return nil, putSession(db, nil)
	}
	return &saved, nil
}
