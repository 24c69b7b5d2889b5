package profile

import (
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
)

func TestPrivateNetworks(t *testing.T) {
	// Ensure that the settings open the networks that they name, and that one which cannot be read stops the host instead of opening nothing or all.
	t.Setenv(paths.EnvHome, t.TempDir())
	if err := os.MkdirAll(paths.Data(), 0o700); err != nil {
		t.Fatal(err)
	}
	read := func(text string) (Settings, error) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(paths.Data(), "settings.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return ReadSettings()
	}
	s, err := read(`{"private_networks":["192.168.1.0/24","::1"]}`)
	if want := []netip.Prefix{netip.MustParsePrefix("192.168.1.0/24"), netip.MustParsePrefix("::1/128")}; err != nil {
		t.Error(err)
	} else if got, err := s.privateNetworks(); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{`["192.168.1"]`, `["localhost"]`, `["10.0.0.0/33"]`, `[""]`, `"10.0.0.0/8"`} {
		if s, err := read(`{"private_networks":` + bad + `}`); !fault.Is(err, fault.InvalidInput) || !strings.Contains(err.Error(), "settings.json") {
			t.Errorf("%s: %v, %v", bad, s.PrivateNetworks, err)
		}
	}
}
