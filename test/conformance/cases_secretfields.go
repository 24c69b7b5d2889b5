package conformance

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// calledSecret has fields of each kind that are called for a secret, each in its way; the
// secrets hold "sesame".
const calledSecret = `<main>
	<div id=a contenteditable aria-label=Password>sesame <b>one</b></div>
	<div id=b role=textbox tabindex=0 data-testid=api-key>sesame two</div>
	<span id=say>Secret answer</span><div id=c contenteditable aria-labelledby=say><p>sesame three</p></div>
	<label>Security question <select id=d><option>tea<option selected>sesame four</select></label>
	<output id=otp>sesame five</output>
	<fieldset><legend>One-time code</legend><input id=f inputmode=numeric maxlength=1 aria-label="Digit 1" value=6></fieldset>
	<div><span>PIN</span><input id=g inputmode=numeric value=` + secretPIN + `></div>
	<div id=h contenteditable aria-placeholder="Mother's maiden name">sesame eight</div>
	<table><tr><td>CVV<td><div id=i contenteditable>sesame nine</div></table>
	<input id=j title="Access token" value="sesame ten">
	<span id=hint>Enter the verification code</span><input id=k aria-describedby=hint value="sesame eleven">
	<div><p>Recovery phrase</p><div><div id=l contenteditable=plaintext-only>sesame twelve</div></div></div>
	<label>Security number <output id=m>sesame thirteen</output></label></main>`

var secretIDs = strings.Fields("a b c d otp f g h i j k l m")

// calledOther has fields that are called for what is no secret, though its name is near.
const calledOther = `<main>
	<div id=a contenteditable role=searchbox aria-label="Search passwords">public one</div>
	<div id=b contenteditable aria-label="Token chat">public two: password</div>
	<article><h2>Password</h2><div id=c contenteditable>public three</div></article>
	<output id=password-strength>public four</output>
	<p>Your password must have at least eight characters, of which one is neither letter nor digit.</p><div id=e contenteditable>public five: password</div>
	<fieldset><legend>Change your password</legend><label>Name <input id=f value="public six"></label></fieldset>
	<p><a href=#>Forgot your password?</a><input id=g value="public seven"></p>
	<input id=h aria-label=Email aria-describedby=where value="public eight"><span id=where>The verification code goes there</span>
	<label>Token count <output id=i>public nine</output></label>
	<label>Your words <select id=j><option>password<option selected>public ten</select></label>
	<div id=k contenteditable aria-label="Password documentation">public eleven: the password is the secret</div>
	<form><div><span>PIN</span><div id=l contenteditable>public twelve</div></div><input name=city></form></main>`

var otherIDs = strings.Fields("a b c password-strength e f g h i j k l")

// secretPIN is so long that the number of a tab or a port hardly ever contains it.
const secretPIN = "700700"

// untold asserts that an output holds no secret.
func (p *Page) untold(name string, out Output) {
	p.Helper()
	if raw, err := json.Marshal(out.value); err != nil || strings.Contains(string(raw), "sesame") || strings.Contains(string(raw), secretPIN) {
		p.Errorf("%s tells %s %v", name, raw, err)
	}
}

// looks are calls that read fields, each of them all.
var looks = map[string]string{
	"dom.snapshot_text": `{}`, "page.read": `{}`, "page.find": `{"text":"Security number"}`, "form.verify": `{"locator":{"selector":"main"}}`,
	"locator.text_content":     `{"locator":{"selector":"main"}}`,
	"locator.element_info":     `{"locator":{"selector":"main"},"auto_scroll":false}`,
	"dom.observe.attributes":   `{"selector":"main *","attributes":["text","value"]}`,
	"browser.extract_elements": `{"item_selector":"main, main *","fields":[{"name":"t"},{"name":"v","attribute":"value"}]}`,
	"state.extract":            `{"extract":[{"id":"r","selector":"main, main :not(option)","fields":{"a":{},"b":{"property":"textContent"},"c":{"property":"innerText"},"d":{"property":"value"}}}]}`,
}

func secretFieldCases() []Case {
	all := []Case{
		{Name: "locator.value/redacts each kind of field that is called for a secret", HTML: calledSecret, Run: func(p *Page) {
			for _, id := range secretIDs {
				out := p.ok("locator.value", `{"locator":{"selector":"#`+id+`"}}`)
				p.is(out, "value", `null`)
				p.is(out, "redacted", `true`)
			}
			p.is(p.ok("locator.value", `{"locator":{"selector":"#a"}}`), "length_class", `"8-15 characters"`)
			p.untold("an inner element", p.ok("locator.text_content", `{"locator":{"selector":"#c p"}}`))
			p.fails("locator.text_content", `{"locator":{"text":"sesame two"}}`, fault.TargetNotFound)
		}},
		{Name: "locator.value/reads fields whose names only seem to be of secrets", HTML: calledOther, Run: func(p *Page) {
			for _, id := range otherIDs {
				if out := p.ok("locator.value", `{"locator":{"selector":"#`+id+`"}}`); out.at("redacted") != nil {
					p.Errorf("%s is hidden", id)
				}
			}
			for name, args := range looks {
				if name == "dom.snapshot_text" || name == "page.read" || name == "page.find" || name == "locator.element_info" {
					continue
				}
				raw, err := json.Marshal(p.ok(name, args).value)
				for _, word := range []string{"two", "three", "five", "eleven", "twelve"} {
					if err != nil || !strings.Contains(string(raw), word) {
						p.Errorf("%s does not tell %s: %s %v", name, word, raw, err)
					}
				}
			}
		}},
		{Name: "text.insert/marks what goes into a field that is called for a secret", HTML: calledSecret + `<div id=z contenteditable aria-label="Token chat"></div>`, Run: func(p *Page) {
			for id, want := range map[string]string{"a": "true", "c": "true", "h": "true", "i": "true", "j": "true", "k": "true", "l": "true", "g": "true", "z": "false"} {
				p.is(p.ok("text.insert", `{"text":"1","target":"#`+id+`"}`), "sensitive", want)
			}
		}},
		{Name: "text.type/marks what goes into an editor that is called for a secret", HTML: calledSecret, Run: func(p *Page) {
			for _, selector := range []string{"#c", "#l", "#k"} {
				p.eval(`$(` + strconv.Quote(selector) + `).focus()`)
				p.is(p.ok("text.type", `{"text":"x","trusted":false}`), "sensitive", `true`)
				p.is(p.ok("keyboard.press", `{"key":"y","trusted":false}`), "sensitive", `true`)
			}
			p.is(p.ok("text.select", `{"target":"#a"}`), "sensitive", `true`)
			p.is(p.ok("clipboard.paste", `{"target":"#a","text":"x"}`), "sensitive", `true`)
		}},
	}
	for name, args := range looks {
		all = append(all, Case{Name: name + "/tells nothing of fields that are called for secrets", HTML: calledSecret, Run: func(p *Page) {
			p.untold(name, p.ok(name, args))
		}})
	}
	return all
}

