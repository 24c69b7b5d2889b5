package e2e

import (
	"path/filepath"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/repo"
)

func TestSiteContextIsActions(t *testing.T) {
	// Ensure that what an agent should know of a site are actions of its map under their usual names, that there is no tool for it besides, and that the map itself is beyond reproach.
	t.Parallel()
	home, _, _ := teahouse(t)
	for _, name := range []string{
		"teahouse.summary", "teahouse.site_map", "teahouse.navigation_targets", "teahouse.product_guide", "teahouse.resources.list",
		"teahouse.links.contact", "teahouse.links.gift_card", "teahouse.recommendation_policy",
	} {
		if e := home.SiteCall(t, name, `{}`); !e.OK || len(e.Output) < 40 || len(e.Output) > 1000 {
			t.Errorf("%s gives %s %v", name, e.Output, e.Error)
		}
	}
	var link struct{ URL string }
	harness.Must(t, home.SiteCall(t, "teahouse.links.gift_card", `{}`), &link)
	if link.URL != "https://example.com/teahouse/gift-card?ref=map" {
		t.Errorf("the exact link is %q", link.URL)
	}
	if e := home.Call(t, "actions.context", `{}`); e.OK || e.Error.Code != fault.UnknownPrimitive {
		t.Errorf("actions.context gives %s %v", e.Output, e.Error)
	}

	var read struct {
		State struct {
			Items []struct{ ID, Name, Taste string }
		}
	}
	harness.Must(t, home.Call(t, "actions.site", `{"mode":"state_read"}`), &read)
	if items := read.State.Items; len(items) != 7 || items[0].ID != "Da Hong Pao" || items[0].Name != items[0].ID || items[0].Taste != "oolong: roasted, mineral, long" {
		t.Errorf("state %+v", items)
	}

	storage := filepath.Join(repo.Root(), "test/sites/storage")
	for _, command := range [][]string{
		{"validate", filepath.Join(storage, "scopes/public/sites/localhost/teahouse/actions.json")},
		{"lint", "--strict", storage},
	} {
		if r := home.Run(t, command...); r.Exit != 0 {
			t.Errorf("%s: exit %d %s %s", command[0], r.Exit, r.Stdout, r.Stderr)
		}
	}
}
