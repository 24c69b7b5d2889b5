package conformance

import (
	"fmt"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	openTab  = "browser.open_tab"
	closeTab = "browser.close_tab"
	unsaved  = "page.unsaved"
)

func tabCases() []Case {
	return []Case{
		{Name: openTab + "/opens in the background and claims nothing", HTML: `<p>x</p>`, Run: func(p *Page) {
			out := p.ok(openTab, fmt.Sprintf(`{"url":%q,"make_current":true}`, p.Site.server.URL+"/frame"))
			p.is(out, "claimed", `false`)
			p.is(out, "tab.active", `false`)
			p.is(out, "tab.url", fmt.Sprintf("%q", p.Site.server.URL+"/frame"))
			p.is(p.ok(tabsList, `{}`), "count", `1`)
			p.fails(activate, fmt.Sprintf(`{"tab_id":%.0f}`, out.number("tab.tab_id")), fault.TabNotClaimed)
			p.page(`document.visibilityState`, `"visible"`)
		}},
		{Name: openTab + "/refuses unsafe addresses", HTML: `<p>x</p>`, Run: func(p *Page) {
			for _, bad := range []string{"file:///etc/passwd", "chrome://version", "javascript:alert(1)", "about:blank", "data:text/html,x", "/relative"} {
				p.fails(openTab, fmt.Sprintf(`{"url":%q}`, bad), fault.UnsafeURL)
			}
		}},
		{Name: closeTab + "/keeps the last claimed tab", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.fails(closeTab, `{"force":true}`, fault.LastClaimedTab)
			p.ok("page.info", `{}`)
		}},
		{Name: navigate + "/stops at unsaved changes unless forced", HTML: `<form action="/submit"><input name=a><input name=b><input type=file name=f></form>`, Run: func(p *Page) {
			fill := func(name string) {
				p.ok("text.insert", fmt.Sprintf(`{"text":"x","target":{"selector":"[name=%s]"}}`, name))
			}
			fill("a")
			p.ok(navigate, `{"reload":true}`) // a single field may be a search
			fill("a")
			fill("b")
			lost := p.fails(navigate, `{"reload":true}`, fault.UnsavedChanges)
			p.is(lost, "fields", `["input[name=\"a\"]","input[name=\"b\"]"]`)
			p.page(`$("[name=a]").value`, `"x"`)
			here, _ := p.ok("page.info", `{}`).at("url").(string)
			p.ok(navigate, fmt.Sprintf(`{"url":%q}`, here+"#below")) // nothing is lost by that
			p.ok(navigate, `{"reload":true,"force":true}`)
			p.eval(`(() => { const d = new DataTransfer(); d.items.add(new File(["x"], "x.txt")); const f = $("[name=f]"); f.files = d.files; f.dispatchEvent(new Event("change", {bubbles: true})); })()`)
			p.is(p.fails(navigate, `{"reload":true}`, fault.UnsavedChanges), "files", `1`)
			p.ok(navigate, `{"reload":true,"force":true}`)
		}},
		{Name: navigate + "/leaves a page that asks whether to stay only when forced", HTML: `<h1 id=here>here</h1><button onclick="onbeforeunload = (e) => { e.preventDefault(); return e.returnValue = 'stay'; }">Ask</button>`, Run: func(p *Page) {
			p.ok("locator.click", `{"locator":{"selector":"button"}}`) // a page that nobody touched may not ask
			p.fails(navigate, `{"reload":true}`, fault.DialogOpen)
			p.ok("browser.dismiss_dialog", `{"accept":false}`)
			p.page(`$("#here").textContent`, `"here"`)
			p.is(p.ok(navigate, `{"reload":true,"force":true}`), "runtime_replaced", `true`)
			p.ok("page.info", `{}`)
		}},
		{Name: navigate + "/says what came instead of a page", HTML: `<h1 id=here>here</h1>`, Run: func(p *Page) {
			file := p.fails(navigate, fmt.Sprintf(`{"url":%q}`, p.Site.server.URL+"/file"), fault.NavigationFailed)
			p.is(file, "reason", `"download"`)
			p.is(file, "file_name", `"tea.bin"`)
			nothing := p.fails(navigate, fmt.Sprintf(`{"url":%q}`, p.Site.server.URL+"/nothing"), fault.NavigationFailed)
			p.is(nothing, "reason", `"no_document"`)
			p.is(nothing, "requested_url", fmt.Sprintf("%q", p.Site.server.URL+"/nothing"))
			p.page(`$("#here").textContent`, `"here"`)
			p.ok("page.info", `{}`)
		}},
		{Name: navigate + "/follows redirects to their end", HTML: `<p>x</p>`, Run: func(p *Page) {
			out := p.ok(navigate, fmt.Sprintf(`{"url":%q}`, p.Site.server.URL+"/hop/3"))
			p.is(out, "tab.url", fmt.Sprintf("%q", p.Site.server.URL+"/hop/0"))
			p.is(out, "complete", `true`)
			p.is(p.ok("locator.text_content", `{"locator":{"selector":"h1"}}`), "text", `"arrived"`)
			loop := p.fails(navigate, fmt.Sprintf(`{"url":%q}`, p.Site.server.URL+"/loop"), fault.NavigationFailed)
			p.is(loop, "error", `"net::ERR_TOO_MANY_REDIRECTS"`)
		}},
	}
}

