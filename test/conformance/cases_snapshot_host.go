package conformance

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// list is a page whose snapshot takes several pages.
const list = `<main></main><script>$("main").innerHTML = Array.from({length: 400}, (_, i) => "<div><button id=b" + i + ">Item number " + i + "</button></div>").join("")</script>`

func snapshotCases() []Case {
	return []Case{
		{Name: shot + "/reads on to the end, every node once, whatever the page does (B1)", HTML: list, Run: func(p *Page) {
			whole := strings.Split(hostTree(p, `{}`), "\n")
			out := p.ok(shot, `{"max_chars":2000}`)
			p.is(out, "node_count", fmt.Sprint(len(whole)))
			p.is(out, "ref_count", `400`)
			total := out.number("total_chars")
			var read []string
			for range 100 {
				text, _ := out.at("snapshot").(string)
				if len(text) > 2000 {
					p.Fatalf("%d characters", len(text))
				}
				read = append(read, strings.Split(text, "\n")...)
				if out.at("truncated") == false {
					break
				}
				p.is(out, "next.name", `"page.snapshot"`)
				p.eval(`$("main").firstChild.remove(); $("main").append("more")`)
				args, err := json.Marshal(out.at("next.arguments"))
				if err != nil {
					p.Fatal(err)
				}
				out = p.ok(shot, string(args))
			}
			if strings.Join(read, "\n") != strings.Join(whole, "\n") || total != float64(len(strings.Join(whole, "\n"))) {
				p.Errorf("read %d of %d nodes, %v characters", len(read), len(whole), total)
			}
			p.is(out, "truncated", `false`)
		}},
		{Name: shot + "/advises to narrow instead of a larger limit (B3)", HTML: list, Run: func(p *Page) {
			for _, args := range []string{`{"max_chars":1000}`, `{"max_chars":1000000}`} {
				if advice, _ := p.ok(shot, args).at("advice").(string); !strings.Contains(advice, "interactive") {
					p.Errorf("%s: %q", args, advice)
				}
			}
			p.fails(shot, `{"max_chars":10}`, fault.InvalidInput)
			p.fails(shot, `{"cursor":"77:1"}`, fault.InvalidArguments)
			p.fails(shot, `{"cursor":"77:1","interactive":true}`, fault.InvalidArguments)
		}},
		{Name: shot + "/tells what changed since the last one", HTML: `<main aria-label=Shop><h1>Teas</h1><ul id=l><li>Green<li>Black</ul><button id=b>Buy</button><p id=p>0 bought</p></main>`, Run: func(p *Page) {
			out := p.ok(shot, `{"diff":true}`)
			if advice, _ := out.at("advice").(string); !strings.Contains(advice, "no earlier snapshot") || out.at("snapshot") == nil {
				p.Errorf("the first: %v", out.value)
			}
			out = p.ok(shot, `{"diff":true}`)
			p.is(out, "unchanged", `true`)
			p.is(out, "diff", `""`)
			p.eval(`$("#l").append(Object.assign(document.createElement("li"), {textContent: "White"})); $("#l").firstChild.remove(); $("#b").disabled = true; $("#p").textContent = "1 bought"`)
			p.fails(shot, `{"diff":true,"locator":{"selector":"#none"}}`, fault.TargetNotFound)
			out = p.ok(shot, `{"diff":true}`)
			text, _ := out.at("diff").(string)
			p.tree(text, `
  - main "Shop":
    - list:
-     - listitem: Green
+     - listitem: White
~   - button "Buy" [ref=1] [disabled]
~   - paragraph: 1 bought`)
			p.is(out, "changed", `2`)
			p.is(out, "snapshot", `null`)
			if other := p.ok(shot, `{"diff":true,"interactive":true}`); other.at("snapshot") == nil {
				p.Errorf("other options: %v", other.value)
			}
		}},
		{Name: shot + "/a ref of an earlier document is stale and the nearest is offered (B6)", HTML: `<button>Buy tea</button><button>Other</button>`, Run: func(p *Page) {
			old := p.refOf(hostTree(p, `{}`), `"Buy tea"`)
			p.ok(navigate, `{"reload":true}`)
			out := p.fails("locator.text_content", ref(old), fault.StaleRef)
			p.is(out, "reason", `"documentChanged"`)
			p.is(out, "nearest.0.name", `"Buy tea"`)
			again, _ := out.at("nearest.0.ref").(string)
			p.is(p.ok("locator.text_content", ref(again)), "text", `"Buy tea"`)
			p.is(p.fails("locator.text_content", ref("zzz1"), fault.StaleRef), "nearest", `[]`)
		}},
		{Name: shot + "/waits for frames that come with their page", Run: func(p *Page) {
			for _, ms := range []int{300, 4000} {
				html := fmt.Sprintf(`<h1>Around</h1><iframe title=Far src="%s/slow?ms=%d"></iframe>`, p.Site.other, ms)
				p.ok("browser.navigate", fmt.Sprintf(`{"url":%q,"force":true}`, p.Site.server.URL+inside(html)))
				text, _ := p.ok(shot, `{}`).at("snapshot").(string)
				came := strings.Contains(text, "at last")
				// Of a frame that takes longer than a second it is said that it is missing, also where the machine makes it so slow.
				late := ms > 1000
				if !came && !late {
					p.backend.Eval(p.T, `(async () => {
						while (document.readyState !== "complete") await new Promise(done => setTimeout(done, 20));
						const times = performance.getEntriesByType("navigation")[0];
						return times.loadEventStart - times.domInteractive > 1000;
					})()`, &late)
				}
				missing := strings.Contains(text, "left out") || strings.Contains(text, "[loading]")
				if !strings.Contains(text, `iframe "Far"`) || came == missing || missing && !late || came && ms > 1000 {
					p.Errorf("a frame that takes %d ms:\n%s", ms, text)
				}
			}
		}},
		{Name: shot + "/reaches closed shadow roots and frames of any origin by ref (B13)", HTML: `<x-closed></x-closed>
			<iframe title=Near src="{{SAME}}` + inside(`<button>Near button</button>`) + `"></iframe>
			<iframe title=Far src="{{OTHER}}` + inside(`<form aria-label=Pay><input type=password aria-label=PIN value=1234><button>Far button</button></form>`) + `"></iframe>
			<script>$("x-closed").attachShadow({mode:"closed"}).innerHTML = "<button>Closed button</button>"</script>`, Run: func(p *Page) {
			out := p.ok(shot, `{}`)
			text, _ := out.at("snapshot").(string)
			for name, lines := range map[string]string{"same": p.Site.server.URL, "other": p.Site.other} {
				host := strings.TrimPrefix(lines, "http://")
				if !strings.Contains(text, "[host="+host+"]:\n  - ") {
					p.Errorf("the %s frame's host %s is not shown in\n%s", name, host, text)
				}
			}
			for _, name := range []string{"Closed button", "Near button", "Far button"} {
				r := p.refOf(text, name)
				p.is(p.ok("locator.text_content", ref(r)), "text", fmt.Sprintf("%q", name))
				p.is(p.ok(info, ref(r)), "clickable", `true`)
			}
			p.is(p.ok("locator.value", ref(p.refOf(text, `"PIN"`))), "redacted", `true`)
			p.is(out, "secrets_redacted", `1`)
			p.is(out, "ref_count", `7`)
			p.is(out, "frames.length", `1`)
			p.is(out, "frames.0.origin", fmt.Sprintf("%q", p.Site.other))
			if strings.Contains(text, "1234") {
				p.Error("the PIN stands in it")
			}
			inner, _ := p.ok(shot, `{"frame":{"host":"localhost"}}`).at("snapshot").(string)
			if !strings.HasPrefix(inner, `- form "Pay"`) {
				p.Errorf("the frame alone is\n%s", inner)
			}
		}},
		{Name: shot + "/leaves out frames that nobody sees", HTML: `<main aria-label=Shop><p>Hi</p>` + frame(`id=o style="width:0;height:0;border:0"`, `<button>Track</button>`) + `
			<iframe style="width:0;height:0;border:0" srcdoc="<button>Delete all</button><p>Paid</p>"></iframe><iframe style="visibility:hidden" srcdoc="<button>Delete all</button><p>Paid</p>"></iframe>
			<iframe aria-hidden=true srcdoc="<p>Decoration</p>"></iframe><iframe role=presentation title=Map srcdoc="<button>Zoom</button>"></iframe></main>`, Run: func(p *Page) {
			p.settles(`[...document.querySelectorAll("iframe[srcdoc]")].every(f => f.contentDocument?.readyState === "complete" && f.contentDocument.body.childElementCount > 0)`, `true`)
			out := p.ok(shot, `{}`)
			text, _ := out.at("snapshot").(string)
			for _, unseen := range []string{"Track", "Delete all", "Paid", "Decoration", "host="} {
				if strings.Contains(text, unseen) {
					p.Errorf("%s is shown in\n%s", unseen, text)
				}
			}
			if !strings.Contains(text, `main "Shop"`) || !strings.Contains(text, `iframe "Map"`) || !strings.Contains(text, `button "Zoom"`) {
				p.Errorf("the snapshot is\n%s", text)
			}
			if frames, _ := out.at("frames").([]any); len(frames) != 0 {
				p.Errorf("frames: %v", frames)
			}
		}},
		{Name: shot + "/takes the next document of a known frame for itself", HTML: logMessages + frame(`id=o title=Far`, `<button>First</button>`), Run: func(p *Page) {
			p.is(p.ok(shot, `{}`), "frames.0.origin", fmt.Sprintf("%q", p.Site.other))
			p.eval(`$("#o").sandbox = "allow-scripts", $("#o").src = $("#o").src.replace("First", "Second") + "<script>top.postMessage('loaded', '*')</" + "script>", 1`)
			p.settles(`log`, `["loaded"]`)
			p.is(p.ok(shot, `{}`), "frames.0.origin", `"null"`)
			third := strings.Replace(p.Site.other, "localhost", "third.localhost", 1)
			p.eval(`$("#o").removeAttribute("sandbox"), $("#o").src = $("#o").src.replace("` + p.Site.other + `", "` + third + `").replace("Second", "Third"), 1`)
			p.settles(`log`, `["loaded","loaded"]`)
			out := p.ok(shot, `{}`)
			p.is(out, "frames.0.origin", fmt.Sprintf("%q", third))
			if text, _ := out.at("snapshot").(string); !strings.Contains(text, `button "Third"`) {
				p.Errorf("the third document is not in\n%s", text)
			}
		}},
		{Name: shot + "/says that something lies over the page (B7)", HTML: `<button>Under</button><dialog id=d aria-label=Sure><button>Yes</button></dialog>`, Run: func(p *Page) {
			p.is(p.ok(shot, `{}`), "modal", `null`)
			p.eval(`$("#d").showModal()`)
			out := p.ok(shot, `{}`)
			p.is(out, "modal", `true`)
			if text, _ := out.at("snapshot").(string); !strings.HasPrefix(text, `- dialog "Sure"`) {
				p.Error(text)
			}
		}},
	}
}
