package profile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
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
		if s.VoiceRecord != "" && !filepath.IsAbs(s.VoiceRecord) {
			t.Errorf("the folder %q depends on where the host was started", s.VoiceRecord)
		}
	})
}
