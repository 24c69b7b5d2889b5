package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestSnapshotLeavesOutForbiddenFrames(t *testing.T) {
	// Ensure that a frame of an origin which policy asks about or denies costs a snapshot that frame only, and that nothing of it is read.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["read"]}`)
	inner, _ := pages(t, map[string]string{"/": `<button>Secret button</button>`})
	outer, _ := pages(t, map[string]string{"/": `<title>t</title><button>Mine</button><iframe title="Other" src="` + foreign(t, inner) + `/?id=7"></iframe>`})
	home.Launch(t, outer)

	// settle allows what the page waits for, and answers for the frame.
	settle := func(verdict string) {
		t.Helper()
		var waiting struct{ Approvals []struct{ ID, Origin string } }
		if err := json.Unmarshal([]byte(home.Run(t, "approvals", "list", "--json").Stdout), &waiting); err != nil {
			t.Fatal(err)
		}
		for _, a := range waiting.Approvals {
			do := verdict
			if strings.Contains(outer, a.Origin) {
				do = "allow"
			}
			if do == "allow" {
				home.Allow(t, a.ID)
			} else if r := home.Run(t, "approvals", do, a.ID); r.Exit != 0 {
				t.Fatalf("%s: %+v", do, r)
			}
		}
	}
	snapshot := func() string {
		t.Helper()
		var out struct {
			Snapshot string
			Frames   []struct {
				URL     string
				LeftOut string `json:"left_out"`
			}
		}
		harness.Must(t, home.Call(t, "page.snapshot", `{}`), &out)
		if !strings.Contains(out.Snapshot, "Mine") || len(out.Frames) != 1 {
			t.Fatalf("%+v", out)
		}
		if read := out.Frames[0].LeftOut == ""; strings.Contains(out.Frames[0].URL, "id=7") != read {
			t.Errorf("the frame was read: %t, and its address told as %s", read, out.Frames[0].URL)
		}
		return out.Snapshot + " " + out.Frames[0].LeftOut
	}

	// Each allowance is for one call: the page's own origin is asked for first.
	for _, round := range []struct{ verdict, want, reason string }{
		{"", "(left out, needs_approval)", " needs_approval"},
		{"allow", "Secret button", " "},
		{"", "(left out, needs_approval)", " needs_approval"},
		{"deny", "(not permitted, http://127.0.0.1:", " permission_denied"},
	} {
		wantCode(t, home.Call(t, "page.snapshot", `{}`), fault.NeedsApproval)
		settle(round.verdict)
		text := snapshot()
		if !strings.Contains(text, round.want) || !strings.HasSuffix(text, round.reason) || strings.Contains(text, "Secret") != (round.verdict == "allow") {
			t.Errorf("after %q: %s", round.verdict, text)
		}
	}
}
