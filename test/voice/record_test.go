package voice

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/voice/record"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/replay"
)

func TestAgentIsRecorded(t *testing.T) {
	// Ensure that a session in a real browser is recorded where the user's settings say so, without its key and what a tool typed, and that the recording plays without a difference.
	t.Parallel()
	folder := t.TempDir()
	k := converse(t, fmt.Sprintf(`"voice_record":%q`, folder))
	k.start()
	k.hears("Order a pot.")
	k.wire.Finish("completed", realtime.Function{CallID: "c1", Name: "actions_site", Arguments: orderForAda})
	k.results(1)
	k.wire.Begin(k.ctx)
	k.wire.Speak("It is ordered.")
	k.wire.Finish("completed")
	k.wire.Hush(false)
	k.shows("listening")
	harness.Must(t, k.home.Call(t, "runtime.agent.stop", `{}`), nil)
	files, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{realtime.Key, "Da Hong Pao for Ada", "m=audio"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the recording holds %q", secret)
		}
	}
	r, err := record.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	replay.Play(t, r)
}
