package harness

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/launch"
)

// OpenBroken starts a browser whose host manifest names the program and allows
// the extension with the id.
func (h *Home) OpenBroken(t testing.TB, program, extension string) *launch.Browser {
	t.Helper()
	return start(t, h.bin, func(path string) error {
		text, err := json.Marshal(map[string]any{
			"name": manifest.HostName, "description": "test", "path": program, "type": "stdio",
			"allowed_origins": []string{"chrome-extension://" + extension + "/"},
		})
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, text, 0o644)
	}, h.codes.putQuestion, []string{"HOME=" + h.Dir}, nil, nil)
}
