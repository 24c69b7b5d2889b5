package site_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/site"
	"github.com/actionsjson/actions-host/test/database"
)

func TestUnproven(t *testing.T) {
	// Ensure that an action which was recorded is listed as unproven until it has run well, again once it was changed, and that the user's file stays as it is; and that one without provenance, or that its author has verified, never is.
	provenance := func(more string) string {
		return `"provenance":{"source":"run","session":"mcp:1","recorded_at":"2026-11-24T12:00:00Z"` + more + `},`
	}
	steps := workflow(`{"id":"a","primitive":"page.info"}`)
	r := shop(t, tool("shop.recorded", provenance("")+steps)+","+tool("shop.hand", steps)+","+tool("shop.verified", provenance(`,"verified_at":"2026-11-24T13:00:00Z"`)+steps))
	r.site.Proofs = site.OpenProofs(database.New(t))
	list := func(want bool) {
		t.Helper()
		got, err := r.handle(t, `{"mode":"list"}`)
		if err != nil || strings.Contains(got, `"unproven":true`) != want || strings.Count(got, "unproven") > 1 {
			t.Errorf("%v %s", err, got)
		}
	}
	file := filepath.Join(r.root, "scopes/public/sites/shop.example.com/cart/actions.json")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list(true)
	r.step = stepFails
	if _, err := r.call(t, "shop.recorded", `{}`); err == nil {
		t.Fatal("it did not fail")
	}
	list(true)
	r.step = nil
	if _, err := r.call(t, "shop.recorded", `{}`); err != nil {
		t.Fatal(err)
	}
	list(false)
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the file is another one: %v", err)
	}
	changed := strings.Replace(string(before), "About shop.recorded.", "Something else.", 1)
	if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	list(true)
	if _, err := r.call(t, "shop.nothing", `{}`); !fault.Is(err, fault.UnknownAction) {
		t.Errorf("got %v", err)
	}
}
