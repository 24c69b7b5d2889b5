package profile

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy/policyfile"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/voice/openai"
)

// Settings is the user's settings.json in the data folder.
type Settings struct {
	// These stood here before there was a policy.json, to which they are moved when it is
	// made; it says what is wrong with them. Later they are an error.
	AskEffects      json.RawMessage `json:"ask_effects"`
	UploadFolders   json.RawMessage `json:"upload_folders"`
	PrivateNetworks json.RawMessage `json:"private_networks"`
	// ClaimOpenedTabs hands over every tab that browser.open_tab or a page opens during a
	// call; without it only one that a page opens of its own origin.
	ClaimOpenedTabs bool `json:"claim_opened_tabs"`
	// AllowCode lets sessions that ask for it run JavaScript. No client can set
	// it: the browser's own environment (launch --allow-code) or this file does.
	AllowCode bool `json:"allow_code"`
	// VoiceBase is the address of the voice service; https, or on this machine.
	VoiceBase string `json:"voice_base"`
	// VoiceRecord is the folder in which sessions of the hosted agent are
	// recorded; empty: none is. The browser's own environment (launch --record) or
	// this file says so.
	VoiceRecord string `json:"voice_record"`
}

// ReadSettings reads the file; a missing one is the defaults, a broken one stops
// the host: it may have been meant to forbid something.
func ReadSettings() (Settings, error) {
	s := Settings{
		AllowCode: os.Getenv(paths.EnvAllowCode) == "1", VoiceBase: cmp.Or(os.Getenv(paths.EnvVoiceBase), openai.DefaultBase),
		VoiceRecord: os.Getenv(paths.EnvVoiceRecord),
	}
	name := filepath.Join(paths.Data(), "settings.json")
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fault.Wrap(err, fault.StorageUnavailable, "the settings %s cannot be read: %v", name, err)
	}
	if err := strictjson.Decode(text, &s, strictjson.Limits{}); err != nil {
		return s, fault.Wrap(err, fault.InvalidInput, "the settings %s are not valid: %s", name, fault.From(err).Message).
			WithNextStep("Correct or remove the file, then restart the browser.")
	}
	if s.VoiceRecord != "" && !filepath.IsAbs(s.VoiceRecord) {
		return s, fault.New(fault.InvalidInput, "the settings %s record the agent in %q, which is not an absolute path", name, s.VoiceRecord)
	}
	return s, nil
}

// CheckPolicy returns the error of policy.json as it is now, or of settings which hold what
// belongs there.
func CheckPolicy() error {
	if _, err := os.Lstat(filepath.Join(paths.Data(), policyfile.Name)); err != nil {
		return nil // the host makes it
	}
	name := filepath.Join(paths.Data(), "settings.json")
	if text, err := os.ReadFile(name); err == nil {
		if err := policyfile.Moved(name, text); err != nil {
			return err
		}
	}
	return policyfile.Check(filepath.Join(paths.Data(), policyfile.Name))
}
