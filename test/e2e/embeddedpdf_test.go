package e2e

import (
	"net/http"
	"slices"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/harness"
)

// embeddedPDF is a document of one empty page.
const embeddedPDF = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"

func TestEmbeddedPDF(t *testing.T) {
	// Ensure that on a page with a PDF in it, which no extension may debug and which comes anew all the time, no call fails as if a handler were broken: it is done, or says that the debugger, or what is read by it, is not available.
	t.Parallel()
	home := harness.Shared(t)
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/doc.pdf" {
			w.Header().Set("Content-Type", "application/pdf")
			_, _ = w.Write([]byte(embeddedPDF))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<title>t</title><button id=b>Buy</button><div id=at></div><script>setInterval(() => at.innerHTML = "<iframe src=/doc.pdf width=300 height=300></iframe>", 150)</script>`))
	}))
	home.Open(t, url)
	c := clientOf(t, home, "one")
	for range 2 {
		for name, args := range map[string]string{"browser.screenshot": `{}`, "a11y.tree": `{}`, "locator.hover": `{"locator":{"selector":"#b"}}`, "page.snapshot": `{}`, "browser.console": `{}`} {
			e := c.call(name, args)
			if !e.OK && !slices.Contains([]fault.Code{fault.DebuggerUnavailable, fault.RestrictedPage, fault.AccessibilityFailed}, e.Error.Code) {
				t.Errorf("%s: %s %s", name, e.Error.Code, e.Error.Message)
			}
		}
	}
}
