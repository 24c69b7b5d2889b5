package e2e

import (
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestClipboardIsBoundToOrigins(t *testing.T) {
	// Ensure that a session which is restricted to an origin reads and pastes from the clipboard what was copied there and nothing else: not what was copied on another page, in a frame of another origin, or nobody knows where; and that others do.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{
		"/": `<title>t</title><p id=own>own words</p><textarea id=field></textarea>` + far("b", "/frame", ""), "/frame": `<p id=x>framed words</p>`,
	})
	other, _ := pages(t, map[string]string{"/": `<title>o</title><p id=p>foreign words</p>`})
	b := home.Open(t, url, other)
	own := strings.TrimSuffix(url, "/")
	free, elsewhere := clientOf(t, home, "free").on(b.Tabs[0].TabID), clientOf(t, home, "free").on(b.Tabs[1].TabID)
	c := clientOf(t, home, "restricted", own).on(b.Tabs[0].TabID)
	page := attach(t, b, topTarget(t, b, url))

	read := func(c client) (text struct{ Text string }) {
		t.Helper()
		c.must("clipboard.read", `{}`, &text)
		return text
	}
	refused := func(what string) {
		t.Helper()
		for name, args := range map[string]string{"clipboard.read": `{}`, "clipboard.paste": `{"target":"#field"}`} {
			f := wantCode(t, c.call(name, args), fault.PermissionDenied)
			if f.Dispatched != fault.NotDispatched || !strings.Contains(f.Message, "clipboard") {
				t.Errorf("%s, %s: %+v", what, name, f)
			}
		}
		if got := eval[string](page, `field.value`); got != "" {
			t.Errorf("%s: the page got %q", what, got)
		}
	}
	elsewhere.must("clipboard.copy", `{"target":"#p"}`, nil)
	refused("copied on another page")
	if got := read(free).Text; got != "foreign words" {
		t.Errorf("another session reads %q", got)
	}
	elsewhere.must("clipboard.write", `{"text":"written there"}`, nil)
	refused("written for another page")
	free.must("locator.wait_for", `{"locator":{"selector":"#x","frame":{"host":"b.localhost"}},"timeout_ms":9000}`, nil)
	free.must("clipboard.copy", `{"target":{"selector":"#x","frame":{"host":"b.localhost"}}}`, nil)
	refused("copied in a frame of another origin")
	ours := extensionPage(t, b)
	if !eval[bool](ours, `(() => { addEventListener("copy", e => { e.preventDefault(); e.clipboardData.setData("text/plain", "by hand") }, {once: true}); return document.execCommand("copy") })()`) {
		t.Fatal("nothing is copied by hand")
	}
	if got := read(free).Text; got != "by hand" {
		t.Fatalf("the clipboard holds %q", got)
	}
	refused("copied by hand")

	c.must("clipboard.copy", `{"target":"#own"}`, nil)
	if got := read(c).Text; got != "own words" {
		t.Errorf("its own copy is %q", got)
	}
	c.must("clipboard.paste", `{"target":"#field"}`, nil)
	if got := eval[string](page, `field.value`); got != "own words" {
		t.Errorf("pasted %q", got)
	}
	if got := read(elsewhere).Text; got != "own words" {
		t.Errorf("elsewhere it is %q", got)
	}
}

func TestClipboardUnderARefusal(t *testing.T) {
	// Ensure that what was copied on an origin that the user has refused is not read on another page either.
	t.Parallel()
	home := harness.NewHome(t)
	home.Settings(t, `{"ask_effects":["state"]}`)
	url, _ := pages(t, map[string]string{"/": `<title>t</title>`})
	other, _ := pages(t, map[string]string{"/": `<title>o</title><p id=p>foreign words</p>`})
	b := home.Open(t, url, other)
	c, elsewhere := clientOf(t, home, "one").on(b.Tabs[0].TabID), clientOf(t, home, "one").on(b.Tabs[1].TabID)
	c.answer(true, "clipboard.read", `{}`)
	elsewhere.answer(true, "clipboard.write", `{"text":"first"}`)
	elsewhere.must("clipboard.write", `{"text":"foreign words"}`, nil)
	var got struct{ Text string }
	c.must("clipboard.read", `{}`, &got)
	if got.Text != "foreign words" {
		t.Fatalf("before the refusal it reads %q", got.Text)
	}
	from := strings.TrimSuffix(other, "/")
	if r := home.Run(t, "approvals", "revoke", from); r.Exit != 0 {
		t.Fatalf("revoke: %+v", r)
	}
	elsewhere.answer(false, "clipboard.read", `{}`)
	f := wantCode(t, c.call("clipboard.read", `{}`), fault.PermissionDenied)
	if !strings.Contains(f.Message, from) {
		t.Errorf("it says %q", f.Message)
	}
}
