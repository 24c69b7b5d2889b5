package conformance

import (
	"encoding/json"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func formCases() []Case {
	const verify = "form.verify"
	return []Case{
		{Name: verify + "/gives the present values by field", HTML: `<form id=f aria-label=Order><label>Tea <input name=tea value=old></label><label>Note<textarea name=note></textarea></label>
			<label>Size <select name=size><option value=s>Small<option value=l selected>Large</select></label><select multiple aria-label=Extras><option selected>Milk<option>Sugar<option selected>Lemon</select>
			<label><input type=checkbox name=gift checked> Gift</label><label><input type=radio name=pay value=card> Card</label><input type=hidden name=h value=x><button>Send</button><input type=submit></form><input aria-label=Other>`, Run: func(p *Page) {
			p.eval(`$("[name=tea]").value = "Oolong", $("[name=note]").value = "two\nlines"`)
			out := p.ok(verify, `{"locator":{"selector":"#f"}}`)
			p.is(out, "tag_name", `"form"`)
			p.is(out, "name", `"Order"`)
			p.is(out, "field_count", `6`)
			p.is(out, "invalid_count", `0`)
			p.is(out, "fields.0.label", `"Tea"`)
			p.is(out, "fields.0.name", `"tea"`)
			p.is(out, "fields.0.kind", `"text"`)
			p.is(out, "fields.0.value", `"Oolong"`)
			p.is(out, "fields.1.value", `"two\nlines"`)
			p.is(out, "fields.2.value", `"l"`)
			p.is(out, "fields.2.selected", `["Large"]`)
			p.is(out, "fields.3.selected", `["Milk","Lemon"]`)
			p.is(out, "fields.4.checked", `true`)
			p.is(out, "fields.5.kind", `"radio"`)
			p.is(out, "fields.5.checked", `false`)
			p.is(out, "truncated", `false`)
			ref, err := json.Marshal(out.at("fields.0.ref"))
			if err != nil {
				p.Fatal(err)
			}
			p.is(p.ok("locator.value", `{"locator":{"ref":`+string(ref)+`}}`), "value", `"Oolong"`)
		}},
		{Name: verify + "/tells of a secret how long it is, roughly", HTML: `<form><input type=password aria-label=Password value="open sesame"><label>API key <input id=k value=sesame></label><input aria-label="Security code">
			<textarea aria-label="Recovery phrase">sesame sesame sesame</textarea><input type=password id=r required></form>`, Run: func(p *Page) {
			p.eval(`$("#k").setCustomValidity("sesame is too short")`)
			out := p.ok(verify, `{"locator":{"selector":"form"}}`)
			for i, class := range []string{"8-15 characters", "1-7 characters", "empty", "16 or more characters", "empty"} {
				field := "fields." + string(rune('0'+i))
				p.is(out, field+".value", `null`)
				p.is(out, field+".secret", `true`)
				p.is(out, field+".length_class", `"`+class+`"`)
			}
			p.is(out, "fields.1.message", `"… is too short"`)
			if raw, err := json.Marshal(out.value); err != nil || strings.Contains(string(raw), "sesame") {
				p.Errorf("it tells %s, %v", raw, err)
			}
		}},
		{Name: verify + "/tells what is not valid, and why", HTML: `<form><input aria-label=Name required><input type=email aria-label=Email value=nobody><input aria-label=Town aria-invalid=true aria-errormessage=e value=X><p id=e>No such town</p>
			<input aria-label=Fine value=1 disabled><input aria-label=Fixed value=2 readonly style="display:none"></form>`, Run: func(p *Page) {
			p.eval(`window.told = 0, document.addEventListener("invalid", () => told++, true)`)
			out := p.ok(verify, `{"locator":{"selector":"form"}}`)
			p.is(out, "invalid_count", `3`)
			p.is(out, "fields.0.required", `true`)
			p.is(out, "fields.0.valid", `false`)
			if out.text("fields.0.message") == "" || out.text("fields.1.message") == "" {
				p.Errorf("no reasons: %v", out.value)
			}
			p.is(out, "fields.2.valid", `false`)
			p.is(out, "fields.2.message", `"No such town"`)
			p.is(out, "fields.3.disabled", `true`)
			p.is(out, "fields.3.valid", `true`)
			p.is(out, "fields.4.read_only", `true`)
			p.is(out, "fields.4.hidden", `true`)
			p.page(`told`, `0`)
		}},
		{Name: verify + "/reads fields that the form does not hold, and those of scripts", HTML: `<input form=f aria-label=Outside value=o><form id=f><input name=elements aria-label=In value=i><div id=host></div>
			<div role=checkbox aria-label=Agree aria-checked=true tabindex=0></div><div contenteditable role=textbox aria-label=Letter>Dear <b>Ann</b></div>
			<ul role=listbox aria-label=Days><li role=option aria-selected=true>Monday<li role=option>Tuesday</ul><div role=slider aria-label=Heat aria-valuenow=7 tabindex=0></div><iframe srcdoc="<input>"></iframe></form>`, Run: func(p *Page) {
			p.eval(`$("#host").attachShadow({mode: "open"}).innerHTML = "<input aria-label=Deep value=d>"`)
			out := p.ok(verify, `{"locator":{"selector":"#f"}}`)
			got := map[string]any{}
			fields, _ := out.at("fields").([]any)
			for _, field := range fields {
				f, _ := field.(map[string]any)
				label, _ := f["label"].(string)
				got[label] = f["value"]
				for _, other := range []string{"checked", "selected"} {
					if f[other] != nil {
						got[label] = f[other]
					}
				}
			}
			p.equal("the fields", got, `{"Outside":"o","In":"i","Deep":"d","Agree":true,"Letter":"Dear Ann","Days":["Monday"],"Heat":"7"}`)
			p.is(out, "frame_count", `1`)
		}},
		{Name: verify + "/finds the form of a field or button", HTML: `<form id=a><input aria-label=One value=1><button>Send</button></form><form id=b><input aria-label=Two value=2></form><div id=d><input aria-label=Three value=3></div><p>none</p>`, Run: func(p *Page) {
			p.is(p.ok(verify, `{"locator":{"role":"button","name":"Send"}}`), "fields.0.value", `"1"`)
			p.is(p.ok(verify, `{"locator":{"label":"Two"}}`), "tag_name", `"form"`)
			p.is(p.ok(verify, `{"locator":{"selector":"#d"}}`), "fields.0.value", `"3"`)
			p.is(p.ok(verify, `{"locator":{"label":"Three"}}`), "field_count", `1`)
			p.is(p.ok(verify, `{"locator":{"selector":"p"}}`), "fields", `[]`)
			p.fails(verify, `{"locator":{"selector":"form"}}`, fault.MultipleTargets)
			p.fails(verify, `{"locator":{"selector":"#none"}}`, fault.TargetNotFound)
			p.fails(verify, `{}`, fault.InvalidInput)
		}},
		{Name: verify + "/reads on with the arguments that it gives", HTML: `<form></form><script>for (let i = 0; i < 300; i++) $("form").insertAdjacentHTML("beforeend", "<input aria-label=Field" + i + " value='" + "long ".repeat(i % 150) + "'>")</script>`, Run: func(p *Page) {
			args, labels := `{"locator":{"selector":"form"}}`, map[string]bool{}
			for range 40 {
				out := p.ok(verify, args)
				p.is(out, "field_count", `300`)
				fields, _ := out.at("fields").([]any)
				for _, field := range fields {
					f, _ := field.(map[string]any)
					label, _ := f["label"].(string)
					labels[label] = true
					if value, _ := f["value"].(string); len([]rune(value)) > 400 {
						p.Errorf("a value of %d characters", len(value))
					}
				}
				if raw, err := json.Marshal(out.value); err != nil || len(raw) > 8000 {
					p.Errorf("a page of %d bytes, %v", len(raw), err)
				}
				next, err := json.Marshal(out.at("next.arguments"))
				if err != nil {
					p.Fatal(err)
				}
				if args = string(next); out.at("truncated") == false {
					break
				}
			}
			if len(labels) != 300 {
				p.Errorf("%d fields in all", len(labels))
			}
		}},
	}
}
