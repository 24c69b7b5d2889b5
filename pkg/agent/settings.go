package agent

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/voice"
	"github.com/actionsjson/actions-host/pkg/wholefile"
)

// Settings are what the user sets in the options page.
type Settings struct {
	Model string      `json:"model"`
	Voice string      `json:"voice"`
	Turns voice.Turns `json:"turns"`
	// Mode is ask (look only) or act.
	Mode policy.Mode `json:"mode"`
	// Memory lets a session begin with what earlier ones did.
	Memory bool `json:"memory"`
	// SpendingLimitUSD ends a session; 0 is no limit.
	SpendingLimitUSD float64 `json:"spending_limit_usd"`
	// Pictures is after which calls the agent is shown the page without having asked.
	Pictures Pictures `json:"pictures"`
	// AutomationEnabled lets the chat of the side panel work on pages; without it, it has no
	// tools.
	AutomationEnabled bool `json:"automationEnabled"`
	// TextModel is the model of the side panel: provider/model, or "auto".
	TextModel string `json:"text_model"`
}

// Voices are the provider's voices.
var Voices = []string{"alloy", "ash", "ballad", "coral", "echo", "sage", "shimmer", "verse", "marin", "cedar"}

// DefaultSettings are those of a user who has set nothing.
func DefaultSettings() Settings {
	return Settings{
		Model: "gpt-realtime-2.1", Voice: "cedar", Mode: policy.ModeAct, Memory: true, SpendingLimitUSD: 5, Pictures: PicturesStateChange, TextModel: "auto",
		Turns: voice.Turns{Mode: "server_vad", Threshold: 0.5, PrefixPaddingMS: 300, SilenceDurationMS: 800},
	}
}

// check refuses invalid settings; its message names the member.
func (s Settings) check() error {
	t := s.Turns
	wrong := ""
	switch {
	case s.Model == "" || len(s.Model) > 100:
		wrong = "model must be a name"
	case s.TextModel != "auto" && !strings.Contains(s.TextModel, "/") || len(s.TextModel) > 100:
		wrong = "text_model must be auto or provider/model"
	case !slices.Contains(Voices, s.Voice):
		wrong = "voice must be one of those listed"
	case s.Mode != policy.ModeAsk && s.Mode != policy.ModeAct:
		wrong = "mode must be ask or act"
	case !slices.Contains([]Pictures{PicturesOff, PicturesNavigation, PicturesStateChange, PicturesEveryStep}, s.Pictures):
		wrong = "pictures must be off, navigation, state_change or every_step"
	case s.SpendingLimitUSD < 0 || s.SpendingLimitUSD > 1000:
		wrong = "spending_limit_usd must be from 0 to 1000"
	case t.Mode == "server_vad":
		if t.Threshold < 0 || t.Threshold > 1 || t.PrefixPaddingMS < 0 || t.PrefixPaddingMS > 2000 || t.SilenceDurationMS < 100 || t.SilenceDurationMS > 5000 {
			wrong = "turns: threshold is from 0 to 1, prefix_padding_ms to 2000, silence_duration_ms from 100 to 5000"
		}
	case t.Mode == "semantic_vad":
		if !slices.Contains([]string{"low", "medium", "high", "auto"}, t.Eagerness) {
			wrong = "turns: eagerness must be low, medium, high or auto"
		}
	default:
		wrong = "turns: mode must be server_vad or semantic_vad"
	}
	if wrong != "" {
		return fault.New(fault.InvalidInput, "%s", wrong).WithDispatched(fault.NotDispatched)
	}
	return nil
}

func settingsFile() string { return filepath.Join(paths.Data(), "agent.json") }

// ReadSettings reads them; a missing file is the defaults.
func ReadSettings() (Settings, error) {
	s := DefaultSettings()
	text, err := os.ReadFile(settingsFile())
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fault.Wrap(err, fault.StorageUnavailable, "the agent's settings %s cannot be read: %v", settingsFile(), err)
	}
	if err := strictjson.Decode(text, &s, strictjson.Limits{}); err != nil {
		return DefaultSettings(), fault.Wrap(err, fault.InvalidInput, "the agent's settings %s are not valid: %s", settingsFile(), fault.From(err).Message)
	}
	return s, s.check()
}

// ModeNow returns the mode that the user has set; if that cannot be read, the agent
// may only look.
func ModeNow() policy.Mode {
	s, err := ReadSettings()
	if err != nil {
		return policy.ModeAsk
	}
	return s.Mode
}

// AutomationNow reports whether the text agent may work on pages; if that cannot be read, it
// may not.
func AutomationNow() bool {
	s, err := ReadSettings()
	return err == nil && s.AutomationEnabled
}

// PicturesNow returns the setting of the pictures; if that cannot be read, none are taken.
func PicturesNow() Pictures {
	s, err := ReadSettings()
	if err != nil {
		return PicturesOff
	}
	return s.Pictures
}

// Change replaces the members that the user has changed and keeps the others.
func (s Settings) Change(members json.RawMessage) (Settings, error) {
	if err := strictjson.Decode(members, &s, strictjson.Limits{}); err != nil {
		return s, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	return s, s.check()
}

// Save replaces the file atomically.
func (s Settings) Save() error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "the settings cannot be written: %v", err)
	}
	if err := paths.MakePrivate(paths.Data()); err != nil {
		return err
	}
	if err := wholefile.Replace(settingsFile(), append(text, '\n'), 0o600); err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the settings cannot be saved: %v", err)
	}
	return nil
}
