package conformance

import (
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// inBatch returns a call of a batch with its report.
func inBatch(name, args string) string {
	return fmt.Sprintf(`{"name":%q,"arguments":%s"policy_exception_report":{"kind":"generic","intended_tool":%[1]q,"actions_json_path":"none","reason":"A test."}}}`,
		name, strings.Replace(strings.TrimSuffix(args, "}")+",", "{,", "{", 1))
}

func batchOf(calls ...string) string { return `{"calls":[` + strings.Join(calls, ",") + `]}` }

// batchCases need the host, through whose call path each call of a batch goes.
func batchCases() []Case {
	const form = `<label>Name <input id=i></label><button id=b>Save</button><p></p><script>
		$("#b").onclick = () => { log.push($("#i").value); $("p").textContent = "Saved " + $("#i").value }</script>`
	fill, click := inBatch("locator.fill", `{"locator":{"label":"Name"},"text":"Ada"}`), inBatch("locator.click", `{"locator":{"role":"button"},"expect":{"text":"Saved Ada"}}`)
	read := inBatch("locator.text_content", `{"locator":{"selector":"p"}}`)
	return []Case{
		{Name: dispatch.BatchTool + "/makes the calls in their order and gives what each gave", HTML: form, Run: func(p *Page) {
			out := p.ok(dispatch.BatchTool, batchOf(fill, click, read, inBatch("page.info", `{}`)))
			p.is(out, "results.length", `4`)
			p.is(out, "results.0.output.value", `"Ada"`)
			p.is(out, "results.2.output.text", `"Saved Ada"`)
			p.page(`log`, `["Ada"]`)
		}},
		{Name: dispatch.BatchTool + "/stops at the first failure and says what ran", HTML: form, Run: func(p *Page) {
			fail := p.refused(dispatch.BatchTool, batchOf(fill, inBatch("locator.click", `{"locator":{"selector":"#none"},"timeout_ms":0}`), click), fault.BatchStopped)
			if fail.Dispatched != fault.WasDispatched || fail.Evidence["failed_at"] != 1.0 || fail.Evidence["not_run"] != 1.0 {
				p.Errorf("%+v", fail)
			}
			p.page(`[$("#i").value, log.length]`, `["Ada",0]`)
		}},
		{Name: dispatch.BatchTool + "/sends nothing where a call is malformed", HTML: form, Run: func(p *Page) {
			p.fails(dispatch.BatchTool, batchOf(fill, inBatch("locator.clik", `{"locator":{"role":"button"}}`)), fault.UnknownPrimitive)
			p.fails(dispatch.BatchTool, batchOf(fill, inBatch("locator.click", `{"locator":"button"}`)), fault.InvalidInput)
			p.fails(dispatch.BatchTool, batchOf(fill, `{"name":"primitives.batch","arguments":`+batchOf(fill)+`}`), fault.InvalidInput)
			p.fails(dispatch.BatchTool, batchOf(strings.Split(strings.Repeat(fill+"\n", 10)+fill, "\n")...), fault.InvalidInput)
			p.fails(dispatch.BatchTool, batchOf(), fault.InvalidInput)
			p.page(`$("#i").value`, `""`)
		}},
	}
}