// secretFieldTreeCases are those of a snapshot.
func secretFieldTreeCases(of string, tree func(*Page, string) string) []Case {
	return []Case{
		{Name: of + "/tells of each kind of field for a secret its rough length only", HTML: calledSecret, Run: func(p *Page) {
			text := tree(p, `{}`)
			if strings.Contains(strings.ReplaceAll(text, `options="tea | sesame four"`, ""), "sesame") || strings.Contains(text, secretPIN) {
				p.Errorf("a secret stands in\n%s", text)
			}
			if strings.Count(text, "secret=") < len(secretIDs)-2 { // an output is no control
				p.Errorf("a field is missing in\n%s", text)
			}
		}},
		{Name: of + "/tells what stands in fields whose names only seem to be of secrets", HTML: calledOther, Run: func(p *Page) {
			if text := tree(p, `{}`); strings.Contains(text, "secret=") || strings.Count(text, "public") < len(otherIDs) {
				p.Errorf("it tells\n%s", text)
			}
		}},
	}
}

// secretFieldChainCases need the browser and the host.
func secretFieldChainCases() []Case {
	return []Case{
		{Name: fillIn + "/never tells what goes into an editor for a secret", HTML: calledSecret, Run: func(p *Page) {
			for _, id := range []string{"a", "h", "i", "k", "l"} {
				out := p.ok(fillIn, `{"locator":{"selector":"#`+id+`"},"text":"sesame opened"}`)
				p.is(out, "sensitive", `true`)
				p.untold(id, out)
				p.page(`($("#`+id+`").value ?? $("#`+id+`").textContent).trim()`, `"sesame opened"`)
			}
		}},
		{Name: "clipboard.selection/copies nothing of an editor for a secret", HTML: calledSecret + `<p id=p>tea</p>`, Run: func(p *Page) {
			p.ok(writeClip, `{"text":"before"}`)
			for _, id := range []string{"a", "c", "otp"} {
				p.fails(copyText, `{"target":"#`+id+`"}`, fault.NothingCopied)
			}
			p.eval(`getSelection().selectAllChildren(document.body)`)
			p.fails(copyText, `{}`, fault.NothingCopied)
			p.is(p.ok(readClip, `{}`), "text", `"before"`)
			p.ok(copyText, `{"target":"#p"}`)
			p.is(p.ok(readClip, `{}`), "text", `"tea"`)
		}},
		{Name: "keyboard.spoken_text/says nothing of an editor for a secret", HTML: calledSecret, Run: func(p *Page) {
			for _, id := range []string{"c", "i", "l"} {
				p.eval(`$("#` + id + `").focus()`)
				p.untold(id, p.ok("keyboard.press_gated", `{"key":"Shift","stop":"until","expect":"","max_presses":1}`))
			}
		}},
	}
}

// secretFieldHostCases are of what the host reads by the debugger, and hears.
func secretFieldHostCases() []Case {
	return []Case{
		{Name: a11yTree + "/hides what stands in each kind of field for a secret", HTML: calledSecret, Run: func(p *Page) {
			out := p.ok(a11yTree, `{}`)
			p.untold("the outline", out)
			if outline, _ := out.at("outline").(string); strings.Count(outline, "= [redacted]") != len(secretIDs)-2 { // an output has no value there
				p.Errorf("the outline is\n%s", outline)
			}
		}},
		{Name: a11yTree + "/tells what stands in fields whose names only seem to be of secrets", HTML: calledOther, Run: func(p *Page) {
			if outline, _ := p.ok(a11yTree, `{}`).at("outline").(string); strings.Contains(outline, "[redacted]") || strings.Count(outline, "public") < len(otherIDs) {
				p.Errorf("the outline is\n%s", outline)
			}
		}},
		{Name: a11yWatch + "/hears nothing of an output for a secret", HTML: `<output id=otp aria-label="One-time code"></output><div role=status id=s><div contenteditable aria-label=Password></div></div><output id=o></output>`, Run: func(p *Page) {
			p.freshWatch()
			p.eval(`$("#otp").textContent = "sesame five"; $("#s div").textContent = "sesame six"; $("#o").textContent = "open five"`)
			out := p.ok(a11yEvents, `{}`)
			p.until("the other one is heard", func() bool {
				out = p.ok(a11yEvents, `{}`)
				return strings.Contains(fmt.Sprint(out.value), "open five")
			})
			p.untold("the announcements", out)
		}},
	}
}
