package ui

import (
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/kv"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// maxPacingDelay keeps a slip of the finger from stopping every agent.
const maxPacingDelay = 10 * time.Second

const keySettings = "settings"

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
	set, found, err := b.saved().Get(keySettings)
	if err != nil || !found {
		return s, err
	}
	text, err := json.Marshal(set)
	if err == nil {
		err = strictjson.Decode(text, &s, strictjson.Limits{})
	}
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return s, fault.Wrap(err, fault.StorageUnavailable, "the settings of this profile cannot be read: %s", fault.From(err).Message)
	}
	return s, nil
}

// saved is where what the user has set is stored.
func (b *Backend) saved() kv.Bucket[string, map[string]json.RawMessage] {
	return kv.Bucket[string, map[string]json.RawMessage]{DB: b.log.Bolt(), Name: "desk", What: "the settings of this profile"}
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
		return err
	}
	b.settings.Store(&now)
	return nil
}

// save stores only what was set: a default may depend on where the profile runs.
func (b *Backend) save(members json.RawMessage) error {
	set, _, err := b.saved().Get(keySettings)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(members, &set); err != nil {
		return fault.From(err)
	}
	return b.saved().Put(keySettings, set)
}
