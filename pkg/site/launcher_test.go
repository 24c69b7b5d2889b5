package site_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/database"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/site"
)

// overlays is a rig whose page installs and shows whatever it is asked to.
func overlays(t *testing.T, r *rig) (handlers map[string]primitive.Handler, shown *[]string) {
	t.Helper()
	var err error
	if r.site.Launchers, err = site.OpenLaunchers(database.New(t)); err != nil {
		t.Fatal(err)
	}
	shown = &[]string{}
	inPage := func(name string, args json.RawMessage) (json.RawMessage, error) {
		if name != "attachment.install" {
			*shown = append(*shown, string(args))
			return json.RawMessage(`{"overlay_id":"o","replaced":false,"geometry":{},"closed":true,"menu_hidden":false}`), nil
		}
		var list struct{ Attachments []struct{ ID, Label string } }
		if err := json.Unmarshal(args, &list); err != nil {
			t.Fatal(err)
		}
		installed := []map[string]any{}
		for _, a := range list.Attachments {
			if a.Label != "nowhere" {
				installed = append(installed, map[string]any{"id": a.ID, "placement": "afterend", "target_text": "Tea"})
			}
		}
		return json.Marshal(map[string]any{"installed": installed})
	}
	r.site.Runtime = func(int) string { return "first" }
	r.site.CallAsHost = func(_ context.Context, _ int, name string, args json.RawMessage) (json.RawMessage, error) {
		return inPage(name, args)
	}
	o := site.Overlays{Site: r.site, InPage: func(_ context.Context, _ primitive.Call, name string, args json.RawMessage) (json.RawMessage, error) {
		return inPage(name, args)
	}}
	return o.Handlers(), shown
}

func TestRegisteredLaunchers(t *testing.T) {
	// Ensure that a registered launcher opens its report at a click, also for another reader of the database, that one which finds no place is not kept, that a tab has no room for too many, and that they go with their tab only.
	r := newRig(t, map[string]string{"public/sites/shop.example.com/cart": mapOf("", tool("go", open+greeting))})
	handlers, shown := overlays(t, r)
	call := func(tabID int, name, args string) (map[string]any, error) {
		out, err := handlers[name](t.Context(), primitive.Call{TabID: tabID, URL: page, Arguments: json.RawMessage(args)})
		decoded := map[string]any{}
		if err == nil {
			err = json.Unmarshal(out, &decoded)
		}
		return decoded, err
	}
	out, err := call(1, "overlay.register_launcher", `{"html":"<p>one</p>","title":"One","launchers":[{"id":"a","selector":"h1"},{"selector":"h2","label":"nowhere"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := json.Marshal(out["missing"]); string(text) != `["launcher-2"]` || len(*shown) != 0 {
		t.Errorf("registered %v, shown %v", out, *shown)
	}
	id, _ := out["overlay_id"].(string)
	none := func(string, json.RawMessage) error { t.Error("an action was run"); return nil }
	if err := r.site.HandleClick(t.Context(), 1, id+"/0", page, none); err != nil || len(*shown) != 1 ||
		(*shown)[0] != `{"title":"One","html":"<p>one</p>","focus":true}` {
		t.Errorf("the click showed %q, %v", *shown, err)
	}
	if err := r.site.HandleClick(t.Context(), 2, id+"/0", page, none); err != nil || len(*shown) != 1 {
		t.Errorf("in another tab: %q, %v", *shown, err)
	}
	if _, err := call(1, "overlay.register_launcher", `{"html":"<p>","launchers":[{"selector":"h1","label":"nowhere"}]}`); !fault.Is(err, fault.LauncherFailed) {
		t.Errorf("without a place: %v", err)
	}
	const half = 900 << 10
	big := `{"html":"` + strings.Repeat("a", half) + `","launchers":[{"selector":"h1"}]}`
	for i, want := range []fault.Code{"", "", fault.LauncherFailed} {
		if _, err := call(1, "overlay.register_launcher", big); (want == "") != (err == nil) || err != nil && !fault.Is(err, want) {
			t.Errorf("large one %d: %v", i, err)
		}
	}
	if _, err := call(2, "overlay.register_launcher", `{"html":"<p>two</p>","launchers":[{"selector":"h1"}]}`); err != nil {
		t.Fatal(err)
	}
	out, err = call(1, "overlay.close", `{"launchers":true}`)
	if err != nil || out["launchers_removed"] != 4.0 {
		t.Errorf("removed %v, %v", out, err)
	}
	if n, err := r.site.Launchers.DropTab(2); n != 1 || err != nil {
		t.Errorf("the other tab had %d, %v", n, err)
	}
}

func TestClickedAttachment(t *testing.T) {
	// Ensure that a map's attachment runs the action that it names with its arguments, shows a report itself, refuses an action that no map has, and opens nothing where it says nothing.
	attachment := func(id, opens string) string {
		return `{"id":"` + id + `","kind":"shortcut","target":{"selector":"h1"},"lifecycle":{"install":"page_ready"},"affordance":{` + opens + `}}`
	}
	r := newRig(t, map[string]string{"public/sites/shop.example.com/cart": mapOf(`"attachments":[`+
		attachment("run", `"opens":{"tool":"go","arguments":{"n":1}}`)+`,`+attachment("report", `"opens":{"tool":"overlay.open","arguments":{"html":"<p>"}}`)+`,`+
		attachment("gone", `"opens":{"tool":"pointer.click"}`)+`,`+attachment("note", ``)+`],`, tool("go", open+greeting))})
	_, shown := overlays(t, r)
	var ran []string
	run := func(action string, args json.RawMessage) error { ran = append(ran, action+string(args)); return nil }
	for _, id := range []string{"run", "report", "note", "unknown"} {
		if err := r.site.HandleClick(t.Context(), 1, id, page, run); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	if len(ran) != 1 || ran[0] != `go{"n":1}` || len(*shown) != 1 {
		t.Errorf("ran %q, shown %q", ran, *shown)
	}
	if err := r.site.HandleClick(t.Context(), 1, "gone", page, run); !fault.Is(err, fault.UnknownAction) {
		t.Errorf("an action that is none: %v", err)
	}
}
