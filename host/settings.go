package main

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// settings is the user's settings.json in the data folder.
type settings struct {
	// AskEffects lists the effects that need the user's approval each time;
	// none by default.
	AskEffects []policy.Effect `json:"ask_effects"`
}

// readSettings reads the file; a missing one is the defaults, a broken one stops
// the host: it may have been meant to forbid something.
func readSettings() (settings, error) {
	var s settings
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
	for _, e := range s.AskEffects {
		switch e {
		case "read", "view", "input", "tab", "state", "code":
		default:
			return s, fault.New(fault.InvalidInput, "the settings %s name the effect %q, which does not exist", name, e)
		}
	}
	return s, nil
}
