package e2e

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

// barHost is the element of the bar; what is in it no page script can read.
const barHost = `document.querySelector("[data-actions-json-attachment=actions-json-work]")`

// barMap has an action that presses what lies below the bar, and one that takes a picture.
const barMap = `{"protocol":"actions.json","version":1,"tools":[
	{"name":"shop.order","description":"Order.","input_schema":{"type":"object"},"workflow":{"version":1,"expression_language":"jsonata","output":"done","steps":[
		{"id":"wait","primitive":"locator.wait_for","args":{"locator":{"selector":"#never"},"timeout_ms":1500},"on_error":"continue"},
		{"id":"press","primitive":"locator.click","args":{"locator":{"selector":"#b"}}},
		{"id":"rest","primitive":"locator.wait_for","args":{"locator":{"selector":"#never"},"timeout_ms":30000}}]}},
	{"name":"shop.look","description":"Look.","input_schema":{"type":"object"},"workflow":{"version":1,"expression_language":"jsonata","output":"{% steps.read.output %}","steps":[
		{"id":"wait","primitive":"locator.wait_for","args":{"locator":{"selector":"#never"},"timeout_ms":1500},"on_error":"continue"},
		{"id":"shot","primitive":"browser.screenshot","args":{"format":"png"}},
		{"id":"read","primitive":"page.snapshot","args":{}}]}}]}`

// barPlaces notes each right edge that the bar has had.
const barPlaces = `<script>
const places = new Set(), look = () => {
	const { right, width } = document.querySelector("[data-actions-json-attachment=actions-json-work]")?.getBoundingClientRect() ?? { width: 0 };
	if (width > 0) places.add(right);
	requestAnimationFrame(look);
};
look();
</script>`

func TestBarKeepsClearOfThePane(t *testing.T) {
	// Ensure that the bar does not lie over the pane, wherever the pane is in the bar's way.
	t.Parallel()
	home := harness.NewHome(t)
	home.Map(t, "public", harness.Site(t), "shop", barMap)
	url, _ := pages(t, map[string]string{"/": `<title>Shop</title>`})
	b := home.Open(t, url)
	harness.Must(t, home.Call(t, "overlay.menu.show", `{}`), nil)
	doc := pageAt(t, b, url+"/")
	showActions(t, ownPage(t, b, optionsURL))
	doc.bringToFront()
	for _, left := range []int{120, 420, 480, 800} {
		harness.Must(t, home.Call(t, "overlay.menu.move", fmt.Sprintf(`{"left":%d,"top":12}`, left)), nil)
		done := background(t, home, "call", "locator.wait_for", `{"locator":{"selector":"#never"},"timeout_ms":1500}`, "--json")
		doc.until("the bar is shown", `!!`+barHost+`?.matches(":popover-open")`)
		if got := eval[string](doc, `(() => { const bar = `+barHost+`.getBoundingClientRect(), [left, top, width, height] = `+paneBox+`;
			return bar.right < left || bar.left > left + width || bar.top > top + height ? "" : JSON.stringify([bar, left, top, width, height]); })()`); got != "" {
			t.Errorf("the pane at %d: %s", left, got)
		}
		picture(t, doc, "bar-beside-pane", nil)
		<-done
	}
}

func TestBarInThePage(t *testing.T) {
	// Ensure that a bar says in the page that an agent works there, that it is in no picture and no reading of the agent's, that an agent's click on what lies below reaches the page and stops nothing, that its button stays where it is while steps come and go, that the user's click on it ends the call, and that it goes with the call.
	home := harness.NewHome(t)
	home.Map(t, "public", harness.Site(t), "shop", barMap)
	url, rec := pages(t, map[string]string{"/": `<title>Shop</title><body style="margin:0;background:#fff"><button id=b style="position:fixed;top:0;left:0;width:100%;height:60px" onclick="fetch('/clicked',{method:'POST'})">More</button><p style="margin-top:80px">Tea</p>` + barPlaces})
	b := home.Open(t, url)
	doc := pageAt(t, b, url+"/")
	before := screenshot(t, home)
	showActions(t, ownPage(t, b, optionsURL))
	popup := ownPage(t, b, popupURL)
	doc.bringToFront()
	shown := `!!` + barHost + `?.matches(":popover-open")`

	done := background(t, home, "site", "call", "shop.look", `{}`, "--json")
	harness.Until(t, "the bar is shown", func() bool { return eval[bool](doc, shown) })
	picture(t, doc, "bar", nil)
	look := <-done
	harness.Must(t, look, nil)
	if text := string(look.Output); strings.Contains(text, "Stop") || !strings.Contains(text, "Tea") {
		t.Errorf("the agent reads %s", text)
	}
	if shot := look.Picture(); shot == "" || !bytes.Equal(pixels(t, decodePicture(t, shot)), pixels(t, before)) {
		t.Error("the bar is in the agent's picture, or there is none")
	}
	harness.Until(t, "the bar goes with the call", func() bool { return !eval[bool](doc, shown) })

	done = background(t, home, "site", "call", "shop.order", `{}`, "--json")
	harness.Until(t, "the bar is shown again", func() bool { return eval[bool](doc, shown) })
	harness.Until(t, "the agent's click reaches the page below the bar", func() bool { return len(received(rec, "POST", "/clicked")) == 1 })
	harness.Until(t, "the bar is back", func() bool {
		return eval[string](doc, fmt.Sprintf(`(() => { const r = %s?.getBoundingClientRect(); return r ? document.elementFromPoint(r.right - 20, r.top + r.height / 2)?.dataset.actionsJsonAttachment ?? "" : ""; })()`, barHost)) == "actions-json-work"
	})
	select {
	case got := <-done:
		t.Fatalf("the agent's own click ended it: %+v", got.Error)
	default:
	}
	at := eval[[2]float64](doc, fmt.Sprintf(`(r => [r.right - 20, r.top + r.height / 2])(%s.getBoundingClientRect())`, barHost))
	doc.mouseAt(at[0], at[1])
	got := <-done
	wantCode(t, got, fault.Cancelled)
	if got.Error.Evidence["face"] != "page" {
		t.Errorf("the caller is told %+v", got.Error)
	}
	if n := len(received(rec, "POST", "/clicked")); n != 1 {
		t.Errorf("the page got %d clicks", n)
	}
	harness.Until(t, "the bar is gone", func() bool { return !eval[bool](doc, shown) })
	if places := eval[[]float64](doc, `[...places]`); len(places) != 1 {
		t.Errorf("the right edge of the bar was at %v", places)
	}
	goOn(popup)
}

func TestBarGoesWithALostHost(t *testing.T) {
	// Ensure that the bar of a call goes when the host that ran it has died and another one is there.
	t.Parallel()
	home := harness.NewHome(t)
	url, _ := pages(t, map[string]string{"/": `<title>Shop</title>`})
	b := home.Open(t, url)
	doc := pageAt(t, b, url+"/")
	showActions(t, ownPage(t, b, optionsURL))
	doc.bringToFront()
	done := background(t, home, "call", "locator.wait_for", `{"locator":{"selector":"#never"},"timeout_ms":30000}`, "--json")
	doc.until("the bar is shown", `!!`+barHost+`?.matches(":popover-open")`)
	endHost(t, home)
	if e := <-done; e.OK {
		t.Errorf("a call without its host: %+v", e)
	}
	harness.Until(t, "a call goes well again", func() bool { return home.Call(t, "page.info", `{}`).OK })
	doc.until("the bar is gone", `!`+barHost)
}
