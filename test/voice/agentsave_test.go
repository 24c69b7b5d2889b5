package voice

import (
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/test/harness"
)

const saveURL = manifest.ExtensionURL + "save.html"

func TestSaveFromThePane(t *testing.T) {
	// Ensure that the pane's button makes an action of what the agent of the conversation did in the tab, not of what a terminal did there after it, and that the page that opens stores it under its name when the user presses so.
	t.Parallel()
	k := converse(t)
	harness.Must(t, k.home.Call(t, "overlay.menu.show", `{}`), nil)
	k.write()
	answer := k.says("Note that it is urgent.")
	given := k.calls(tool("c1", "locator.fill", `"locator":{"selector":"[name=note]"},"text":"It is urgent"`),
		// The user's hand is told from the agent's by the time between them.
		tool("c2", "locator.wait_for", `"locator":{"selector":"#none"},"timeout_ms":800`))
	if !strings.Contains(given["c1"], `"ok":true`) {
		t.Fatalf("the model was given %s", given["c1"])
	}
	k.answers("It is noted.")
	harness.Must(t, <-answer, nil)
	harness.Must(t, k.home.Call(t, "page.info", `{}`), nil)

	k.press(`document.getElementById("save-action")`)
	page := func(js string) string {
		text, err := k.evaluate("page", saveURL, js)
		if err != nil {
			return err.Error()
		}
		return text
	}
	harness.Until(t, "the page says what it would save", func() bool {
		return strings.Contains(page(`document.getElementById("sentences").textContent`), "type")
	})
	if who := page(`document.getElementById("who").textContent`); !strings.Contains(who, "Voice agent") {
		t.Errorf("it was done by %s", who)
	}
	if text := page(`document.body.textContent`); strings.Contains(text, "urgent") {
		t.Errorf("the page shows what was typed: %s", text)
	}
	k.pressIn("page", saveURL, `document.getElementById("save")`)
	harness.Until(t, "it is stored", func() bool {
		return strings.Contains(page(`document.getElementById("saved").textContent`), "Saved as")
	})
	var list struct {
		Actions []struct{ Unproven bool }
	}
	harness.Must(t, k.home.Call(t, "actions.site", `{"mode":"list","query":"note"}`), &list)
	if len(list.Actions) == 0 || !slices.ContainsFunc(list.Actions, func(a struct{ Unproven bool }) bool { return a.Unproven }) {
		t.Errorf("the page has %+v", list.Actions)
	}
}
