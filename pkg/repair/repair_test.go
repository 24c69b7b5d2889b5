package repair_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/repair"
)

var send = repair.Target{Tag: "button", Role: "button", Name: "Send the order", Selector: "#order"}

func button(name, selector string) repair.Target {
	return repair.Target{Tag: "button", Role: "button", Name: name, Selector: selector}
}

func TestChoose(t *testing.T) {
	// Ensure that the element is chosen that most of the old one's attributes name, and that an error names both where another comes near, where its role or meaning differs, and where too little agrees.
	for name, test := range map[string]struct {
		old    repair.Target
		now    []repair.Target
		chosen string // its selector
		code   fault.Code
		names  []string
	}{
		"new id":               {send, []repair.Target{button("Delete the order", "#del"), button("Send the order", "#x")}, "#x", "", nil},
		"other fillers":        {send, []repair.Target{button("Send your order now!", "#order")}, "#order", "", nil},
		"id moved on":          {send, []repair.Target{button("Delete the order", "#order"), button("Send the order", "#x")}, "#x", "", nil},
		"nothing":              {send, nil, "", fault.TargetNotFound, []string{"Send the order"}},
		"unlike":               {send, []repair.Target{button("About us", "#about")}, "", fault.TargetNotFound, []string{"Send the order"}},
		"another meaning":      {send, []repair.Target{button("Delete the order", "#order")}, "", fault.DriftDetected, []string{"Send the order", "Delete the order"}},
		"a negation":           {send, []repair.Target{button("Do not send the order", "#order")}, "", fault.DriftDetected, []string{"Send the order", "Do not send the order"}},
		"another language":     {button("Bestellen", "#b"), []repair.Target{button("Bestellen abbrechen", "#b")}, "", fault.DriftDetected, []string{"Bestellen", "abbrechen"}},
		"another role":         {send, []repair.Target{{Tag: "a", Role: "link", Name: "Send the order", Selector: "#order"}}, "", fault.DriftDetected, []string{"link", "button"}},
		"no name left":         {send, []repair.Target{button("", "#order")}, "", fault.DriftDetected, []string{"Send the order"}},
		"two":                  {send, []repair.Target{button("Send the order", "#x"), button("Send the order", "#y")}, "", fault.MultipleTargets, []string{"0.83"}},
		"two, one with the id": {send, []repair.Target{button("Send the order", "#order"), button("Send the order", "#y")}, "", fault.MultipleTargets, nil},
		"two, one with the test id": {repair.Target{Tag: "button", Role: "button", Name: "Go", TestID: "go"},
			[]repair.Target{{Tag: "button", Role: "button", Name: "Go", TestID: "go", Selector: "#x"}, button("Go", "#y")}, "#x", "", nil},
		"another item": {repair.Target{Tag: "button", Role: "button", Name: "Choose", TestID: "c", Several: []string{"role"}, Row: protocol.MetRow{Text: "Sencha", Selector: "li", Inner: "button"}},
			[]repair.Target{{Tag: "button", Role: "button", Name: "Choose", TestID: "c", Row: protocol.MetRow{Text: "Assam", Selector: "li", Inner: "button"}}}, "", fault.DriftDetected, []string{"Assam", "Sencha"}},
		"a checkbox for a text": {repair.Target{Tag: "input", Name: "Tea", Kind: "text", Selector: "#q"}, []repair.Target{{Tag: "input", Name: "Tea", Kind: "checkbox", Selector: "#q"}}, "", fault.DriftDetected, []string{"checkbox"}},
		"a secret field":        {repair.Target{Tag: "input", Role: "textbox", Name: "Code", Kind: "text"}, []repair.Target{{Tag: "input", Role: "textbox", Name: "Code", Kind: "text", Secret: true}}, "", fault.DriftDetected, []string{"secret"}},
		"a little alike":        {send, []repair.Target{button("Order history", "#h")}, "", fault.DriftDetected, []string{"Order history"}},
	} {
		best, err := repair.Choose(test.old, test.now)
		switch {
		case test.code == "" && (err != nil || best.Target.Selector != test.chosen):
			t.Errorf("%s: %+v, %v", name, best, err)
		case test.code != "" && !fault.Is(err, test.code):
			t.Errorf("%s: %+v, %v", name, best, err)
		}
		for _, part := range test.names {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v does not name %q", name, err, part)
			}
		}
	}
}

