package e2e

import (
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

// opens makes a click that opens a dialog, and is told of it.
func (v *visitor) opens(locator, message string) {
	v.Helper()
	e := v.try("locator.click", `{"locator":`+locator+`,"allow_repeat":true}`)
	if e.Error == nil || e.Error.Code != fault.DialogOpen || e.Error.Dispatched != fault.WasDispatched || !strings.Contains(fmt.Sprint(e.Error.Evidence), message) {
		v.Fatalf("clicking %s: %+v %s", locator, e.Error, e.Output)
	}
}

// Ensure that every dialog ends the click that opened it with what it says, is answered as asked, and that a page with a dialog is refused until then.
func visitDialogs(v *visitor) {
	v.open("dialogs.html")
	v.refused("browser.dismiss_dialog", `{}`, fault.NoDialog)
	answered := 0
	for _, dialog := range []struct{ button, message, args, answer string }{
		{"Alert", "Good day", `{}`, `"answer":null`},
		{"Confirm", "Delete it?", `{"accept":true}`, `"answer":true`},
		{"Confirm", "Delete it?", `{"accept":false}`, `"answer":false`},
		{"Prompt", "Your name?", `{"prompt_text":"Bea \"B\""}`, `"answer":"Bea \"B\""`},
		{"Prompt", "Your name?", `{"accept":true}`, `"answer":"Ann"`},
		{"Prompt", "Your name?", `{"accept":false}`, `"answer":null`},
	} {
		button := fmt.Sprintf("button %q", dialog.button)
		v.opens(v.ref(button), dialog.message)
		v.refused("locator.click", `{"locator":`+v.ref(button)+`}`, fault.DialogOpen)
		v.do("browser.dismiss_dialog", dialog.args, nil)
		answered++
		v.hears("dialog", answered, dialog.answer)
	}
	v.opens(v.ref(`button "Two"`), "First")
	v.do("browser.dismiss_dialog", `{}`, nil)
	// The page goes on by itself after the first one.
	harness.Until(v, "the second dialog to stand in the list", func() bool {
		var list struct {
			Tabs []struct{ Dialog *struct{ Message string } }
		}
		v.do("browser.claimed_tabs.list", `{}`, &list)
		return len(list.Tabs) == 1 && list.Tabs[0].Dialog != nil && list.Tabs[0].Dialog.Message == "Second"
	})
	v.do("browser.dismiss_dialog", `{"accept":true}`, nil)
	v.hears("dialog", answered+1, `"dialog":"second"`, `"answer":true`)
	v.do("page.info", `{}`, nil)
}

// Ensure that a page which asks before it is left is kept or left as the answer says, and that force leaves it also with unsaved changes.
func visitLeaving(v *visitor) {
	v.open("dialogs.html")
	v.do("locator.set_checked", `{"locator":`+v.ref(`checkbox "Guard"`)+`,"checked":true}`, nil)
	away := fmt.Sprintf(`{"url":%q}`, v.origin+"/index.html")
	at := func(where string) {
		v.do("page.wait_for", fmt.Sprintf(`{"url_contains":%q,"load_state":"load"}`, where), nil)
	}
	for _, leave := range []bool{false, true} {
		if e := v.try("browser.navigate", away); e.OK || e.Error.Code != fault.DialogOpen {
			v.Fatalf("leaving: %+v %s", e.Error, e.Output)
		}
		v.do("browser.dismiss_dialog", fmt.Sprintf(`{"accept":%t}`, leave), nil)
		at(map[bool]string{false: "/dialogs.html", true: "/index.html"}[leave])
	}
	v.open("dialogs.html")
	v.do("locator.set_checked", `{"locator":`+v.ref(`checkbox "Guard"`)+`,"checked":true}`, nil)
	v.fill(v.ref(`textbox "Draft"`), "unsent")
	v.refused("browser.navigate", away, fault.UnsavedChanges)
	v.do("browser.navigate", strings.Replace(away, "}", `,"force":true}`, 1), nil)
	at("/index.html")
}
