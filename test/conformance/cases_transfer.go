package conformance

import (
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	transferWrite  = "transfer.write"
	transferRead   = "transfer.read"
	transferInsert = "transfer.insert"
	transferClear  = "transfer.clear"
)

// transferCases need the host, which keeps the values, and for inserting the
// page as well.
func transferCases() []Case {
	return []Case{
		{Name: transferWrite + "/keeps values by label and appends to lists", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.ok(transferClear, `{"scope":"session"}`)
			out := p.ok(transferWrite, `{"label":"rows","format":"application/json","value":[{"n":1}],"metadata":{"kind":"rows"}}`)
			p.is(out, "value", `null`) // not there
			p.is(out, "metadata.record_count", `1`)
			p.is(out, "metadata.kind", `"rows"`)
			p.is(out, "redaction.log_payload", `false`)
			again := p.ok(transferWrite, `{"label":"rows","format":"application/json","value":[{"n":2}],"mode":"append"}`)
			p.is(again, "metadata.record_count", `2`)
			if out.at("id") != again.at("id") {
				p.Errorf("an append gave another id: %v, %v", out.at("id"), again.at("id"))
			}
			p.is(p.ok(transferRead, `{"label":"rows","include_value":true}`), "value", `[{"n":1},{"n":2}]`)
			p.is(p.ok(transferWrite, `{"label":"new","format":"text/plain","value":["a"],"mode":"append"}`), "metadata.record_count", `1`)
			p.ok(transferWrite, `{"label":"rows","format":"text/plain","value":"other"}`)
			p.is(p.ok(transferRead, `{"label":"rows","include_value":true}`), "value", `"other"`)
		}},
		{Name: transferWrite + "/names its tab whatever the caller says", HTML: `<p>x</p>`, Run: func(p *Page) {
			out := p.ok(transferWrite, `{"label":"s","format":"text/plain","value":"x","source":{"tab_id":-1,"url":"https://bank.test/","column":"A"}}`)
			p.is(out, "source.column", `"A"`)
			url, _ := out.at("source.url").(string)
			if !strings.HasPrefix(url, "http://127.0.0.1") || out.number("source.tab_id") <= 0 {
				p.Errorf("the source is %v", out.at("source"))
			}
		}},
		{Name: transferWrite + "/refuses what it cannot keep", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.ok(transferClear, `{"scope":"session"}`)
			write := func(format, value, more string) string {
				return fmt.Sprintf(`{"label":"a","format":%q,"value":%s%s}`, format, value, more)
			}
			p.fails(transferWrite, `{"label":" ","format":"text/plain","value":"x"}`, fault.TransferLabelRequired)
			p.fails(transferWrite, write("text/html", `"x"`, ""), fault.InvalidInput)
			p.fails(transferWrite, write("text/plain", `{}`, ""), fault.TransferFormatUnsupported)
			p.fails(transferWrite, write("text/plain", `"x"`, `,"mode":"merge"`), fault.InvalidInput)
			p.fails(transferWrite, write("text/plain", `"`+strings.Repeat("x", 256<<10)+`"`, ""), fault.TransferPayloadTooLarge)
			p.fails(transferWrite, write("text/plain", `"x"`, `,"ttl_seconds":604801`), fault.InvalidInput)
			p.ok(transferWrite, write("text/plain", `"x"`, ""))
			p.fails(transferWrite, write("text/plain", `["y"]`, `,"mode":"append"`), fault.TransferAppendIncompatible)
			for i := range 199 {
				p.ok(transferWrite, fmt.Sprintf(`{"label":"%d","format":"text/plain","value":"x"}`, i))
			}
			p.fails(transferWrite, `{"label":"one more","format":"text/plain","value":"x"}`, fault.TransferLimitReached)
			p.is(p.ok(transferClear, `{"scope":"session"}`), "count", `200`)
		}},
		{Name: transferRead + "/gives the value only when asked", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.ok(transferClear, `{"scope":"session"}`)
			id := p.ok(transferWrite, `{"label":"v","format":"text/plain","value":"secret"}`).at("id")
			p.is(p.ok(transferRead, `{"label":"v"}`), "value", `null`)
			p.is(p.ok(transferRead, fmt.Sprintf(`{"id":%q,"include_value":true}`, id)), "value", `"secret"`)
			p.is(p.fails(transferRead, `{"label":"w"}`, fault.TransferLabelNotFound), "labels", `["v"]`)
			p.fails(transferRead, `{}`, fault.TransferLabelRequired)
		}},
		{Name: transferRead + "/forgets what has expired", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.ok(transferWrite, `{"label":"short","format":"text/plain","value":"x","ttl_seconds":0}`)
			p.fails(transferRead, `{"label":"short"}`, fault.TransferExpired)
			p.fails(transferRead, `{"label":"short"}`, fault.TransferLabelNotFound)
		}},
		{Name: transferInsert + "/inserts a value into a field", HTML: `<input id=a value=old><textarea id=b></textarea>`, Run: func(p *Page) {
			p.ok(transferWrite, `{"label":"t","format":"text/plain","value":"carried over"}`)
			out := p.ok(transferInsert, `{"label":"t","target":"#a","mode":"replace"}`)
			p.is(out, "verified", `true`)
			p.is(out, "label", `"t"`)
			p.page(`document.querySelector("#a").value`, `"carried over"`)
			p.ok(transferWrite, `{"label":"l","format":"text/uri-list","value":["https://a.test/","https://b.test/"]}`)
			p.ok(transferInsert, `{"label":"l","target":{"selector":"#b"}}`)
			p.page(`document.querySelector("#b").value`, `"https://a.test/\nhttps://b.test/"`)
		}},
		{Name: transferInsert + "/renders elements and templates", HTML: `<input id=a>`, Run: func(p *Page) {
			p.ok(transferWrite, `{"label":"people","format":"application/json","value":[{"name":"Ada","at":{"year":1815}},{"name":"{{at}}"}]}`)
			p.ok(transferInsert, `{"label":"people","target":"#a","mode":"replace","item_selector":{"index":0},"render":{"template":"{{name}} ({{at.year}})"}}`)
			p.page(`document.querySelector("#a").value`, `"Ada (1815)"`)
			p.ok(transferInsert, `{"label":"people","target":"#a","mode":"replace","item_selector":{"index":1},"render":{"format":"application/json"}}`)
			p.page(`document.querySelector("#a").value`, `"{\"name\":\"{{at}}\"}"`)
		}},
		{Name: transferInsert + "/refuses what cannot be rendered", HTML: `<input id=a value=old><p id=b>x</p>`, Run: func(p *Page) {
			p.ok(transferWrite, `{"label":"one","format":"application/json","value":[{"name":"Ada"}]}`)
			p.is(p.fails(transferInsert, `{"label":"one","target":"#a","item_selector":{"index":1}}`, fault.TransferItemSelectorInvalid), "count", `1`)
			p.fails(transferInsert, `{"label":"one","target":"#a","render":{"format":"text/html"}}`, fault.InvalidInput)
			p.fails(transferInsert, `{"label":"one","target":"#a","render":{"template":"{{nope}}"}}`, fault.InvalidInput)
			p.fails(transferInsert, `{"label":"one","target":"#a","mode":"merge"}`, fault.InvalidInput)
			p.fails(transferInsert, `{"target":"#a"}`, fault.TransferLabelRequired)
			p.fails(transferInsert, `{"label":"two","target":"#a"}`, fault.TransferLabelNotFound)
			p.fails(transferInsert, `{"label":"one","target":"#b"}`, fault.TargetNotEditable)
			p.page(`document.querySelector("#a").value + document.querySelector("#b").textContent`, `"oldx"`)
		}},
		{Name: transferClear + "/forgets one value or all", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.ok(transferClear, `{"scope":"session"}`)
			for _, label := range []string{"a", "b", "c"} {
				p.ok(transferWrite, fmt.Sprintf(`{"label":%q,"format":"text/plain","value":"x"}`, label))
			}
			p.is(p.ok(transferClear, `{"label":"a"}`), "count", `1`)
			p.fails(transferRead, `{"label":"a"}`, fault.TransferLabelNotFound)
			p.fails(transferClear, `{"label":"a"}`, fault.TransferLabelNotFound)
			p.fails(transferClear, `{}`, fault.TransferLabelRequired)
			p.is(p.ok(transferClear, `{"scope":"session"}`), "count", `2`)
			p.is(p.ok(transferClear, `{"scope":"session"}`), "count", `0`)
		}},
	}
}
