package e2e

import (
	"strconv"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
)

func TestHiddenTab(t *testing.T) {
	// Ensure that waiting, inserting and the clipboard work in a tab that is not shown, where there are no animation frames, timers are slow and nothing has the focus; that this takes no longer than a person would wait; and that the clipboard's text is nowhere in the log.
	t.Parallel()
	home := harness.Shared(t)
	url, rec := pages(t, map[string]string{
		"/": `<title>front</title>`, "/length": "ok",
		"/two": `<title>two</title><p>late</p><div id=e contenteditable>a</div><textarea id=t></textarea><script>
			document.title = document.hidden ? 'hidden' : 'shown'
			e.oninput = () => setTimeout(() => document.querySelector('p')?.remove(), 50)
			t.oninput = () => fetch('/length?' + t.value.length)</script>`,
	})
	b := home.Open(t, url+"/", url+"/two")
	tab := []string{"--tab", strconv.Itoa(b.Tabs[1].TabID)}
	var info struct{ Title string }
	harness.Must(t, home.Call(t, "page.info", `{}`, tab...), &info)
	if info.Title != "hidden" {
		t.Fatalf("the tab is %s", info.Title)
	}
	var inserted struct{ Verified bool }
	harness.Must(t, home.Call(t, "text.insert", `{"text":"b","target":"#e"}`, tab...), &inserted)
	if !inserted.Verified {
		t.Error("the text was not read back")
	}
	harness.Must(t, home.Call(t, "locator.wait_for", `{"locator":{"selector":"p"},"state":"detached","timeout_ms":5000}`, tab...), nil)
	harness.Must(t, home.Call(t, "page.wait_for", `{"stable":200,"load_state":"network_idle","timeout_ms":20000}`, tab...), nil)

	const private = "words for nobody else"
	harness.Must(t, home.Call(t, "clipboard.write", `{"text":"`+private+`"}`, tab...), nil)
	var read struct{ Text string }
	harness.Must(t, home.Call(t, "clipboard.read", `{}`, tab...), &read)
	if read.Text != private {
		t.Errorf("the clipboard has %q", read.Text)
	}
	harness.Must(t, home.Call(t, "clipboard.paste", `{"target":"#t"}`, tab...), nil)
	harness.Until(t, "the text is in the field", func() bool { return asked(rec, "/length?"+strconv.Itoa(len(private))) })
	harness.Must(t, home.Call(t, "clipboard.copy", `{"target":"#t"}`, tab...), nil)
	wantNowhere(t, home, private)
}
