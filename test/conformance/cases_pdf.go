package conformance

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

// showPDF leads the tab from the case's page to a document.
func (p *Page) showPDF(what string) {
	p.Helper()
	p.backend.Open(p.T, p.Site.server.URL+"/pdf/"+what)
}

func pdfCases() []Case {
	const read = "page.read_pdf"
	unreadable := func(p *Page, args, reason string) Output {
		p.Helper()
		out := p.fails(read, args, fault.DocumentUnreadable)
		p.is(out, "reason", `"`+reason+`"`)
		return out
	}
	return []Case{
		{Name: read + "/reads the tab's own PDF by pages", HTML: `<p>before</p>`, Run: func(p *Page) {
			p.showPDF("pages-3")
			out := p.ok(read, `{}`)
			p.is(out, "page_count", `3`)
			p.is(out, "title", `"The book of tea"`)
			p.is(out, "pages.length", `3`)
			p.is(out, "pages.2", `{"page":3,"text":"Page 3 line 1 of the book of tea"}`)
			p.is(out, "has_text", `true`)
			p.is(out, "truncated", `false`)
			out = p.ok(read, `{"from_page":2,"to_page":2}`)
			p.is(out, "pages.length", `1`)
			p.is(out, "pages.0.page", `2`)
			p.is(out, "next", `null`)
			p.is(p.ok(read, `{"from_page":3,"to_page":30}`), "pages.length", `1`)
			out = p.ok("page.read", `{}`)
			p.is(out, "access_state", `"pdf"`)
			p.is(out, "next", `{"name":"page.read_pdf","arguments":{}}`)
			p.showPDF("empty")
			out = p.ok(read, `{}`)
			p.is(out, "has_text", `false`)
			p.is(out, "pages", `[{"page":1,"text":"","empty":true}]`)
		}},
		{Name: read + "/reads on with the arguments that it gives", HTML: `<p>before</p>`, Run: func(p *Page) {
			for _, document := range []string{"pages-400", "long-600"} {
				p.showPDF(document)
				args, text := `{}`, ""
				for range 40 {
					out := p.ok(read, args)
					if raw, err := json.Marshal(out.value); err != nil || len(raw) > 16000 {
						p.Fatalf("a page of %d bytes, %v", len(raw), err)
					}
					pages, _ := out.at("pages").([]any)
					for _, page := range pages {
						one, _ := page.(map[string]any)
						shown, _ := one["text"].(string)
						text += shown
						if !strings.HasSuffix(shown, "\n") {
							text += "\n"
						}
					}
					if out.at("truncated") == false {
						break
					}
					p.is(out, "next.name", `"page.read_pdf"`)
					next, err := json.Marshal(out.at("next.arguments"))
					if err != nil {
						p.Fatal(err)
					}
					args = string(next)
				}
				var want strings.Builder
				for i := range 400 {
					fmt.Fprintf(&want, "Page %d line 1 of the book of tea\n", i+1)
				}
				if document == "long-600" {
					want.Reset()
					want.WriteString("Page 1 line 1 of the book of tea\n")
					for i := range 600 {
						fmt.Fprintf(&want, "Page 2 line %d of the book of tea\n", i+1)
					}
					want.WriteString("Page 3 line 1 of the book of tea\n")
				}
				if text != want.String() {
					p.Errorf("%s: %d characters, not %d", document, len(text), want.Len())
				}
			}
		}},
		{Name: read + "/gives an answer its size wherever it begins and however little a page has", HTML: `<p>before</p>`, Run: func(p *Page) {
			for document, args := range map[string]string{"pages-400": `{"from_page":1,"offset":1000000}`, "empty-600": `{}`} {
				p.showPDF(document)
				out := p.ok(read, args)
				raw, err := json.Marshal(out.value)
				pages, _ := out.at("pages").([]any)
				if err != nil || len(raw) > 16000 || len(pages) < 50 {
					p.Errorf("%s: %d pages in %d bytes, %v", document, len(pages), len(raw), err)
				}
				p.is(out, "pages.0.text", `""`)
				p.is(out, "truncated", `true`)
				p.is(out, "next.arguments.from_page", fmt.Sprint(len(pages)+1))
			}
		}},
		{Name: read + "/says why a PDF cannot be read", HTML: `<p>no PDF</p>`, Run: func(p *Page) {
			unreadable(p, `{}`, "not_a_pdf")
			p.showPDF("pages-3")
			p.is(unreadable(p, `{"from_page":4}`, "page_out_of_range"), "page_count", `3`)
			unreadable(p, `{"from_page":3,"to_page":2}`, "page_out_of_range")
			p.refused(read, `{"from_page":0}`, fault.InvalidInput)
			for document, reason := range map[string]string{"encrypted": "encrypted", "broken": "broken", "none": "not_a_pdf"} {
				p.showPDF(document)
				unreadable(p, `{}`, reason)
			}
		}},
		{Name: read + "/reads a large PDF, and refuses one that is too large", HTML: `<p>before</p>`, Run: func(p *Page) {
			p.showPDF(fmt.Sprintf("large-%d", harness.Times(3, 19)<<20)) // more than one message takes; memory is slow on some machines
			p.is(p.ok(read, `{}`), "pages.1.text", `"Page 2 line 1 of the book of tea"`)
			p.showPDF(fmt.Sprintf("large-%d", 21<<20))
			unreadable(p, `{}`, "too_large")
		}},
	}
}

// pdfDetailCases are those of the part of page.read_pdf that runs in the page.
func pdfDetailCases() []Case {
	return []Case{{Name: "pdf.read/refuses a page that is no PDF", HTML: `<p>x</p>`, Run: func(p *Page) {
		p.is(p.fails("pdf.read", `{}`, fault.DocumentUnreadable), "reason", `"not_a_pdf"`)
	}}}
}
