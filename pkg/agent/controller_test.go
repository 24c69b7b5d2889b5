package agent

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/rpc"
	"github.com/actionsjson/actions-host/pkg/voice"
)

func TestChangesTogether(t *testing.T) {
	// Ensure that of two settings that are changed at once neither takes the other back: the mode must not return to act because the voice was chosen.
	t.Setenv(paths.EnvHome, t.TempDir())
	c := &Controller{Voice: &voice.Manager{}, SendChange: func(json.RawMessage) {}, OnError: func(err error) { t.Error(err) }}
	m := rpc.NewMux(nil)
	c.Register(m)
	for range 20 {
		if err := DefaultSettings().Save(); err != nil {
			t.Fatal(err)
		}
		var both sync.WaitGroup
		for _, members := range []string{`{"mode":"ask"}`, `{"voice":"marin"}`} {
			both.Go(func() {
				if _, err := m.Serve(t.Context(), protocol.MethodAgentSettings, json.RawMessage(`{"changes":`+members+`}`)); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		if s, err := ReadSettings(); err != nil || s.Mode != policy.ModeAsk || s.Voice != "marin" {
			t.Fatalf("mode %s, voice %s, %v", s.Mode, s.Voice, err)
		}
	}
}
