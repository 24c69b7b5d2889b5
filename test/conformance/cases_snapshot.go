package conformance

import (
	_ "embed"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	shot     = "page.snapshot"
	document = "snapshot.document"
)

var (
	//go:embed testdata/rich.html
	richPage string
	//go:embed testdata/rich.yaml
	richTree string
)

// treeCases are those of the tree itself: of the page code alone, which writes
// it, and of the whole chain.
func treeCases(of string, tree func(p *Page, args string) string) []Case {
	return []Case{
		{Name: of + "/writes a rich page", HTML: richPage, Run: func(p *Page) {
			if diff := cmp.Diff(richTree, unnumbered(tree(p, `{}`))+"\n"); diff != "" {
				p.Errorf("-want +got\n%s", diff)
			}
		}},
		{Name: of + "/keeps to controls and what tells which", HTML: `<h1>Teas</h1><p>Much to read.</p><main><p>More to read.</p>
			<table><tr><td>Sencha<td>4 left<td><button>Buy</button></table><ul><li>Oolong <button>Buy</button><li>Gone</ul>
			<section aria-label=Empty>Nothing to do</section><div role=alert>Closed today</div></main>`, Run: func(p *Page) {
			p.tree(tree(p, `{"interactive":true}`), `
- heading "Teas" [level=1]
- main:
  - row "Sencha 4 left":
    - button "Buy" [ref=1]
  - listitem "Oolong":
    - button "Buy" [ref=2]
  - alert: Closed today`)
			for _, shown := range []string{`"row","name":"Sencha 4 left"`, `"listitem","name":"Oolong"`} {
				p.ok("locator.wait_for", `{"locator":{"role":`+shown+`},"timeout_ms":0}`)
			}
		}},
		{Name: of + "/tells what a label does not say", HTML: `<a href=# aria-label="Blue shoes"><b>Blue shoes</b> <span>€49.90, sold out</span></a><button aria-label=Cancel>Delete account</button>
			<button aria-label=Close>×</button><a href=# aria-label="Open Sencha tea">Sencha</a>
			<label><span role=checkbox aria-checked=false tabindex=0></span><input type=checkbox aria-hidden=true tabindex=-1 style="position:absolute;opacity:0">Accept the terms</label>
			<label>Delete all my data <input type=checkbox aria-label=Agree></label><label>Keep <input type=checkbox></label>
			<button aria-label=关闭窗口>关闭</button><label>Cup <select aria-label="Cup size"><option>Small</select></label>`, Run: func(p *Page) {
			p.tree(tree(p, `{}`), `
- link "Blue shoes" [ref=1]: Blue shoes €49.90, sold out
- button "Cancel" [ref=2]: Delete account
- button "Close" [ref=3]
- link "Open Sencha tea" [ref=4]
- checkbox [ref=5] [place=1 of 2]
- text: Accept the terms Delete all my data
- checkbox "Agree" [ref=6]
- checkbox "Keep" [ref=7]
- button "关闭窗口" [ref=8]
- combobox "Cup size" [ref=9] [options="Small"]: Small`)
		}},
		{Name: of + "/names a field by its label once", HTML: `<label style="cursor:pointer"><span>Email</span><p><b>work</b> only</p><input></label><label for=p><span>Phone</span> <a href=#>Why?</a></label><input id=p>
			<label><img alt=Visa><span>Card</span><input type=radio></label><label for=none><span>Loose</span></label> <label><span>Hidden</span><input style="display:none"></label>
			<label><input type=checkbox id=long><span>` + strings.Repeat("I agree ", 20) + `</span></label>
			<label><div><input aria-label=Amount><span>at least 10</span></div></label> <label><span>Mail <button aria-label=Help>?</button></span><input></label>
			<label><x-agree></x-agree><span>Yes</span></label> <label><span>City <i aria-hidden=true>pin</i></span><input></label>
			<script>customElements.define("x-agree", class extends HTMLElement { static formAssociated = true; constructor() { super(); this.attachInternals() } })</script>`, Run: func(p *Page) {
			// Ensure that the text of a label is no line beside that of its field, whatever it stands in, unless the field does not say it all.
			p.tree(tree(p, `{}`), `
- textbox "Email work only" [ref=1]
- link "Why?" [ref=2]
- textbox "Phone Why?" [ref=3]
- img "Visa"
- radio "Visa Card" [ref=4]
- text: Loose Hidden
- checkbox "`+strings.Repeat("I agree ", 14)+`I agree…" [ref=5]
- text: `+strings.TrimSpace(strings.Repeat("I agree ", 20))+`
- textbox "Amount" [ref=6]
- text: at least 10
- text: Mail
- button "Help" [ref=7]
- textbox [ref=8]
- text: "Yes"
- textbox "City" [ref=9]`)
		}},
		{Name: of + "/takes a part of the page", HTML: `<button>Out</button><form id=f aria-label=Order><input aria-label=Name value=Ann></form>
			<select id=s aria-label=Cup><option>Small<option selected>Large<option disabled>None</select>`, Run: func(p *Page) {
			p.tree(tree(p, `{"locator":{"selector":"#f"}}`), `
- form "Order" [ref=1]:
  - textbox "Name" [ref=2]: Ann`)
			p.tree(tree(p, `{"locator":{"selector":"#s"}}`), `
- combobox "Cup" [ref=3] [options="Small | Large | None"]:
  - option "Small"
  - option "Large" [selected]
  - option "None" [disabled]`)
		}},
		{Name: of + "/puts what lies over the page first", HTML: `<main><button id=under>Under</button>
			<dialog id=d aria-label=Sure><button>Yes</button></dialog></main>
			<div id=p popover>Tip <button>Close</button></div><div id=m role=dialog aria-modal=true aria-label=Gone style="display:none"><button>No</button></div>`, Run: func(p *Page) {
			p.tree(tree(p, `{}`), `
- main:
  - button "Under" [ref=1]`)
			p.eval(`$("#p").showPopover()`)
			p.tree(tree(p, `{}`), `
- generic [popover]:
  - text: Tip
  - button "Close" [ref=2]
- main:
  - button "Under" [ref=1]`)
			p.eval(`$("#p").hidePopover(); $("#d").showModal()`)
			p.tree(tree(p, `{}`), `
- dialog "Sure" [ref=3] [modal]:
  - button "Yes" [ref=4] [active]
- main:
  - button "Under" [ref=1]`)
		}},
		{Name: of + "/tells of secrets their presence and rough length only (B11)", HTML: `
			<label>Password <input type=password value="tea-4-two"></label><input autocomplete="section-a one-time-code" aria-label=Code value=998877>
			<input autocomplete=cc-number aria-label=Card value="4111 1111 1111 1111"><input autocomplete=cc-csc aria-label=CVC>
			<input type=password id=shown aria-label=Shown value=once-hidden>
			<table><tr><td>Row with <input type=password aria-labelledby=none value=in-a-row-it-is></table>
			<button aria-labelledby="say pw">x</button><span id=say>Say</span><input id=pw type=password aria-label="" value=never-said>
			<div role=heading>Head <input type=password aria-label="" value=in-a-heading></div>`, Run: func(p *Page) {
			tree(p, `{}`)
			p.eval(`$("#shown").type = "text"`)
			text := tree(p, `{}`)
			for _, secret := range []string{"tea-4", "998877", "4111", "once-hidden", "in-a-row", "never-said", "in-a-heading"} {
				if strings.Contains(text, secret) {
					p.Errorf("%s stands in\n%s", secret, text)
				}
			}
			for _, line := range []string{
				`textbox "Password" [ref=?] [secret=8-15 characters]`, `textbox "Code" [ref=?] [secret=1-7 characters]`,
				`textbox "Card" [ref=?] [secret=16 or more characters]`, `textbox "CVC" [ref=?] [secret=empty]`, `textbox "Shown" [ref=?] [secret=8-15 characters]`,
			} {
				if !strings.Contains(anyRef.ReplaceAllString(text, "[ref=?]"), line) {
					p.Errorf("%s is not in\n%s", line, text)
				}
			}
			p.page(`$("[type=password]").value`, `"tea-4-two"`)
		}},
		{Name: of + "/quotes what could be read as more than text", HTML: `<button aria-label="a: b #c"></button><button aria-label="it's: so"></button>
			<button aria-label='x" [ref=AAA1]&#10;- button "y'></button><p>- not: a list</p><p>null</p><p>true</p><p>12</p><p>'q' "r"</p><p>a &#35;b</p><p>ends:</p><p>&nbsp;&#8232;line</p>`, Run: func(p *Page) {
			p.tree(tree(p, `{}`), `
- 'button "a: b #c" [ref=1]'
- 'button "it''s: so" [ref=2]'
- button "x\" [ref=AAA1] - button \"y" [ref=3]
- paragraph: "- not: a list"
- paragraph: "null"
- paragraph: "true"
- paragraph: "12"
- paragraph: "'q' \"r\""
- paragraph: "a #b"
- paragraph: "ends:"
- paragraph: line`)
		}},
		{Name: of + "/passes through a form that hides its own properties", HTML: `<form id=f><input name=nodeType><input name=localName><input name=getAttribute>
			<input name=checkVisibility><input name=childNodes><input name=hasAttribute><button name=matches>Send</button></form><form><input name=nodeName aria-label=Other></form>`, Run: func(p *Page) {
			text := tree(p, `{}`)
			if !strings.Contains(text, `button "Send"`) || !strings.Contains(text, `textbox "Other"`) || strings.Count(text, "textbox") != 7 {
				p.Error(text)
			}
		}},
		// Ensure that a control without a name is read that stands in a form with fields called children and elements, as of a hotel.
		{Name: of + "/names the place of a control in a form with a field called children", HTML: `<form><input name=children aria-label=Children><input name=elements><input name=pin><button></button></form>`, Run: func(p *Page) {
			if text := tree(p, `{}`); !strings.Contains(text, `textbox "Children"`) || !strings.Contains(text, "place=4 of 4") {
				p.Error(text)
			}
		}},
		{Name: of + "/sees a page of 10,000 elements whole", HTML: `<main></main><script>
			$("main").innerHTML = Array.from({length: 2500}, (_, i) => "<div><p>Item " + i + "</p><span>x</span><button>Buy " + i + "</button></div>").join("")</script>`, Run: func(p *Page) {
			text := tree(p, `{"interactive":true}`)
			last := `button "Buy 2499"`
			if of == shot {
				last = `button "Buy 1500"` // what a page of a snapshot holds at most
			}
			for _, line := range []string{`button "Buy 0"`, last} {
				if !strings.Contains(text, line) {
					p.Errorf("no %s", line)
				}
			}
		}},
		{Name: of + "/refuses what names no part", HTML: `<p>x</p>`, Run: func(p *Page) {
			p.fails(of, `{"locator":{"selector":"#none"}}`, fault.TargetNotFound)
			p.fails(of, `{"locator":{"selector":"["}}`, fault.InvalidSelector)
			p.fails(of, `{"frame":"#none"}`, fault.FrameNotFound)
			p.fails(of, `{"locator":{}}`, fault.InvalidInput)
		}},
	}
}

