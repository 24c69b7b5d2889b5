package e2e

import (
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
)

func TestShownPasswordsStayOutOfTheLog(t *testing.T) {
	// Ensure that what goes into a password field that the page shows, and what is read of it, stands in the log by its length alone, also where nobody looked at the field while it was one.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>t</title><input id=p type=password aria-label=Password><button id=show onclick="p.type = 'text'">show</button><output></output>
		<script>p.oninput = () => document.querySelector("output").textContent = p.value.length</script>`})
	b := home.Open(t, url)
	c := clientOf(t, home, "one")
	c.must("page.info", `{}`, nil) // the page code is there
	eval[bool](attach(t, b, topTarget(t, b, url)), `(show.click(), true)`)
	c.must("locator.fill", `{"locator":{"selector":"#p"},"text":"filled sesame"}`, nil)
	c.must("text.insert", `{"target":{"selector":"#p"},"text":"inserted sesame","mode":"replace"}`, nil)
	c.must("dom.focus", `{"locator":{"selector":"#p"}}`, nil)
	c.must("text.type", `{"text":"typed sesame"}`, nil)
	for name, args := range map[string]string{
		"a11y.tree": `{}`, "page.snapshot": `{}`, "locator.value": `{"locator":{"selector":"#p"}}`, "browser.extract_elements": `{"item_selector":"#p","fields":[{"name":"v","attribute":"value"}]}`,
	} {
		if e := c.call(name, args); !e.OK || strings.Contains(string(e.Output), "sesame") {
			t.Errorf("%s tells %s %v", name, e.Output, e.Error)
		}
	}
	dump := home.Run(t, "log", "dump", "--json").Stdout
	if strings.Contains(dump, "sesame") || !strings.Contains(dump, `"locator.fill"`) || !strings.Contains(dump, `"length":13`) {
		t.Errorf("the log tells:\n%s", dump)
	}
}

func TestFieldsCalledForSecretsStayOutOfTheLog(t *testing.T) {
	// Ensure that what goes into a field whose name or label speaks of a secret, and what is read of it, stands in the log by its length alone, and that no look at the page tells it.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>t</title><form><label>Token dostępu <input id=p></label><textarea id=q placeholder="秘密鍵"></textarea><label>Private key <textarea>written sesame</textarea></label><input id=o aria-label=City></form>`})
	home.Open(t, url)
	c := clientOf(t, home, "one")
	c.must("locator.fill", `{"locator":{"selector":"#p"},"text":"filled sesame"}`, nil)
	c.must("text.insert", `{"target":{"selector":"#q"},"text":"inserted sesame","mode":"replace"}`, nil)
	c.must("dom.focus", `{"locator":{"selector":"#p"}}`, nil)
	c.must("text.type", `{"text":"typed sesame"}`, nil)
	c.must("locator.fill", `{"locator":{"selector":"#o"},"text":"Baghdad"}`, nil)
	for name, args := range map[string]string{
		"a11y.tree": `{}`, "page.snapshot": `{}`, "locator.value": `{"locator":{"selector":"#p"}}`, "browser.extract_elements": `{"item_selector":"#p","fields":[{"name":"v","attribute":"value"}]}`,
	} {
		if e := c.call(name, args); !e.OK || strings.Contains(string(e.Output), "sesame") {
			t.Errorf("%s tells %s %v", name, e.Output, e.Error)
		} else if (name == "a11y.tree" || name == "page.snapshot") && !strings.Contains(string(e.Output), "Baghdad") {
			t.Errorf("%s does not tell %s", name, e.Output)
		}
	}
	dump := home.Run(t, "log", "dump", "--json").Stdout
	if strings.Contains(dump, "sesame") || !strings.Contains(dump, "Baghdad") || !strings.Contains(dump, `"length":13`) {
		t.Errorf("the log tells:\n%s", dump)
	}
}

func TestChosenSecretsStayOutOfTheLog(t *testing.T) {
	// Ensure that what is chosen in a select, or a list that the page draws, which is called for a secret stands in the log by its length alone, that no answer repeats it, and that another choice stands there as it is.
	t.Parallel()
	home := harness.NewHome(t)
	list := `<option>none<option>hidden sesame<option>second sesame`
	url, _ := pages(t, map[string]string{"/": `<title>t</title><label>Security question <select id=q>` + list + `</select></label><select id=n name=pin multiple>` + list + `</select><label>City <select id=c><option>Basra<option>Baghdad</select></label>
		<input id=d role=combobox aria-expanded=false autocomplete=cc-number onclick="l.hidden = false"><ul id=l role=listbox hidden><li role=option onclick="d.value = this.textContent; l.hidden = true">drawn sesame</ul>`})
	home.Open(t, url)
	c := clientOf(t, home, "one")
	for _, args := range []string{
		`{"locator":{"selector":"#q"},"label":"hidden sesame"}`, `{"locator":{"selector":"#n"},"value":["second sesame"]}`, `{"locator":{"selector":"#d"},"label":"drawn sesame"}`, `{"locator":{"selector":"#c"},"label":"Baghdad"}`,
	} {
		e := c.call("locator.select_option", args)
		if !e.OK || strings.Contains(string(e.Output), "sesame") || strings.Contains(args, "Baghdad") != strings.Contains(string(e.Output), "Baghdad") {
			t.Errorf("%s gives %s %v", args, e.Output, e.Error)
		}
	}
	dump := home.Run(t, "log", "dump", "--json").Stdout
	if strings.Contains(dump, "sesame") || !strings.Contains(dump, `"label":"Baghdad"`) || !strings.Contains(dump, `"length":13`) {
		t.Errorf("the log tells:\n%s", dump)
	}
}
