package e2e

import (
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/test/harness"
)

const attachmentMap = `{"protocol":"actions.json","version":1,"tools":[],"attachments":[
	{"id":"help","kind":"overlay_launcher","target":{"selector":"li"},"lifecycle":{"install":"page_ready"},
	"affordance":{"label":"Help","placement":"afterend","max_instances":1}}]}`

// attachmentPage draws its list anew once the launcher stands, five times, and
// says in its title how many drawings there were and how many launchers are.
const attachmentPage = `<title>start</title><ul><li>first</li></ul><p id="state">none</p><script>
	let drawn = 0;
	const count = () => document.querySelectorAll("[data-actions-json-attachment=help]").length;
	setInterval(() => {
		if (drawn < 5 && (drawn > 0 || count() > 0)) document.querySelector("ul").innerHTML = "<li>drawing " + ++drawn + "</li>";
		document.querySelector("#state").textContent = drawn + " drawn, " + count() + " launchers";
	}, 100);
</script>`

func TestAttachments(t *testing.T) {
	// Ensure that a map's launcher stands beside its target, once, also after the page drew its list anew.
	t.Parallel()
	home := harness.Shared(t)
	home.Map(t, "private", harness.Site(t), "", attachmentMap)
	url, _ := pages(t, map[string]string{"/": attachmentPage})
	home.Open(t, url+"/")
	harness.Must(t, home.Call(t, dispatch.SiteTool, `{"mode":"list"}`), nil)
	state := ""
	harness.Until(t, "the launcher is back after the last drawing", func() bool {
		var out struct {
			Text string `json:"text"`
		}
		harness.Must(t, home.Call(t, "locator.text_content", `{"locator":{"selector":"#state"}}`), &out)
		state = out.Text
		return strings.Contains(state, "5 drawn, 1 launchers")
	})
}
