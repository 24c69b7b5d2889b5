package site_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/site"
	"github.com/actionsjson/actions-host/test/database"
)

func TestLauncherExpressionsStayInTheHost(t *testing.T) {
	// Ensure that the expression of a launcher is held against the address here, that the page never gets one, and that one that cannot be used is refused.
	r := newRig(t, map[string]string{})
	launchers, err := site.OpenLaunchers(database.New(t))
	if err != nil {
		t.Fatal(err)
	}
	var asked []string
	r.site.Launchers = launchers
	r.site.Runtime = func(int) string { return "r1" }
	r.site.CallAsHost = func(_ context.Context, _ int, _ string, args json.RawMessage) (json.RawMessage, error) {
		asked = append(asked, string(args))
		return json.RawMessage(`{"installed":[],"missing":[]}`), nil
	}
	register := site.Overlays{Site: r.site}.Handlers()["overlay.register_launcher"]
	try := func(pattern string) error {
		t.Helper()
		args, err := json.Marshal(map[string]any{"html": "<p>", "launchers": []any{map[string]string{"selector": "h1", "url_matches": pattern}}})
		if err != nil {
			t.Fatal(err)
		}
		asked = nil
		_, err = register(t.Context(), primitive.Call{Arguments: args, TabID: 1, URL: "https://shop.example.com/cart"})
		return err
	}
	for pattern, want := range map[string]bool{`/cart$`: true, `^(([a-z:/.]+)+)+!$`: false, `/help`: false} {
		if err := try(pattern); !fault.Is(err, fault.LauncherFailed) { // this page finds no target
			t.Errorf("%s: %v", pattern, err)
		}
		if got := strings.Contains(asked[0], "h1"); got != want || strings.Contains(asked[0], "url_matches") {
			t.Errorf("%s: the page was asked %s", pattern, asked[0])
		}
	}
	for _, pattern := range []string{`(`, `(?=a)`, `a{1000}{1000}`} {
		if err := try(pattern); !fault.Is(err, fault.InvalidArguments) || len(asked) != 0 {
			t.Errorf("%s: %v, asked %v", pattern, err, asked)
		}
	}
}
