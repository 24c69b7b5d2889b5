package profile

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// Ensure that settings are either read whole, with nothing in them that the host would leave
// unused, or stop the host with the one fault that names the file and says what to do.
func FuzzSettings(f *testing.F) {
	f.Setenv(paths.EnvHome, f.TempDir())
	if err := os.MkdirAll(paths.Data(), 0o700); err != nil {
		f.Fatal(err)
	}
	name := filepath.Join(paths.Data(), "settings.json")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := ReadSettings()
		if err != nil {
			if !fault.Is(err, fault.InvalidInput) || fault.From(err).NextStep == "" {
				t.Errorf("%v", err)
			}
			return
		}
		for _, effect := range s.AskEffects {
			if !slices.Contains(policy.Effects, effect) {
				t.Errorf("the effect %q is asked for and does not exist", effect)
			}
		}
		for _, folder := range append(slices.Clone(s.UploadFolders), s.VoiceRecord) {
			if folder != "" && !filepath.IsAbs(folder) {
				t.Errorf("the folder %q depends on where the host was started", folder)
			}
		}
		if networks, err := s.privateNetworks(); err != nil || len(networks) != len(s.PrivateNetworks) {
			t.Errorf("%d networks of %d: %v", len(networks), len(s.PrivateNetworks), err)
		}
	})
}
