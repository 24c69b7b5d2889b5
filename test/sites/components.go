package sites

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/actionsjson/actions-host/test/repo"
)

// componentPage holds one library's components. They come to stand in #app, and what their own
// events carry in the global object model.
const componentPage = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>%[1]s</title><link rel="icon" href="data:,">%[2]s<div id="app"></div><script type="module" src="%[1]s.js"></script>`

// Components serves the component matrix: NAME.html shows the components of the library that
// components/pages/NAME puts together.
func Components() (http.Handler, error) {
	dir := filepath.Join(repo.Root(), "test", "sites", "components")
	if err := bundleComponents(dir); err != nil {
		return nil, err
	}
	pages := filepath.Join(dir, "node_modules", ".cache", "pages")
	files := http.FileServer(http.Dir(pages))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, isPage := strings.CutSuffix(path.Base(r.URL.Path), ".html")
		if !isPage {
			files.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		style := ""
		if _, err := os.Stat(filepath.Join(pages, name+".css")); err == nil {
			style = `<link rel="stylesheet" href="` + name + `.css">`
		}
		fmt.Fprintf(w, componentPage, name, style)
	}), nil
}

var bundling sync.Mutex

// bundleComponents makes the pages' scripts, unless they are there and their sources unchanged.
func bundleComponents(dir string) error {
	bundling.Lock()
	defer bundling.Unlock()
	build := exec.Command("node", "build.mjs")
	build.Dir = dir
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("the component matrix cannot be built (./scripts/test installs its packages): %w\n%s", err, text)
	}
	return nil
}