func TestMeaning(t *testing.T) {
	// Ensure that a name which is the opposite of the old one, or has a word replaced, is no substitute although all else stayed, and that one which is spelled or continued otherwise is.
	for _, names := range [][2]string{
		{"Log in", "Log out"}, {"Sign in", "Sign out"}, {"Sign in", "Sign up"}, {"Check in", "Check out"}, {"Clock in", "Clock out"}, {"Opt in", "Opt out"},
		{"Turn on", "Turn off"}, {"Turn on alerts", "Turn off alerts"}, {"Mark as read", "Mark as unread"}, {"Add item to cart", "Add item to wishlist"},
		{"Licht an", "Licht aus"}, {"Melde mich an", "Melde mich ab"}, {"Activer les alertes par mail", "Désactiver les alertes par mail"},
		{"Go to the next page of results", "Go to the previous page of results"}, {"Mark all new mails as read", "Mark all new mails as unread"},
	} {
		for _, pair := range [][2]string{names, {names[1], names[0]}} {
			old, now := button(pair[0], "#b"), button(pair[1], "#b")
			old.TestID, now.TestID = "b", "b"
			if best, err := repair.Choose(old, []repair.Target{now}); !fault.Is(err, fault.DriftDetected) || repair.IsAnother(old, now) == "" {
				t.Errorf("%q for %q: %.2f, %v", pair[1], pair[0], best.Score, err)
			}
		}
	}
	for _, names := range [][2]string{
		{"Log out", "Logout"}, {"Logout", "Log out"}, {"Check out", "Check-out"}, {"Sign in", "Sign In!"}, {"Log out", "Log out now"},
		{"Save", "Save changes"}, {"Log in", "Log in to your account"}, {"Show more", "Show more of it"},
	} {
		old, now := button(names[0], "#b"), button(names[1], "#b")
		old.TestID, now.TestID = "b", "b"
		if _, err := repair.Choose(old, []repair.Target{now}); err != nil || repair.IsAnother(old, now) != "" {
			t.Errorf("%q for %q: %v", names[1], names[0], err)
		}
	}
}

