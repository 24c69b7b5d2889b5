package ui

import (
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/kv"
	"github.com/actionsjson/actions-host/pkg/origin"
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
	// AskFirst makes agents that may act ask before each action.
	AskFirst bool `json:"ask_first"`
	// Sites are the choices for single origins, which hold beside those for all.
	Sites map[string]dispatch.SiteChoice `json:"sites,omitempty"`
	// ShowActions makes actions visible in the page. By default they are if a person
	// can see the browser.
	ShowActions bool `json:"show_actions"`
	// PacingMS is the least time between two actions of a session.
	PacingMS int `json:"pacing_ms"`
	// ScriptInput lets code that runs in a page ask for real input.
	ScriptInput bool `json:"script_input"`
}

// maxSites bounds the sites with a choice of their own.
const maxSites = 500

func (s Settings) check() error {
	wrong := ""
	switch {
	case len(s.Sites) > maxSites:
		wrong = "sites has too many members"
	case !s.sitesValid():
		wrong = "sites names origins, each with ask or first"
	case s.Mode != policy.ModeAsk && s.Mode != policy.ModeAct:
		wrong = "mode must be ask or act"
	case s.PacingMS < 0 || time.Duration(s.PacingMS)*time.Millisecond > maxPacingDelay:
		wrong = "pacing_ms is from 0 to 10000"
	default:
		return nil
	}
	return fault.New(fault.InvalidInput, "%s", wrong).WithDispatched(fault.NotDispatched)
}

func (s Settings) sitesValid() bool {
	for site, choice := range s.Sites {
		if o, err := origin.Parse(site); err != nil || o.String() != site || choice != dispatch.SiteLook && choice != dispatch.SiteFirst {
			return false
		}
	}
	return true
}

// Choices returns the settings for the call path.
func (b *Backend) Choices() dispatch.Choices {
	s := b.settings.Load()
	return dispatch.Choices{Mode: s.Mode, AskFirst: s.AskFirst, Sites: s.Sites, Pace: time.Duration(s.PacingMS) * time.Millisecond, Show: s.ShowActions}
}

// ScriptInput reports whether code that runs in a page may ask for real input.
func (b *Backend) ScriptInput() bool { return b.settings.Load().ScriptInput }

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
	sites := now.Sites
	now.Sites = nil // else those of the change would be added to the map that calls read
	if err := strictjson.Decode(members, &now, strictjson.Limits{}); err != nil {
		return fault.From(err).WithDispatched(fault.NotDispatched)
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(members, &given); err != nil {
		return fault.From(err)
	}
	if _, changed := given["sites"]; !changed {
		now.Sites = sites
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
