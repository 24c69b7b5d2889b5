package conformance

import (
	"fmt"
	"image"
	"slices"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// bands is a page of 30 bands of 100 pixels; band i has the colour (i*8, 10, 200).
const bands = `<style>body{margin:0}.band{height:100px}</style><script>
for (let i = 0; i < 30; i++) document.write("<div class=band id=b" + i + " style='background:rgb(" + i * 8 + ",10,200)'></div>")</script>`

func screenshotCases() []Case {
	return []Case{
		{Name: shoot + "/fits the compact profile", HTML: `<script>document.write("<p>" + Array.from({length: 9000}, () => Math.random().toString(36)).join(" "))</script>`, Run: func(p *Page) {
			out := p.ok(shoot, `{"profile":"compact"}`)
			size := p.image(out).Bounds()
			if largest := max(size.Dx(), size.Dy()); largest > 960 || largest < 600 || out.number("image_bytes") > 180*1024 {
				p.Errorf("%v, %v bytes", size, out.at("image_bytes"))
			}
			p.is(out, "mime_type", `"image/jpeg"`)
			p.is(p.ok(shoot, `{"profile":"compact","format":"png","max_width":320}`), "encoded.width", `320`)
		}},
		{Name: shoot + "/shows one element", HTML: `<style>body{background:rgb(0,0,0)}</style><div style="height:1500px"></div>
<div id=list style="height:150px;width:400px;overflow:auto"><div style="height:700px"></div><div id=in style="width:120px;height:60px;background:rgb(200,0,0)"></div><div style="height:700px"></div></div>
<div id=out style="width:200px;height:100px;background:rgb(0,200,0)"></div>
<iframe id=f style="border:0;width:300px;height:150px;margin:20px" srcdoc="<body style='margin:0;background:white'><div id=framed style='margin:30px;width:90px;height:40px;background:rgb(0,0,200)'></div>"></iframe>
<div style="height:1500px"></div>`, Run: func(p *Page) {
			p.ok("locator.wait_for", `{"locator":{"selector":"#framed","frame":"#f"},"state":"attached"}`)
			for _, e := range []struct {
				locator       string
				width, height int
				r, g, b       uint32
			}{
				{`{"selector":"#out"}`, 200, 100, 0, 200, 0},
				{`{"selector":"#in"}`, 120, 60, 200, 0, 0},
				{`{"selector":"#framed","frame":"#f"}`, 90, 40, 0, 0, 200},
			} {
				out := p.ok(shoot, fmt.Sprintf(`{"format":"png","locator":%s}`, e.locator))
				img := p.image(out)
				if size := img.Bounds(); size.Dx() != e.width || size.Dy() != e.height {
					p.Errorf("%s: %v", e.locator, size)
				}
				for _, at := range []image.Point{{1, 1}, {e.width / 2, e.height / 2}, {e.width - 2, e.height - 2}} {
					coloured(p.T, img, at, e.r, e.g, e.b)
				}
				p.is(out, "clip.clipped", `false`)
			}
			img := p.image(p.ok(shoot, `{"format":"png","locator":{"selector":"#out"},"padding":5}`))
			if img.Bounds().Dx() != 210 || img.Bounds().Dy() != 110 {
				p.Errorf("padded: %v", img.Bounds())
			}
			coloured(p.T, img, image.Pt(7, 7), 0, 200, 0)
			p.fails(shoot, `{"locator":{"selector":"#none"}}`, fault.TargetNotFound)
			p.fails(shoot, `{"locator":{"selector":"#out"},"full_page":true}`, fault.InvalidInput)
		}},
		{Name: shoot + "/shows the whole page", HTML: bands, Run: func(p *Page) {
			out := p.ok(shoot, `{"format":"png","full_page":true}`)
			img := p.image(out)
			if img.Bounds().Dy() != 3000 {
				p.Fatalf("the picture is %v", img.Bounds())
			}
			coloured(p.T, img, image.Pt(50, 50), 0, 10, 200)
			coloured(p.T, img, image.Pt(50, 2950), 232, 10, 200)
			p.is(out, "clip.clipped", `false`)
			p.page(`[scrollY, innerHeight > 500]`, `[0,true]`)
			p.eval(`document.body.insertAdjacentHTML("beforeend", "<div style='height:40000px'></div>")`)
			out = p.ok(shoot, `{"full_page":true,"max_width":80}`)
			p.is(out, "clip.clipped", `true`)
			p.is(out, "clip.height", `8000`)
		}},
		{Name: shoot + "/shows what is in view of a scrolled page", HTML: bands, Run: func(p *Page) {
			p.eval(`scrollTo(0, 1200)`)
			img := p.image(p.ok(shoot, `{"format":"png"}`))
			coloured(p.T, img, image.Pt(50, 50), 96, 10, 200)
			p.page(`scrollY`, `1200`)
		}},
		{Name: shoot + "/hides the fields that hold secrets", HTML: `<style>body{margin:0;background:white}input{display:block;height:40px;width:200px;padding:0;border:0;background:rgb(0,0,200)}</style><input aria-label=Tea><input type=password><input autocomplete=one-time-code>`, Run: func(p *Page) {
			out := p.ok(shoot, `{"format":"png","hide_secrets":true}`)
			img := p.image(out)
			coloured(p.T, img, image.Pt(100, 20), 0, 0, 200)
			coloured(p.T, img, image.Pt(100, 60), 255, 255, 255)
			coloured(p.T, img, image.Pt(100, 100), 255, 255, 255)
			p.is(out, "hidden_fields", `2`)
			out = p.ok(shoot, `{"format":"png"}`)
			coloured(p.T, p.image(out), image.Pt(100, 60), 0, 0, 200)
			p.page(`[...document.querySelectorAll("input")].map(f => getComputedStyle(f).opacity)`, `["1","1","1"]`)
		}},
		{Name: shoot + "/hides selects and editors that hold secrets", HTML: `<style>body{margin:0;background:white}body>*{display:block;appearance:none;height:40px;width:200px;padding:0;border:0;background:rgb(0,0,200)}</style><select aria-label=Tea><option>a</select><select aria-label="Security question"><option>a</select><div contenteditable aria-label=Note>a</div><div contenteditable aria-label=Password>a</div><p role=textbox style="margin:0" aria-label="Secret answer">a</p><output aria-label=Total>a</output>`, Run: func(p *Page) {
			out := p.ok(shoot, `{"format":"png","hide_secrets":true}`)
			img := p.image(out)
			for i, secret := range []bool{false, true, false, true, true, false} {
				want := map[bool][3]uint32{false: {0, 0, 200}, true: {255, 255, 255}}[secret]
				coloured(p.T, img, image.Pt(150, 40*i+20), want[0], want[1], want[2])
			}
			p.is(out, "hidden_fields", `3`)
		}},
	}
}

// coloured fails the test unless the pixel has the colour.
func coloured(t *testing.T, img image.Image, at image.Point, r, g, b uint32) {
	t.Helper()
	gotR, gotG, gotB, _ := img.At(at.X, at.Y).RGBA()
	if got := []uint32{gotR >> 8, gotG >> 8, gotB >> 8}; !slices.Equal(got, []uint32{r, g, b}) {
		t.Errorf("the pixel at %v is %v, not %v", at, got, []uint32{r, g, b})
	}
}

func boxCases() []Case {
	return []Case{
		{Name: "locator.box/brings the element into view and gives its box", HTML: `<div style="height:2000px"></div><div id=a style="width:50px;height:40px;margin:10px"></div>`, Run: func(p *Page) {
			out := p.ok("locator.box", `{"locator":{"selector":"#a"}}`)
			p.is(out, "box.width", `50`)
			p.page(fmt.Sprintf(`Math.abs($("#a").getBoundingClientRect().top - %v) < 1 && scrollY > 0`, out.at("box.top")), `true`)
			p.fails("locator.box", `{"locator":{"selector":"#none"}}`, fault.TargetNotFound)
		}},
	}
}