func TestItems(t *testing.T) {
	// Ensure that an element of another item is not taken although a number alone tells the items apart, and that an element's title names its item.
	of := func(text string) repair.Target {
		return repair.Target{Tag: "button", Role: "button", Name: "Approve", Row: protocol.MetRow{Text: text, Selector: "li", Inner: "button"}}
	}
	for text, same := range map[string]bool{"Order #1001": true, "order 1001": true, "Order #1002": false, "1001": false, "Order": false} {
		_, err := repair.Choose(of("Order #1001"), []repair.Target{of(text)})
		if same && err != nil || !same && !fault.Is(err, fault.DriftDetected) {
			t.Errorf("%s: %v", text, err)
		}
		if why := repair.IsAnother(of("Order #1001"), of(text)); (why == "") != same {
			t.Errorf("%s: %q", text, why)
		}
	}
	if why := repair.IsAnother(of("★"), of("★★")); why == "" {
		t.Error("an item of another sign is taken for the same")
	}
	for text, want := range map[string]string{"Order #1001": `button "Approve" in "Order #1001"`, "Approve": `button "Approve"`, "": `button "Approve"`} {
		if got := repair.Title(of(text)); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}

func TestPatch(t *testing.T) {
	// Ensure that a patch changes the values that it names, laid out as the old ones were, and no other byte.
	const old = "{\r\n\t\"b\": [1,  2],\n  \"a\": {\"x\": { \"s\": \"#a\" }, \"y\":{\"s\":\"#b\"}, \"é\": {\n      \"s\": \"#c\"\n    }, \"z\": \"#d\"}, \"u\":1.50 }\n"
	changes := []repair.Change{
		{"/a/x", json.RawMessage(`{"role":"button","name":"a, \"b\": {c}"}`)},
		{"/a/y", json.RawMessage(`{"test_id":"t"}`)},
		{"/a/é", json.RawMessage(`{"role":"link","name":"n"}`)},
		{"/a/z", json.RawMessage(`{"test_id":"z"}`)},
		{"/b/1", json.RawMessage(`{}`)},
	}
	const want = "{\r\n\t\"b\": [1,  {}],\n  \"a\": {\"x\": { \"role\": \"button\", \"name\": \"a, \\\"b\\\": {c}\" }, \"y\":{\"test_id\":\"t\"}, \"é\": {\n      \"role\": \"link\",\n      \"name\": \"n\"\n    }, \"z\": {\"test_id\":\"z\"}}, \"u\":1.50 }\n"
	got, err := repair.Patch([]byte(old), changes)
	if err != nil || string(got) != want {
		t.Errorf("%v\n%q\n%q", err, got, want)
	}
	for _, pointer := range []string{"/none", "/a/x/s/t", "/b/7"} {
		if got, err := repair.Patch([]byte(old), []repair.Change{{pointer, json.RawMessage(`1`)}}); !fault.Is(err, fault.InvalidMap) {
			t.Errorf("%s: %q, %v", pointer, got, err)
		}
	}
	if diff := repair.Diff([]byte(old), changes[1:2]); diff != "@@ line 3, /a/y\n- {\"s\": \"#b\"}\n+ {\"test_id\": \"t\"}\n" {
		t.Errorf("%q", diff)
	}
}

func FuzzPatch(f *testing.F) {
	// Ensure that whatever the map's text is, a patch sets the value that it names and leaves the others, or changes nothing.
	f.Add([]byte(`{"a":{"b":[{"c":"#x"}]}}`), "/a/b/0", "n")
	f.Add([]byte("{ \"a\" : {\n\t\"c\" : 1\n} }"), "/a", `a"\\"b`)
	f.Add([]byte(`[[],{},"",null]`), "/1", "{")
	f.Add([]byte(`{"a/b":{"~":1},"a":2}`), "/a~1b/~0", "é")
	f.Fuzz(func(t *testing.T, text []byte, pointer, name string) {
		value, err := json.Marshal(map[string]string{"name": name, "role": "button"})
		if err != nil {
			t.Skip()
		}
		got, err := repair.Patch(text, []repair.Change{{pointer, value}})
		if err != nil || !json.Valid(text) {
			return
		}
		if found := (jsonnode.Node{Raw: got}).Find(pointer).Raw; !sameJSON(found, value) {
			t.Errorf("%q at %q became %q", text, pointer, got)
		}
		old := (jsonnode.Node{Raw: text}).Find(pointer).Raw
		back, err := repair.Patch(got, []repair.Change{{pointer, old}})
		if err != nil || !sameJSON(back, text) {
			t.Errorf("%q is not as it was: %q, %v", text, back, err)
		}
	})
}

func sameJSON(a, b []byte) bool {
	x, err := jsonnode.Decode(a)
	y, err2 := jsonnode.Decode(b)
	return err == nil && err2 == nil && reflect.DeepEqual(x, y)
}

func TestWriteAndUndo(t *testing.T) {
	// Ensure that a repair keeps the last version and its evidence beside the map, that undo brings it back once, and that a map which was written meanwhile is left alone by both.
	folder := t.TempDir()
	file := filepath.Join(folder, "actions.json")
	before, after := []byte(`{"a":1}`), []byte(`{"a":2}`)
	put := func(text []byte) {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	is := func(name string, want []byte) {
		t.Helper()
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	best, err := repair.Choose(send, []repair.Target{button("Send the order --> |", "#x")})
	if err != nil {
		t.Fatal(err)
	}
	r := repair.Record{Action: "shop.order", Map: "m --> x", Diff: "- a\n+ b\n", Evidence: []repair.Evidence{{Step: "send", Was: "button", State: "gone", By: "role", Candidate: best}}}
	put([]byte(`{"a":3}`))
	if _, _, err := repair.Write(file, before, after, r); !fault.Is(err, fault.InstallConflict) {
		t.Errorf("a map that was written meanwhile: %v", err)
	}
	put(before)
	kept, report, err := repair.Write(file, before, after, r)
	if err != nil {
		t.Fatal(err)
	}
	is(file, after)
	is(kept, before)
	if text, err := os.ReadFile(report); err != nil || !strings.Contains(string(text), "| name | Send the order | Send the order --> \\| | 1.00 |") || strings.Count(string(text), "<!--") != 1 {
		t.Errorf("%v\n%s", err, text)
	}
	if found, err := repair.Repaired([]string{filepath.Join(folder, "other.json"), file}, "shop.order"); err != nil || found != file {
		t.Errorf("%q, %v", found, err)
	}
	put([]byte(`{"a":4}`))
	if _, err := repair.Undo(file, "shop.order"); !fault.Is(err, fault.InstallConflict) {
		t.Errorf("a map that was written since: %v", err)
	}
	put(after)
	if r, err := repair.Undo(file, "shop.order"); err != nil || r.Action != "shop.order" || r.Map != "m --> x" {
		t.Errorf("%+v, %v", r, err)
	}
	is(file, before)
	is(file+".repaired", after)
	if _, err := repair.Undo(file, "shop.order"); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("undone twice: %v", err)
	}
	if _, err := repair.Repaired([]string{file}, "shop.order"); !fault.Is(err, fault.UnknownAction) {
		t.Error(err)
	}
}

func TestRepairOfALink(t *testing.T) {
	// Ensure that a repair and its undo write the file that a map's link leads to, as its mode has it, and give nobody more to read.
	if runtime.GOOS == "windows" {
		t.Skip("links and modes are those of Unix")
	}
	for _, mode := range []fs.FileMode{0o600, 0o664} {
		folder := t.TempDir()
		file, shared := filepath.Join(folder, "actions.json"), filepath.Join(folder, "shared.json")
		err := os.WriteFile(shared, []byte("{}"), 0o600)
		if err = errors.Join(err, os.Chmod(shared, mode), os.Symlink("shared.json", file)); err != nil {
			t.Fatal(err)
		}
		is := func(want string) {
			t.Helper()
			text, err := os.ReadFile(shared)
			link, err2 := os.Readlink(file)
			if err != nil || err2 != nil || string(text) != want || link != "shared.json" {
				t.Errorf("%q, %v; %q, %v", text, err, link, err2)
			}
			entries, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if info, err := e.Info(); err != nil || e.Type().IsRegular() && info.Mode().Perm() != mode {
					t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
				}
			}
		}
		if _, _, err := repair.Write(file, []byte("{}"), []byte("{ }"), repair.Record{Action: "a.b"}); err != nil {
			t.Fatal(err)
		}
		is("{ }")
		if _, err := repair.Undo(file, "a.b"); err != nil {
			t.Fatal(err)
		}
		is("{}")
	}
}

func TestSeveralRepairsOfAMap(t *testing.T) {
	// Ensure that each repair of a map is undone by its own action, the last one first, and that a repair whose map was not written any more takes nothing from those before.
	file := filepath.Join(t.TempDir(), "actions.json")
	put := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	repaired := func(action, before, after string) (kept, report string) {
		t.Helper()
		kept, report, err := repair.Write(file, []byte(before), []byte(after), repair.Record{Action: action, Diff: action})
		if err != nil {
			t.Fatal(err)
		}
		return kept, report
	}
	undone := func(action, want string) {
		t.Helper()
		if found, err := repair.Repaired([]string{file}, action); err != nil || found != file {
			t.Errorf("%s: %q, %v", action, found, err)
		}
		r, err := repair.Undo(file, action)
		if text, err2 := os.ReadFile(file); err != nil || err2 != nil || r.Action != action || string(text) != want {
			t.Errorf("%s: %+v, %v; %q, %v", action, r, err, text, err2)
		}
	}
	put("{}")
	kept, report := repaired("shop.search", "{}", "{ }")
	evidence, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	kept2, report2 := repaired("shop.order", "{ }", "{  }")
	if text, err := os.ReadFile(report); err != nil || !bytes.Equal(text, evidence) || kept == kept2 || report == report2 {
		t.Errorf("%v, %s, %s: %s", err, kept2, report2, text)
	}
	_, err = repair.Undo(file, "shop.search")
	if !fault.Is(err, fault.InstallConflict) || !strings.HasSuffix(fault.From(err).NextStep, "repair --undo shop.order") {
		t.Errorf("the first before the last: %v", err)
	}
	undone("shop.order", "{ }")
	repaired("shop.order", "{ }", "{  }")
	put("{ }") // the program ended before it wrote the map
	undone("shop.search", "{}")
	if _, err := repair.Undo(file, "shop.order"); !fault.Is(err, fault.InstallConflict) {
		t.Errorf("a repair that was not written: %v", err)
	}
}
