package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestLibraryIsApprovedInTheOptions(t *testing.T) {
	// Ensure that the code of a skill is shown whole in the options page, hidden characters too, that a person's press there approves it, withdraws that and deletes the skill, that a version which came after the page was read is not approved, and that tools which are switched off are refused.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>Tea</title>`})
	b := home.Open(t, url)
	skill := func(args string) string {
		t.Helper()
		e := home.Call(t, "automation.skill", args)
		harness.Must(t, e, nil)
		return string(e.Output)
	}
	wantCode(t, home.Call(t, "automation.skill", `{"action":"list"}`), fault.AutomationDisabled)
	if err := os.WriteFile(filepath.Join(home.Dir, "data", "agent.json"), []byte(`{"automationEnabled":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	const code = "const tea = 1; /*\u202e*/"
	skill(fmt.Sprintf(`{"action":"create","data":{"name":"tea","domainPatterns":["tea.example/**"],"shortDescription":"<b>Tea</b>","library":%q}}`, code))
	approved := func(want bool) {
		t.Helper()
		if got := strings.Contains(skill(`{"action":"get","name":"tea"}`), `"libraryApproved":true`); got != want {
			t.Errorf("approved: %t", got)
		}
	}
	options := ownPage(t, b, optionsURL)
	options.bringToFront()
	options.says("skills-list", `const tea = 1; /*\u{202e}*/`)
	options.says("skills-list", "<b>Tea</b>")
	options.says("skills-list", "Not approved")
	press := func(change string) string {
		return fmt.Sprintf(`document.querySelector('[data-skill=tea] [data-change=%s]')`, change)
	}
	eval[bool](options, `(`+press("approve")+`.click(), true)`) // by a script
	approved(false)
	skill(`{"action":"update","name":"tea","updates":{"library":{"old_string":"= 1","new_string":"= 2"}}}`)
	pressed := func(change, done string) {
		t.Helper()
		options.until("the list stands still", `document.getElementById("skills-list").ariaBusy === null`)
		eval[bool](options, `(`+press(change)+`.scrollIntoView({block: "center"}), true)`)
		options.mouse(press(change))
		options.until(change+" is done", done)
	}
	shows := func(text string) string {
		return fmt.Sprintf(`document.getElementById("skills").innerText.includes(%q)`, text)
	}
	pressed("approve", shows("is not the one that was shown"))
	approved(false)
	eval[bool](options, `(location.reload(), true)`)
	options.says("skills-list", `const tea = 2;`)
	pressed("approve", shows("Approved: this code may run"))
	approved(true)
	for _, scheme := range []string{"dark", "light"} {
		prefer(t, scheme, options)
		for _, v := range options.violations() {
			t.Errorf("%s: %s", scheme, v)
		}
	}
	picture(t, options, "desk-options-skills", nil)
	pressed("withdraw", shows("Not approved"))
	approved(false)
	pressed("delete", `document.querySelector("[data-skill=tea]") === null`)
	options.says("skills-result", "Done: tea")
	wantCode(t, home.Call(t, "automation.skill", `{"action":"get","name":"tea"}`), fault.SkillNotFound)
}
