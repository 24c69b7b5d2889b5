package conformance

import (
	"fmt"
	"strings"
)

// targetCases are those of what gets a ref, and how what has no name is told apart.
func targetCases(of string, tree func(p *Page, args string) string) []Case {
	return []Case{
		{Name: of + "/gives each target in another its ref", HTML: `<style>.p{cursor:pointer}</style>
			<input aria-label=City><ul tabindex=0><li class=p><div tabindex=-1>Ada</div><li class=p><div tabindex=-1>Bor</div></ul>
			<div class=p><b>Bob</b> <span>Lunch</span> <i class="p trash"></i><i class="p star"></i></div>
			<div class=p><span class=p>Reply</span> <span class=p>Forward</span></div>
			<ul role=tree><li role=treeitem aria-expanded=false><span class="p sw"></span><span class=p>Node</span></ul>
			<ul role=menu><li role=menuitem class=p><span class="p icon"></span><span class=p>Open</span></ul>
			<button class=p><span class=p>Go</span></button><div class=p><button>Only</button></div>`, Run: func(p *Page) {
			p.tree(tree(p, `{"interactive":true}`), `
- textbox "City" [ref=1]
- list [ref=2]:
  - listitem [ref=3]: Ada
  - listitem [ref=4]: Bor
- generic "Bob Lunch" [ref=5]:
  - generic [ref=6] [hint=p.trash]
  - generic [ref=7] [hint=p.star]
- generic [ref=8]:
  - generic [ref=9]: Reply
  - generic [ref=10]: Forward
- treeitem [ref=11] [expanded=false]:
  - generic [ref=12] [hint=p.sw]
  - generic [ref=13]: Node
- menu:
  - menuitem "Open" [ref=14]
- button "Go" [ref=15]
- button "Only" [ref=16]`)
		}},
		{Name: of + "/gives cells, headers and what can be dragged a ref", HTML: `<div role=grid><div role=row><div role=columnheader>Age</div><div role=columnheader tabindex=-1>Name</div>
			<div role=columnheader><i style="cursor:ew-resize"></i><div style="cursor:pointer"><span style="cursor:pointer">Price</span> <i style="cursor:pointer"></i></div></div>
			<div role=columnheader><input type=checkbox aria-label=All> <span>Kind</span></div></div>
			<div role=row><div role=gridcell tabindex=-1>4</div><div role=gridcell></div></div><div role=row><div role=gridcell><button>Edit</button></div></div></div>
			<ul><li draggable=true>A<li draggable=true>B</ul>
			<div role=toolbar><div tabindex=0>Bold</div><div tabindex=-1>Italic</div></div><h2 tabindex=-1>Where a script goes</h2>`, Run: func(p *Page) {
			p.tree(tree(p, `{}`), `
- grid [ref=1]:
  - row:
    - columnheader "Age" [ref=2]
    - columnheader "Name" [ref=3]
    - columnheader "Price" [ref=4]
    - columnheader "Kind" [ref=5]:
      - checkbox "All" [ref=6]
  - row:
    - gridcell "4" [ref=7]
    - gridcell [ref=8] [place=2 of 2]
  - row:
    - button "Edit" [ref=9]
- list:
  - listitem [ref=10] [draggable]: A
  - listitem [ref=11] [draggable]: B
- toolbar:
  - generic [ref=12]: Bold
  - generic [ref=13]: Italic
- heading "Where a script goes" [level=2]`)
		}},
		{Name: of + "/names a branch by its own part", HTML: `<style>.p{cursor:pointer}ul,.g{padding-left:20px}</style>
			<ul role=tree><li role=treeitem aria-expanded=true id=docs><div class=p>Documents</div><ul role=group><li role=treeitem aria-expanded=true><b class=p></b>Work<ul role=group><li role=treeitem>Plan</ul><li role=treeitem aria-expanded=true>Home <i>(2)</i><ul role=group><li role=treeitem>CV</ul></ul>
			<li role=treeitem aria-expanded=true><b class=p></b><span class=p>Music</span><button>Play</button><ul><li role=treeitem>Jazz</ul>
			<li role=treeitem aria-expanded=true aria-label=Films>Moving pictures<div role=tree><div role=treeitem>Noir</div></div>
			<li role=treeitem aria-expanded=false><div class=p>Closed</div><ul role=group style="display:none"><li role=treeitem>In it</ul></ul>`, Run: func(p *Page) {
			p.tree(tree(p, `{}`), `
- tree [ref=1]:
  - treeitem "Documents" [ref=2] [expanded]:
    - treeitem "Work" [ref=3] [expanded]:
      - generic [ref=4] [hint=p]
      - treeitem "Plan" [ref=5]
    - treeitem "Home (2)" [ref=6] [expanded]:
      - treeitem "CV" [ref=7]
  - treeitem "Music" [ref=8] [expanded]:
    - generic [ref=9] [hint=p]
    - generic [ref=10]: Music
    - button "Play" [ref=11]
    - list:
      - treeitem "Jazz" [ref=12]
  - treeitem "Films" [ref=13] [expanded]:
    - text: Moving pictures
    - tree [ref=14]:
      - treeitem "Noir" [ref=15]
  - treeitem [ref=16] [expanded=false]:
    - generic [ref=17]: Closed`)
			p.ok("locator.wait_for", `{"locator":{"role":"treeitem","name":"Home (2)"},"timeout_ms":0}`)
		}},
		{Name: of + "/gives what is drawn for a pointer alone its ref", HTML: pointerOnly, Run: func(p *Page) {
			p.tree(tree(p, `{}`), `
- spinbutton "Count" [ref=1]: "1"
- button [ref=2] [color=#efefef] [hint=up]
- button [ref=3] [color=#efefef] [hint=down]
- generic [ref=4]: "+"
- text: Green tea
- img [ref=5] [color=#000000] [hint=cross]
- text: Black
- generic [ref=6]: Clear
- button "Go" [ref=7]
- button "Oolong" [ref=8]:
  - img [ref=9] [hint=remove]
- listbox [ref=10]:
  - option "Assam" [ref=11]:
    - img [ref=12] [hint=drop]
- combobox "Kind" [ref=13]: Herbs
- checkbox "Hot" [ref=14]
- text: Far
- button [ref=15] [color=#efefef] [hint=far]
- tooltip: A cup a day`)
			p.eval(`document.body.insertAdjacentHTML("beforeend", "<div style='position:fixed;inset:0;background:#fff'><button>In front</button></div>")`)
			p.tree(tree(p, `{"interactive":true}`), `
- spinbutton "Count" [ref=1]: "1"
- button "Go" [ref=7]
- button "Oolong" [ref=8]
- listbox [ref=10]:
  - option "Assam" [ref=11]
- combobox "Kind" [ref=13]: Herbs
- checkbox "Hot" [ref=14]
- button [ref=15] [color=#efefef] [hint=far]
- button "In front" [ref=16]`)
		}},
		{Name: of + "/says what a control without a name looks like", HTML: `<style>b{cursor:pointer;display:inline-block;width:16px;height:16px}.st{content:url(/img/star.png)}</style>
			<b style="background:red"></b><b style="background:url(/a/trash.svg?v=1)"></b><b class=st></b><b id=late></b><b></b><b title=Delete></b>
			<button><img src="/x/edit.png"></button><svg width=60 height=20><circle onclick=1 cx=9 cy=9 r=8 fill="#0f0"></circle><rect onclick=1 id="a] [ref=x1" width=9 height=9></rect></svg>`, Run: func(p *Page) {
			p.tree(tree(p, `{}`), `
- generic [ref=1] [color=#ff0000] [place=1 of 8]
- generic [ref=2] [image=trash.svg]
- generic [ref=3] [image=star.png] [hint=st]
- generic [ref=4] [hint=late]
- generic [ref=5] [place=5 of 8]
- generic "Delete" [ref=6]
- button [ref=7] [image=edit.png]
- generic [ref=8] [color=#00ff00] [place=1 of 2]
- generic [ref=9] [color=#000000] [hint=a_ref_x1]`)
		}},
		{Name: of + "/lists the drawn one of two lists", HTML: `<style>.row{cursor:pointer}</style><div role=combobox tabindex=0 aria-label=Who aria-controls=l></div>
			<div id=l role=listbox style="width:0;height:0;overflow:hidden"><div role=option>Jack</div><div role=option>Lucy</div></div>
			<div><div class=row title=Jack><div>Jack</div></div><div class=row><div>Tom</div></div></div>
			<div><select id=hid aria-label=Hidden style="position:absolute;width:1px;height:1px;opacity:0"><option>One</select><button>Drawn</button></div>
			<div style="position:relative"><select aria-label=Over style="position:absolute;inset:0;opacity:0"><option>Two</select><button>Picture</button></div>
			<select aria-label=Cup><option>Small<option style="display:none">Gone<option hidden>Never</select>`, Run: func(p *Page) {
			p.tree(tree(p, `{}`), `
- combobox "Who" [ref=1]
- generic "Jack" [ref=2]
- generic [ref=3]: Tom
- button "Drawn" [ref=4]
- combobox "Over" [ref=5] [options="Two"]: Two
- button "Picture" [ref=6]
- combobox "Cup" [ref=7] [options="Small"]: Small`)
		}},
		{Name: of + "/leaves out a select that a page hides beside what it draws", HTML: `<style>.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0 0 0 0)}</style>
			<div><div class=sr><select name=city><option>Paris</select></div><span>Paris</span><div role=button aria-haspopup=listbox aria-label=City tabindex=0>v</div></div>
			<div><div class=sr><select aria-label=Lone><option>One</select></div><div class=sr><input aria-label=Helper aria-haspopup=listbox></div></div>`, Run: func(p *Page) {
			p.tree(tree(p, `{}`), `
- text: Paris
- button "City" [ref=1] [haspopup=listbox]
- combobox "Lone" [ref=2] [options="One"]: One
- textbox "Helper" [ref=3] [haspopup=listbox]`)
		}},
		{Name: of + "/says what opens a list and what is sorted", HTML: `<input aria-label=City aria-haspopup=listbox readonly value=Paris><div role=combobox aria-label=Cup aria-haspopup=listbox tabindex=0></div>
			<button aria-haspopup=true>More</button><button aria-haspopup=tree>Less</button><p aria-haspopup=listbox>Text</p>
			<table><tr><th aria-sort=descending>Age<th aria-sort=none>Name<tr><td>4<td>Ada</table>`, Run: func(p *Page) {
			p.tree(tree(p, `{}`), `
- textbox "City" [ref=1] [haspopup=listbox] [readonly]: Paris
- combobox "Cup" [ref=2]
- button "More" [ref=3]
- button "Less" [ref=4] [haspopup=tree]
- paragraph: Text
- table [ref=5]:
  - row:
    - columnheader "Age" [ref=6] [sort=descending]
    - columnheader "Name" [ref=7]
  - row:
    - cell "4"
    - cell "Ada"`)
		}},
	}
}

