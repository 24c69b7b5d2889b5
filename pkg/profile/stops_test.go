package profile

import (
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy"
)

func TestStoppedTabGoneAtHandshake(t *testing.T) {
	// Ensure that a handshake is answered when a tab that the user stopped was closed while no host ran, and that the stop then holds the sessions only.
	t.Setenv(paths.EnvHome, t.TempDir())
	p := reopenProfile(t)
	if _, err := p.Claim(t.Context(), protocol.Tab{TabID: 7, URL: "https://a.test/"}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.dispatcher.Stop(t.Context(), 7, policy.FacePopup); err != nil {
		t.Fatal(err)
	}
	if held := p.dispatcher.Held(); len(held) != 1 {
		t.Fatalf("held: %+v", held)
	}
	closeProfile(t, p)
	p = reopenProfile(t)
	defer closeProfile(t, p)
	if _, claimed := p.tabs.Get(7); claimed {
		t.Error("the closed tab is still claimed")
	}
	for _, s := range p.dispatcher.Held() {
		if !s.Gone {
			t.Errorf("held: %+v", s)
		}
	}
}
