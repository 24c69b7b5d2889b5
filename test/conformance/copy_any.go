package conformance

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"

	"github.com/actionsjson/actions-host/test/harness"
)

// anyPage is a page with fields of any kind and place, whose values a script sets, and which
// repeats them in any of its parts.
type anyPage struct {
	html   strings.Builder
	script strings.Builder
	typed  []string
}

// newAnyPage makes the page of a seed.
func newAnyPage(seed uint64) *anyPage {
	page, random := &anyPage{}, rand.New(rand.NewPCG(seed, 19))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	for n := range 2 + random.IntN(8) {
		word := fmt.Sprintf("%s%d%s", pick("Qxwort", "zjvane ", "xqÄrger"), seed*100+uint64(n), pick("", " Vqine", "-kz"))
		page.typed = append(page.typed, word)
		page.field(n, word, pick)
		for range random.IntN(4) {
			page.repeat(word, pick)
		}
	}
	return page
}

func (a *anyPage) field(n int, word string, pick func(...string) string) {
	value, id := quoted(word), fmt.Sprintf("f%d", n)
	field := pick(`<input id=%s>`, `<input id=%s type=password>`, `<input id=%s type=search value=old>`, `<input id=%s type=tel>`, `<textarea id=%s>old</textarea>`, `<div id=%s contenteditable>old</div>`, `<p id=%s contenteditable=plaintext-only role=textbox></p>`, `<input id=%s autocomplete=one-time-code>`)
	html := fmt.Sprintf(field, id)
	set := `(f => "value" in f ? f.value = ` + value + ` : f.textContent = ` + value + `)`
	switch pick("light", "light", "shadow", "frame", "deep") {
	case "light":
		a.html.WriteString("<label>Field " + html + "</label>")
		fmt.Fprintf(&a.script, "%s(document.getElementById(%q));\n", set, id)
	case "deep":
		a.html.WriteString("<main><table><tr><td><fieldset>" + html + "</fieldset></table></main>")
		fmt.Fprintf(&a.script, "%s(document.getElementById(%q));\n", set, id)
	case "shadow":
		fmt.Fprintf(&a.html, "<x-host id=h%s></x-host>", id)
		fmt.Fprintf(&a.script, "{ const root = document.getElementById(%q).attachShadow({mode: 'open'}); root.innerHTML = %s; %s(root.getElementById(%q)); }\n", "h"+id, quoted(html), set, id)
	case "frame":
		fmt.Fprintf(&a.html, "<iframe id=h%s></iframe>", id)
		fmt.Fprintf(&a.script, "{ const inner = document.getElementById(%q).contentDocument; inner.body.innerHTML = %s; %s(inner.getElementById(%q)); }\n", "h"+id, quoted(html), set, id)
	}
}

// repeat has the page say the word once more.
func (a *anyPage) repeat(word string, pick func(...string) string) {
	echo := pick(word, word, strings.ToUpper(word), strings.ToLower(word), "Thanks, "+word+"!", "("+word+")", strings.ReplaceAll(word, " ", "  "))
	where := pick(`e.textContent = said`, `e.title = said`, `e.dataset.last = said`, `e.ariaLabel = said`, `e.innerHTML = "<b></b><i>and</i>"; e.firstChild.textContent = said`,
		`e.append(Object.assign(document.createElement("a"), { href: "/found/" + encodeURIComponent(said), textContent: "Found" }))`,
		`e.append(Object.assign(document.createElement("a"), { href: "?q=" + encodeURIComponent(said) + "&page=2", textContent: "More" }))`,
		`e.append(Object.assign(document.createElement("a"), { href: "?" + new URLSearchParams({ page: "2", q: said }), textContent: "Next" }))`,
		`e.append(new Comment(said))`, `e.append(new Option(said, said))`, `e.append(Object.assign(document.createElement("img"), { alt: said }))`,
		`e.append(Object.assign(document.createElement("input"), { type: "submit", value: said }))`, `e.append(Object.assign(document.createElement("button"), { value: said, textContent: said }))`,
		`e.append(Object.assign(document.createElement("input"), { placeholder: said }))`, `e.append(Object.assign(document.createElement("template"), { innerHTML: "<p>" + said + "</p>" }))`,
		`e.attachShadow({mode: "open"}).textContent = said`, `document.title = said`)
	fmt.Fprintf(&a.script, "{ const said = %s, e = document.body.appendChild(document.createElement(%q)); %s; }\n", quoted(echo), pick("p", "div", "section"), where)
}

// holds returns what of the page's typed texts is in the copy, in any case, spacing or escape.
func (a *anyPage) holds(html string) string {
	plain := strings.ToLower(strings.Join(strings.Fields(html), " "))
	for _, word := range a.typed {
		word = strings.ToLower(word)
		for _, form := range []string{word, url.PathEscape(word), url.QueryEscape(word)} {
			if strings.Contains(plain, strings.ToLower(form)) {
				return form
			}
		}
	}
	return ""
}

// copiesNothingTyped is the case that no copy of any page holds what was typed in it.
func copiesNothingTyped() Case {
	return Case{Name: pageCopy + "/has nothing that was typed, of any page", HTML: `<p>x</p>`, Run: func(p *Page) {
		for seed := range uint64(harness.Times(25, 500)) {
			made := newAnyPage(seed)
			p.eval(`(document.title = "Any", document.body.innerHTML = ` + quoted(made.html.String()) + `, Function(` + quoted(made.script.String()) + `)(), 1)`)
			html, _ := copied(p)
			if form := made.holds(html); form != "" {
				raw, _ := json.Marshal(made.typed)
				p.Errorf("seed %d: of %s the copy holds %q:\n%s\n%s", seed, raw, form, made.script.String(), html)
			}
		}
	}}
}