// pointerOnly holds things that a person presses and a screen reader is not told of, and others that
// nobody presses, or that do what the control around them does.
const pointerOnly = `<style>svg{width:16px;height:16px}.p{cursor:pointer}.off{position:fixed;top:0;opacity:0;pointer-events:none}.cut{height:0;overflow:hidden}</style>
	<input role=spinbutton aria-label=Count value=1><span aria-hidden=true><button id=up tabindex=-1><svg></svg></button><button id=down tabindex=-1><svg></svg></button><button disabled>0</button></span><b class=p id=more aria-hidden=true>&nbsp;+&nbsp;</b>
	<div>Green <i aria-hidden=true>•</i> tea <svg class=p id=cross aria-hidden=true><path class=p d="M0 0h16v16H0z"></path></svg></div>
	<div>Black <i aria-hidden=true><div>not read</div> <span class=p id=clear>Clear</span></i></div>
	<button class=p>Go <svg class=p aria-hidden=true><path class=p d="M0 0h9v9H0z"></path></svg></button>
	<span tabindex=0 aria-hidden=true></span><span tabindex=0 aria-hidden=true class=off>guard</span><select aria-hidden=true tabindex=-1><option>Twin</select><a href="/x" aria-hidden=true>picture</a>
	<div role=button tabindex=0 style="cursor:default">Oolong <svg class=p id=remove aria-hidden=true></svg></div><ul role=listbox><li role=option style="cursor:default">Assam <svg class=p id=drop aria-hidden=true></svg></ul>
	<div role=combobox tabindex=0 aria-label=Kind>Herbs<svg class=p aria-hidden=true></svg></div><label><input type=checkbox> Hot <i class=p aria-hidden=true>v</i></label><b class=p aria-hidden=true style="display:inline-block;width:16px;height:16px"><!-- no icon --><b style="display:none">x</b></b>
	<div class=cut><div aria-hidden=true><button>Closed</button></div></div><div aria-hidden=true style="height:300px"><button>Behind</button></div>
	<div style="margin-top:2000px">Far <button id=far aria-hidden=true tabindex=-1></button></div>
	<div role=tooltip aria-hidden=true style="height:150px">A cup a day</div><div role=tooltip aria-hidden=true style="opacity:0">Not shown</div>
	<script>addEventListener("click", e => log.push(e.target.closest("[id]")?.id))</script>`

// nested opens so many elements in one another around a button.
func nested(levels int, open string) string {
	return fmt.Sprintf(`<button>Before</button><div id=r></div><script>let e = $("#r"); for (let i = 0; i < %d; i++) { const d = document.createElement("div"); %s; e = e.appendChild(d) }
		e.innerHTML = "<button>Deep</button>"</script>`, levels, open)
}

// depthCases are those of what is nested too deeply.
func depthCases() []Case {
	deep := func(incomplete bool) func(p *Page) {
		return func(p *Page) {
			out := p.ok(document, `{}`)
			p.is(out, "incomplete", fmt.Sprint(incomplete))
			if text := documentTree(p, `{}`); !strings.Contains(text, `button "Before"`) || strings.Contains(text, `button "Deep"`) == incomplete {
				p.Errorf("%.300s", text)
			}
		}
	}
	return []Case{
		{Name: document + "/sees through hundreds of elements that are no lines", HTML: nested(450, ""), Run: deep(false)},
		{Name: document + "/says that what is nested too deeply is left out", HTML: nested(1200, ""), Run: deep(true)},
		{Name: document + "/says that too many levels of lines are left out", HTML: nested(450, `d.role = "group"; d.ariaLabel = "g"`), Run: deep(true)},
	}
}
