package conformance

import (
	"fmt"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

const (
	autoNavigate = "automation.navigate"
	autoDebugger = "automation.debugger"
	autoSkill    = "automation.skill"
)

// automationCases are those of the text agent's tools.
func automationCases() []Case {
	return []Case{
		{Name: autoNavigate + "/gives the new document and its skills", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.ok(autoSkill, `{"action":"create","data":{"name":"hops","domainPatterns":["127.0.0.1/hop/*"],"shortDescription":"Hop."}}`)
			defer p.ok(autoSkill, `{"action":"delete","name":"hops"}`)
			out := p.ok(autoNavigate, fmt.Sprintf(`{"url":%q}`, p.Site.server.URL+"/hop/2"))
			p.is(out, "finalUrl", fmt.Sprintf("%q", p.Site.server.URL+"/hop/0"))
			p.is(out, "skills", `[{"name":"hops","shortDescription":"Hop."}]`)
			p.is(p.ok("locator.text_content", `{"locator":{"selector":"h1"}}`), "text", `"arrived"`)
			p.is(p.ok(autoNavigate, fmt.Sprintf(`{"url":%q}`, p.Site.server.URL+"/frame")), "skills", `[]`)
		}},
		{Name: autoNavigate + "/says timeout where the document does not come", HTML: `<h1 id=here>here</h1>`, Run: func(p *Page) {
			p.fails(autoNavigate, fmt.Sprintf(`{"url":%q}`, p.Site.server.URL+"/slow?ms=60000"), fault.Timeout)
			p.is(p.ok(tabsList, `{}`), "tabs.0.title", `"`+autoNavigate+`/says timeout where the document does not come"`)
		}},
		{Name: autoNavigate + "/opens a new tab and keeps its own", HTML: `<h1 id=here>here</h1>`, Run: func(p *Page) {
			out := p.ok(autoNavigate, fmt.Sprintf(`{"url":%q,"newTab":true}`, p.Site.server.URL+"/frame"))
			p.is(out, "claimed", `false`)
			p.is(out, "finalUrl", fmt.Sprintf("%q", p.Site.server.URL+"/frame"))
			p.is(p.ok(tabsList, `{}`), "count", `1`)
			p.page(`$("#here").textContent + document.visibilityState`, `"herevisible"`)
		}},
		{Name: autoNavigate + "/refuses unsafe addresses and stops at unsaved changes", HTML: `<form><input name=a><input name=b></form>`, Run: func(p *Page) {
			for _, bad := range []string{"file:///etc/passwd", "chrome://version", "javascript:alert(1)", "/relative"} {
				for _, more := range []string{"", `,"newTab":true`} {
					p.fails(autoNavigate, fmt.Sprintf(`{"url":%q%s}`, bad, more), fault.UnsafeURL)
				}
			}
			for _, name := range []string{"a", "b"} {
				p.ok("text.insert", fmt.Sprintf(`{"text":"x","target":{"selector":"[name=%s]"}}`, name))
			}
			p.fails(autoNavigate, fmt.Sprintf(`{"url":%q}`, p.Site.server.URL+"/frame"), fault.UnsavedChanges)
			p.page(`$("[name=a]").value`, `"x"`)
		}},
		{Name: autoDebugger + "/evaluates expressions and bodies in the page's world", HTML: `<h1>Tea</h1>`, CSP: "script-src 'unsafe-inline'", Run: func(p *Page) {
			p.eval(`window.pot = {full: true}`)
			for code, want := range map[string]string{
				`window.pot`: `{"full":true}`,
				`document.querySelector("h1").textContent`:   `Tea`,
				`await Promise.resolve(2) + 1 // a comment`:  `3`,
				`const n = 2; if (n > 1) return "body"`:      `body`,
				`null`:                                       `null`,
				`({a: [1]})`:                                 `{"a":[1]}`,
				`for (const x of [1]) { await x; } return 9`: `9`,
			} {
				p.is(p.ok(autoDebugger, fmt.Sprintf(`{"action":"eval","code":%q}`, code)), "text", fmt.Sprintf("%q", want))
			}
			p.is(p.ok(autoDebugger, `{"action":"eval","code":"document.body"}`), "details.type", `"node"`)
		}},
		{Name: autoDebugger + "/gives an exception as an error", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.eval(`window.runs = 0`)
			thrown := p.fails(autoDebugger, `{"action":"eval","code":"window.runs++; throw new SyntaxError('tea')"}`, fault.JavascriptFailed)
			p.is(thrown, "exception", `"SyntaxError: tea"`)
			p.page(`runs`, `1`) // and is not run a second time in another form
			p.fails(autoDebugger, `{"action":"eval","code":"Promise.reject(new Error('tea'))"}`, fault.JavascriptFailed)
			p.fails(autoDebugger, `{"action":"eval","code":"what is this"}`, fault.JavascriptFailed)
		}},
		{Name: autoDebugger + "/runs no code that leaves its parentheses", HTML: `<p>x</p>`, Run: func(p *Page) {
			for code, want := range map[string]fault.Code{
				"0)); window.ran = true; ((0": fault.JavascriptFailed,
				"0)); for (;;) {} ((0":        fault.JavascriptTimeout,
				"0)); Promise.resolve().then(() => { window.ran = true; }); ((0": fault.JavascriptFailed,
				"0)); (async () => { await 0; window.ran = true; })(); ((0":      fault.JavascriptFailed,
				"0)); (async () => { await 0; for (;;) {} })(); ((0":             fault.JavascriptFailed,
			} {
				p.fails(autoDebugger, fmt.Sprintf(`{"action":"eval","code":%q}`, code), want)
				p.is(p.ok("page.info", `{}`), "title", `"`+autoDebugger+`/runs no code that leaves its parentheses"`)
				p.page(`String(window.ran)`, `"undefined"`)
			}
		}},
		{Name: autoDebugger + "/runs nothing without the right to", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.eval(`window.ran = false`)
			without := p.as(control.SessionParams{Kind: policy.SessionAgent, ID: "no-code-here", Mode: policy.ModeAct})
			without.fails(autoDebugger, `{"action":"eval","code":"window.ran = true"}`, fault.CodeDisabled)
			p.fails(autoDebugger, `{"action":"step","code":"1"}`, fault.InvalidInput)
			p.fails(autoDebugger, `{"action":"eval","code":" "}`, fault.InvalidInput)
			p.page(`ran`, `false`)
		}},
		{Name: autoSkill + "/keeps, changes and deletes a skill", HTML: `<p>x</p>`, Run: func(p *Page) {
			out := p.ok(autoSkill, `{"action":"create","data":{"name":"tea","domainPatterns":["tea.example"],"shortDescription":"Order tea.","library":"const tea = 1;"}}`)
			p.is(out, "skill.libraryApproved", `false`)
			p.is(out, "skill.library", `null`)
			if out.text("next_step") == "" {
				p.Error("nothing says that the library does not run")
			}
			p.ok(autoSkill, `{"action":"update","name":"tea","updates":{"library":{"old_string":"= 1","new_string":"= 2"}}}`)
			p.is(p.ok(autoSkill, `{"action":"get","name":"tea","includeLibraryCode":true}`), "skill.library", `"const tea = 2;"`)
			p.ok(autoSkill, `{"action":"rewrite","name":"tea","data":{"name":"coffee","domainPatterns":["coffee.example"],"shortDescription":"Order coffee."}}`)
			p.fails(autoSkill, `{"action":"get","name":"tea"}`, fault.SkillNotFound)
			p.is(p.ok(autoSkill, `{"action":"delete","name":"coffee"}`), "deleted", `"coffee"`)
		}},
		{Name: autoSkill + "/lists those about a page", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.is(p.ok(autoSkill, `{"action":"list","url":"https://GitHub.com/o/r/issues?q=1"}`), "skills.0.name", `"github-issues"`)
			p.is(p.ok(autoSkill, `{"action":"list","url":"https://example.com/"}`), "skills", `[]`)
			p.is(p.ok(autoSkill, `{"action":"list"}`), "skills.length", `3`)
		}},
		{Name: autoSkill + "/says what there is not, and changes nothing", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.fails(autoSkill, `{"action":"create","data":{"name":"github-issues","domainPatterns":["a.example"],"shortDescription":"x"}}`, fault.SkillExists)
			p.fails(autoSkill, `{"action":"update","name":"github-issues","updates":{"description":{"old_string":"absent","new_string":"x"}}}`, fault.SkillTextNotFound)
			p.fails(autoSkill, `{"action":"delete","name":"absent"}`, fault.SkillNotFound)
			for _, bad := range []string{`{"action":"get"}`, `{"action":"create"}`, `{"action":"update","name":"github-issues"}`, `{"action":"approve","name":"github-issues"}`} {
				p.fails(autoSkill, bad, fault.InvalidInput)
			}
			p.is(p.ok(autoSkill, `{"action":"list"}`), "skills.length", `3`)
		}},
	}
}
