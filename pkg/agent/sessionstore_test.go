package agent

import (
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/test/database"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/voice"
)

func TestKeptSession(t *testing.T) {
	// Ensure that a session which was left is found by the next host of the same run of the browser, within its time and not after a stop.
	db := database.New(t)
	written := make(chan struct{}, 1)
	keep := func() *SessionStore {
		return NewSessionStore(SpokenPlace(db), func(k *SavedSession) {
			k.Caller, k.BrowserSession, k.Tab, k.Rows = "ABC", "run-1", 7, make([]voice.Row, 2*savedRows)
			select {
			case written <- struct{}{}:
			default:
			}
		}, func(err error) { t.Error(err) })
	}
	find := func(run string, after time.Duration) *SavedSession {
		t.Helper()
		kept, err := LoadSaved(SpokenPlace(db), run, time.Now().Add(after))
		if err != nil {
			t.Fatal(err)
		}
		return kept
	}
	leave := func(k *SessionStore) { // as a host that dies would
		k.Save(voice.SessionSnapshot{ID: "voice:ABC", Unanswered: true})
		<-written
		for kept := find("run-1", 0); kept == nil; kept = find("run-1", 0) {
		}
	}

	k := keep()
	leave(k)
	kept := find("run-1", savedTTL/2)
	if kept == nil || kept.Caller != "ABC" || kept.Tab != 7 || !kept.Snapshot.Unanswered || len(kept.Rows) != savedRows {
		t.Fatalf("found %+v", kept)
	}
	k.Delete()
	if kept := find("run-1", 0); kept != nil {
		t.Errorf("after the stop there is %+v", kept)
	}

	k = keep()
	leave(k)
	if kept := find("run-1", 2*savedTTL); kept != nil {
		t.Errorf("too late there is %+v", kept)
	}
	leave(k)
	if kept := find("run-2", 0); kept != nil {
		t.Errorf("another run of the browser has %+v", kept)
	}
	if kept := find("run-1", 0); kept != nil {
		t.Errorf("what nobody can go on with stays: %+v", kept)
	}
	k.Delete()
}

func TestKeptRubbish(t *testing.T) {
	// Ensure that a record that cannot be read is told once and does not come back.
	db := database.New(t)
	err := db.Update(func(tx *bbolt.Tx) error {
		bucket, err := tx.CreateBucket(agentBucket)
		if err != nil {
			return err
		}
		return bucket.Put([]byte(sessionKey), []byte("{"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := LoadSaved(SpokenPlace(db), "run-1", time.Now()); err == nil || kept != nil {
		t.Errorf("gave %+v, %v", kept, err)
	}
	if kept, err := LoadSaved(SpokenPlace(db), "run-1", time.Now()); err != nil || kept != nil {
		t.Errorf("then %+v, %v", kept, err)
	}
}

func TestKeptByAnotherVersion(t *testing.T) {
	// Ensure that a session is loaded that another version saved with more members, and that one which could not be read is not deleted.
	db := database.New(t)
	text := `{"browser_session":"run-1","alive_at":"` + time.Now().Format(time.RFC3339) + `","newer":1,"standing":{"id":"voice:ABC","newer":1}}`
	if err := SpokenPlace(db).bucket.Create(); err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(agentBucket).Put([]byte(sessionKey), []byte(text)) }); err != nil {
		t.Fatal(err)
	}
	if saved, err := LoadSaved(SpokenPlace(db), "run-1", time.Now()); err != nil || saved == nil || saved.Snapshot.ID != "voice:ABC" {
		t.Errorf("%+v, %v", saved, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if saved, err := LoadSaved(SpokenPlace(db), "run-1", time.Now()); saved != nil || err == nil || strings.Contains(err.Error(), "stored") {
		t.Errorf("a database that cannot be read gave %+v, %v", saved, err)
	}
}

func TestKeptWithoutSecrets(t *testing.T) {
	// Ensure that what a tool typed, and what the log would hide, is not on the disk with a kept session, and that the rest of the conversation is.
	const key = "sk-proj-abcdefghijklmnopqrstuvwxyz012345"
	db := database.New(t)
	said := []voice.Message{
		{Role: "user", Text: "sell tea, my key is " + key},
		{Role: "system", Text: `Result of the tool locator.fill: {"ok":true,"output":{"filled":true,"password":"hunter1"}}` + voice.CalledWith + `{"locator":{"label":"Password"},"text":"hunter2"}`},
	}
	k := NewSessionStore(SpokenPlace(db), func(k *SavedSession) {
		k.BrowserSession, k.Rows = "run-1", []voice.Row{{ID: "1", Role: "user", Text: said[0].Text}}
	}, func(err error) { t.Error(err) })
	k.Save(voice.SessionSnapshot{ID: "voice:ABC", Conversation: said})
	var raw []byte
	for len(raw) == 0 {
		if err := db.View(func(tx *bbolt.Tx) error {
			if bucket := tx.Bucket(agentBucket); bucket != nil {
				raw = append(raw, bucket.Get([]byte(sessionKey))...)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, secret := range []string{key, "hunter1", "hunter2"} {
		if strings.Contains(string(raw), secret) {
			t.Errorf("%s is on the disk", secret)
		}
	}
	for _, kept := range []string{"sell tea", "Result of the tool locator.fill", `\"filled\":true`} {
		if !strings.Contains(string(raw), kept) {
			t.Errorf("%s is lost: %s", kept, raw)
		}
	}
	if !strings.Contains(said[1].Text, "hunter2") {
		t.Error("the session's own conversation was changed")
	}
	k.Delete()
}