func unsavedCases() []Case {
	insert := func(p *Page, selector, text string) {
		p.ok("text.insert", fmt.Sprintf(`{"text":%q,"mode":"replace","target":{"selector":%q}}`, text, selector))
	}
	return []Case{
		{Name: unsaved + "/names the fields that were edited", HTML: `<input id=a name=first value=one><textarea id=b></textarea><input id=p type=password><div id=e contenteditable>text</div><select id=s><option>1<option>2</select>`, Run: func(p *Page) {
			p.is(p.ok(unsaved, `{}`), "fields", `[]`)
			insert(p, "#a", "two")
			insert(p, "#b", "words")
			insert(p, "#p", "hunter2")
			p.ok("text.insert", `{"text":"more","target":{"selector":"#e"}}`)
			p.eval(`$("#s").value = "2", $("#s").dispatchEvent(new Event("change", {bubbles: true}))`)
			p.is(p.ok(unsaved, `{}`), "fields", `["input#a[name=\"first\"]","textarea#b","input#p","div#e","select#s"]`)
		}},
		{Name: unsaved + "/sees edits in a document that the page has written anew", HTML: `<input id=a>`, Run: func(p *Page) {
			p.ok(unsaved, `{}`)
			p.eval(`(document.open(), document.write("<input id=b>"), document.close())`)
			insert(p, "#b", "two")
			p.is(p.ok(unsaved, `{}`), "fields", `["input#b"]`)
		}},
		{Name: unsaved + "/forgets what was put back or sent", HTML: `<form onsubmit="event.preventDefault()"><input id=a value=one><input id=b><button id=go>Go</button></form>`, Run: func(p *Page) {
			p.ok(unsaved, `{}`)
			insert(p, "#a", "two")
			insert(p, "#b", "x")
			p.is(p.ok(unsaved, `{}`), "fields.length", `2`)
			insert(p, "#a", "one")
			p.is(p.ok(unsaved, `{}`), "fields", `["input#b"]`)
			p.click("#go")
			p.is(p.ok(unsaved, `{}`), "fields", `[]`)
		}},
		// Ensure that what was entered in frames of the page's origin counts, also in one that came later, and no longer once its frame is gone.
		{Name: unsaved + "/names the fields of frames of its origin", HTML: `<iframe id=f srcdoc="<input id=a><input id=b>"></iframe>`, Run: func(p *Page) {
			const edit = `for (const el of f.contentDocument.querySelectorAll("input")) { el.value = "x"; el.dispatchEvent(new Event("input", {bubbles: true})); }`
			p.is(p.ok(unsaved, `{}`), "fields", `[]`)
			p.eval(`(() => { const f = $("#f"); ` + edit + ` })()`)
			p.is(p.ok(unsaved, `{}`), "fields", `["input#a","input#b"]`)
			p.eval(`new Promise((done) => { const f = document.createElement("iframe"); f.srcdoc = "<input id=c>"; f.onload = () => { ` + edit + ` done(1); }; document.body.append(f); })`)
			p.is(p.ok(unsaved, `{}`), "fields", `["input#a","input#b","input#c"]`)
			p.eval(`$("#f").remove()`)
			p.is(p.ok(unsaved, `{}`), "fields", `["input#c"]`)
		}},
		{Name: unsaved + "/leaves alone what only the page's script set", HTML: `<input id=a><textarea id=b></textarea><input id=c type=checkbox>`, Run: func(p *Page) {
			p.ok(unsaved, `{}`)
			p.eval(`$("#a").value = "by script", $("#b").value = "too", $("#c").checked = true`)
			p.is(p.ok(unsaved, `{}`), "fields", `[]`)
			p.is(p.ok(unsaved, `{}`), "files", `0`)
		}},
	}
}
