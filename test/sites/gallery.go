package sites

import (
	"bytes"
	"embed"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"sync"

	"github.com/actionsjson/actions-host/test/repo"
)

//go:embed gallery/*.html gallery/*.js
var gallery embed.FS

// strict is the policy of the page that allows almost nothing.
const strict = "default-src 'none'; script-src 'none'; style-src 'none'; frame-src 'none'; form-action 'self'; require-trusted-types-for 'script'"

// Gallery serves pages that real sites are made of: controlled fields, rich text
// editors, a virtual list, frames, shadow roots, dialogs, dragging, a canvas.
// Each tells the server what it received; Pages lists them.
func Gallery(rec *Recorder) (http.Handler, error) {
	bundles, err := bundled()
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		name := path.Base(path.Clean("/" + r.URL.Path))
		if name == "/" {
			name = "index.html"
		}
		text, ok := bundles[name]
		if !ok {
			var err error
			if text, err = gallery.ReadFile("gallery/" + name); err != nil {
				http.NotFound(w, r)
				return
			}
		}
		if name == "csp.html" {
			w.Header().Set("Content-Security-Policy", strict)
		}
		w.Header().Set("Content-Type", map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript"}[path.Ext(name)])
		// The client is gone if this fails; there is nobody left to tell.
		_, _ = w.Write(bytes.ReplaceAll(text, []byte("{{OTHER}}"), []byte(otherOrigin(r.Host))))
	})
	for _, place := range []string{"/seen", "/form"} {
		mux.HandleFunc(place, func(w http.ResponseWriter, r *http.Request) {
			if _, err := rec.Add(r); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, "<!doctype html><title>Received</title><h1>Received</h1>")
		})
	}
	return mux, nil
}

// Pages lists the gallery's pages.
func Pages() []string {
	return []string{
		"index.html", "react.html", "editors.html", "virtual.html", "sticky.html", "shadow.html", "frames.html",
		"csp.html", "dialogs.html", "drag.html", "canvas.html", "restless.html",
	}
}

// otherOrigin is the same server under the loopback's other name: another site.
func otherOrigin(host string) string {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		return "http://" + host
	}
	if name == "127.0.0.1" {
		return "http://localhost:" + port
	}
	return "http://127.0.0.1:" + port
}

// bundled makes the pages' scripts that are built from packages, once a process.
var bundled = sync.OnceValues(func() (map[string][]byte, error) {
	out, err := os.MkdirTemp("", "ah-gallery-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	build := exec.Command(filepath.Join(repo.Root(), "extension", "node_modules", ".bin", "esbuild"),
		"gallery/react.jsx", "gallery/editors.js", "--bundle", "--format=esm", "--jsx=automatic", "--minify",
		"--define:process.env.NODE_ENV=\"production\"", "--log-level=warning", "--outdir="+out)
	build.Dir = filepath.Join(repo.Root(), "test", "sites")
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the gallery cannot be built (./scripts/test installs its packages): %w\n%s", err, text)
	}
	files := map[string][]byte{}
	for _, name := range []string{"react.js", "editors.js"} {
		if files[name], err = os.ReadFile(filepath.Join(out, name)); err != nil {
			return nil, err
		}
	}
	return files, nil
})
