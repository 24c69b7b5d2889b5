package ui

import (
	"encoding/json"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// maxPacingDelay keeps a slip of the finger from stopping every agent.
const maxPacingDelay = 10 * time.Second

var (
	bucketUI    = []byte("desk")
	keySettings = []byte("settings") // JSON of what the user has set
)

// Settings are what the user sets for all sessions of this profile.
type Settings struct {
	// Mode is ask (agents only look) or act.
	Mode policy.Mode `json:"mode"`
	// ShowActions makes actions visible in the page. By default they are if a person
	// can see the browser.
	ShowActions bool `json:"show_actions"`
	// PacingMS is the least time between two actions of a session.
	PacingMS int `json:"pacing_ms"`
}

func (s Settings) check() error {
	wrong := ""
	switch {
	case s.Mode != policy.ModeAsk && s.Mode != policy.ModeAct:
		wrong = "mode must be ask or act"
	case s.PacingMS < 0 || time.Duration(s.PacingMS)*time.Millisecond > maxPacingDelay:
		wrong = "pacing_ms is from 0 to 10000"
	default:
		return nil
	}
	return fault.New(fault.InvalidInput, "%s", wrong).WithDispatched(fault.NotDispatched)
}

// Choices returns the settings for the call path.
func (b *Backend) Choices() dispatch.Choices {
	s := b.settings.Load()
	return dispatch.Choices{Mode: s.Mode, Pace: time.Duration(s.PacingMS) * time.Millisecond, Show: s.ShowActions}
}

// load reads what the user has set; all else has its default.
func (b *Backend) load() (Settings, error) {
	s := Settings{Mode: policy.ModeAct, ShowActions: b.visible}
	set, err := b.members()
	if err == nil && set != nil {
		err = strictjson.Decode(set, &s, strictjson.Limits{})
	}
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return s, fault.Wrap(err, fault.StorageUnavailable, "the settings of this profile cannot be read: %s", fault.From(err).Message)
	}
	return s, nil
}

// members returns what the user has set, nil for nothing.
func (b *Backend) members() (set json.RawMessage, err error) {
	err = b.log.Bolt().View(func(tx *bbolt.Tx) error {
		if bucket := tx.Bucket(bucketUI); bucket != nil {
			set = append(set, bucket.Get(keySettings)...)
		}
		return nil
	})
	return set, err
}

// changeSettings replaces the members that the user has changed and keeps the others.
func (b *Backend) changeSettings(members json.RawMessage) error {
	b.saving.Lock()
	defer b.saving.Unlock()
	now := *b.settings.Load()
	if err := strictjson.Decode(members, &now, strictjson.Limits{}); err != nil {
		return fault.From(err).WithDispatched(fault.NotDispatched)
	}
	if err := now.check(); err != nil {
		return err
	}
	if err := b.save(members); err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the settings cannot be saved: %v", err)
	}
	b.settings.Store(&now)
	return nil
}

// save stores only what was set: a default may depend on where the profile runs.
func (b *Backend) save(members json.RawMessage) error {
	set, err := b.members()
	if err != nil {
		return err
	}
	all := map[string]json.RawMessage{}
	for _, text := range []json.RawMessage{set, members} {
		if len(text) == 0 {
			continue
		}
		if err := json.Unmarshal(text, &all); err != nil {
			return err
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	return b.log.Bolt().Update(func(tx *bbolt.Tx) error {
		bucket, err := tx.CreateBucketIfNotExists(bucketUI)
		if err != nil {
			return err
		}
		return bucket.Put(keySettings, text)
	})
}
