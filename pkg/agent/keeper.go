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
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/voice"
)

const (
	// aliveEvery is how often a session's standing is written though nothing changed.
	aliveEvery = 30 * time.Second
	// aliveFor is how long after its last sign of life a session is gone on with:
	// later, a microphone that opens by itself would surprise.
	aliveFor = 90 * time.Second
	// keptRows is how many turns of the transcript the next host can show.
	keptRows = 100
)

var standingKey = []byte("standing")

// Kept is a session as the next host finds it.
type Kept struct {
	Caller         string         `json:"caller"`          // its id on the call path
	BrowserSession string         `json:"browser_session"` // the run of the browser that it belongs to
	Tab            int            `json:"tab"`             // its current one
	AliveAt        time.Time      `json:"alive_at"`
	Rows           []voice.Row    `json:"rows"`
	Standing       voice.Standing `json:"standing"`
}

// Keeper writes down how a session stands, so that the next host can go on with
// it when this one ends before the session does: the browser ends the host
// together with the extension's worker.
type Keeper struct {
	db     *bbolt.DB
	fill   func(*Kept)
	failed func(error)

	mu      sync.Mutex
	latest  *voice.Standing
	changed chan struct{}
	stop    chan struct{}
	stopped chan struct{}
}

// Keep begins with it, until Forget. What the session itself does not know is
// filled in by fill; failed takes what could not be written.
func Keep(db *bbolt.DB, fill func(*Kept), failed func(error)) *Keeper {
	k := &Keeper{
		db: db, fill: fill, failed: failed,
		changed: make(chan struct{}, 1), stop: make(chan struct{}), stopped: make(chan struct{}),
	}
	go k.run()
	return k
}

// Keep takes the standing; it is written soon.
func (k *Keeper) Keep(standing voice.Standing) {
	k.mu.Lock()
	k.latest = &standing
	k.mu.Unlock()
	select {
	case k.changed <- struct{}{}:
	default: // the newest one is written
	}
}

// Forget removes what was written: the session is over. It is called once.
func (k *Keeper) Forget() {
	close(k.stop)
	<-k.stopped
}

func (k *Keeper) run() {
	defer close(k.stopped)
	alive := time.NewTicker(aliveEvery)
	defer alive.Stop()
	for {
		select {
		case <-k.changed:
		case <-alive.C:
		case <-k.stop:
			k.note(put(k.db, nil))
			return
		}
		k.note(k.write())
	}
}

func (k *Keeper) note(err error) {
	if err != nil {
		k.failed(err)
	}
}

func (k *Keeper) write() error {
	k.mu.Lock()
	latest := k.latest
	k.mu.Unlock()
	if latest == nil {
		return nil
	}
	kept := Kept{AliveAt: time.Now(), Standing: *latest}
	k.fill(&kept)
	kept.Rows = kept.Rows[max(0, len(kept.Rows)-keptRows):]
	kept.hideSecrets()
	raw, err := json.Marshal(kept)
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "the agent's session cannot be written down: %v", err)
	}
	return put(k.db, raw)
}

// hideSecrets takes out what must not lie on a disk: what tools were called with,
// as a password may have been typed, and what the log would hide. The next host
// can do without either.
func (k *Kept) hideSecrets() {
	k.Standing.Conversation = slices.Clone(k.Standing.Conversation)
	for i := range k.Standing.Conversation {
		m := &k.Standing.Conversation[i]
		if m.Role == "system" {
			m.Text, _, _ = strings.Cut(m.Text, voice.CalledWith)
		}
		m.Text = hidden(m.Text)
	}
	k.Rows = slices.Clone(k.Rows)
	for i := range k.Rows {
		k.Rows[i].Text = hidden(k.Rows[i].Text)
	}
}

// hidden redacts a text; the answer of a tool that it quotes is JSON.
func hidden(text string) string {
	told, answer, found := strings.Cut(text, ": {")
	if found && json.Valid([]byte("{"+answer)) {
		return journal.RedactText(told) + ": " + string(journal.Redact(json.RawMessage("{"+answer)))
	}
	return journal.RedactText(text)
}

// put writes the record, or removes it where there is none.
func put(db *bbolt.DB, raw []byte) error {
	err := db.Update(func(tx *bbolt.Tx) error {
		bucket, err := tx.CreateBucketIfNotExists(agentBucket)
		if err != nil {
			return err
		}
		if raw == nil {
			return bucket.Delete(standingKey)
		}
		return bucket.Put(standingKey, raw)
	})
	if err != nil {
		return fault.Wrap(err, fault.JournalUnavailable, "the agent's session cannot be written down: %v", err)
	}
	return nil
}

// ForgetKept removes the session that a former host had to leave.
func ForgetKept(db *bbolt.DB) error { return put(db, nil) }

// FindKept gives the session that the former host of this run of the browser
// had to leave; nil where there is none. One that nobody can go on with is
// removed.
func FindKept(db *bbolt.DB, browserSession string, now time.Time) (*Kept, error) {
	var raw []byte
	err := db.View(func(tx *bbolt.Tx) error {
		if bucket := tx.Bucket(agentBucket); bucket != nil {
			raw = append(raw, bucket.Get(standingKey)...)
		}
		return nil
	})
	if err != nil {
		return nil, fault.Wrap(err, fault.JournalUnavailable, "the agent's former session cannot be read: %v", err)
	}
	if raw == nil {
		return nil, nil
	}
	var kept Kept
	if err := json.Unmarshal(raw, &kept); err != nil {
		return nil, errors.Join(fault.Wrap(err, fault.InternalError, "the agent's former session cannot be read: %v", err), put(db, nil))
	}
	if kept.BrowserSession != browserSession || now.Sub(kept.AliveAt) > aliveFor {
		return nil, put(db, nil)
	}
	return &kept, nil
}
