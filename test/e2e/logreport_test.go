package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/repo"
	"github.com/actionsjson/actions-host/test/sites"
)

func TestLogReportLooks(t *testing.T) {
	// Ensure that a session's report has no violation that axe knows of, wide and narrow, light and dark, that the hostile texts in it run nothing, become no element and fetch nothing, and that its folded parts are opened without scripts; its pictures are for people.
	t.Parallel()
	rec := sites.NewRecorder(nil)
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := rec.Add(r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		http.ServeFile(w, r, filepath.Join(repo.Root(), "pkg", "logview", "testdata", filepath.Base(r.URL.Path)))
	}))
	for _, name := range []string{"report-mcp.html", "report-voice.html"} {
		if _, err := os.Stat(filepath.Join(repo.Root(), "pkg", "logview", "testdata", name)); err != nil {
			t.Fatal(err)
		}
	}
	a := playAgent(t, url+"/report-mcp.html")
	for _, name := range []string{"report-mcp", "report-voice"} {
		address := url + "/" + name + ".html"
		doc := a.page(address)
		harness.Until(t, name+" is there", func() bool {
			return eval[bool](doc, `document.readyState === "complete" && !!document.querySelector(".items")`)
		})
		if strange := eval[int](doc, `document.querySelectorAll("script, img, link, iframe, [style], [onerror]").length`); strange != 0 {
			t.Errorf("%s: %d elements of a stranger", name, strange)
		}
		if !eval[bool](doc, `getComputedStyle(document.querySelector("h1")).unicodeBidi === "isolate"`) {
			t.Errorf("%s: its policy forbids its own styles", name)
		}
		for _, width := range []int64{1000, 360} {
			size(t, doc, width, 1600)
			doc.until(fmt.Sprintf("%s fits into %d pixels", name, width), fmt.Sprintf(`innerWidth === %d && document.documentElement.scrollWidth <= innerWidth`, width))
			for _, scheme := range []string{"light", "dark"} {
				prefer(t, scheme, doc)
				for _, open := range []bool{false, true} {
					eval[int](doc, map[bool]string{false: `document.querySelectorAll("details").forEach(d => d.open = false), 0`, true: `document.querySelectorAll("details").forEach(d => d.open = true), 0`}[open])
					for _, v := range doc.violations() {
						t.Errorf("%s at %d, %s: %s", name, width, scheme, v)
					}
				}
				picture(t, doc, name+"-"+map[int64]string{1000: "wide", 360: "narrow"}[width]+"-"+scheme, nil)
			}
		}
	}
	asked := received(rec, "GET", "/")
	asked = slices.DeleteFunc(asked, func(path string) bool { return path == "/favicon.ico" }) // the browser's own wish
	for _, path := range asked {
		if path != "/report-mcp.html" && path != "/report-voice.html" {
			t.Errorf("the report asked for %s", path)
		}
	}
}