// documentTree asks the page code, hostTree the host.
func documentTree(p *Page, args string) string {
	p.Helper()
	out := p.ok(document, args)
	var text []string
	for i := range int(out.number("lines.length")) {
		line, _ := out.at("lines." + strconv.Itoa(i)).(string)
		text = append(text, line)
	}
	return strings.Join(text, "\n")
}

func hostTree(p *Page, args string) string {
	p.Helper()
	text, _ := p.ok(shot, strings.Replace(with(args, `"max_chars":64000`), "{,", "{", 1)).at("snapshot").(string)
	return text
}

var anyRef = regexp.MustCompile(`\[ref=([a-z]{3})([0-9]+)\]`)

// unnumbered takes the letters of the document out of the refs.
func unnumbered(tree string) string { return anyRef.ReplaceAllString(tree, "[ref=$2]") }

func (p *Page) tree(got, want string) {
	p.Helper()
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), unnumbered(got)); diff != "" {
		p.Errorf("-want +got\n%s", diff)
	}
}

// refOf finds the ref in the first line that has the text.
func (p *Page) refOf(tree, text string) string {
	p.Helper()
	for line := range strings.SplitSeq(tree, "\n") {
		if m := anyRef.FindStringSubmatch(line); m != nil && strings.Contains(line, text) {
			return m[1] + m[2]
		}
	}
	p.Fatalf("no ref at %s in\n%s", text, tree)
	return ""
}
