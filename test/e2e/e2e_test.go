// Package e2e drives the built program, the built extension and a real headless
// Chromium, the way a user at a terminal does.
//
// Rules of this package:
//   - Tests run beside each other, as many as there are turns for; none judges how
//     long something takes.
//   - Only tests that kill, refuse, configure or judge the whole of a browser or its
//     host have one of their own.
//   - What happens in its own time is waited for; that something does not happen
//     is judged after something later did.
package e2e

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/harness"
	"github.com/actionsjson/actions-host/test/sites"
)

func TestMain(m *testing.M) {
	code := m.Run()
	harness.Clean()
	os.Exit(code)
}

// serve serves the handler on loopback, under the test's own name.
func serve(t *testing.T, handler http.Handler) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(handler)
	server.Listener.Close()
	server.Listener = listener
	server.Start()
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "127.0.0.1", harness.Site(t), 1)
}

// foreign is the same server under another name: another site.
func foreign(t *testing.T, url string) string {
	return strings.Replace(url, harness.Site(t), "127.0.0.1", 1)
}

// held serves an address that answers nobody before the test says so.
func held(t *testing.T) (url string, answer func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	return serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-ctx.Done() })), cancel
}

// waitsFor is JavaScript that holds its page until the address has answered; it
// takes no time from the other tests, as an endless loop would.
func waitsFor(url string) string {
	return `const held = new XMLHttpRequest(); held.open("GET", "` + url + `", false); held.send();`
}

// pages serves fixed pages by path and records every request.
func pages(t *testing.T, byPath map[string]string) (url string, rec *sites.Recorder) {
	t.Helper()
	rec = sites.NewRecorder(nil)
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := rec.Add(r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		html, ok := byPath[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		// A browser that went away has nothing to be told.
		_, _ = w.Write([]byte("<!doctype html><meta charset=utf-8>" + html))
	})), rec
}

// atHost returns the origin of a test's pages under another host name.
func atHost(t *testing.T, url, host string) string {
	t.Helper()
	return strings.Replace(strings.TrimSuffix(url, "/"), harness.Site(t), host, 1)
}

// received returns the paths of a kind of request, in order.
func received(rec *sites.Recorder, method, prefix string) []string {
	var paths []string
	for _, r := range rec.All() {
		if r.Method == method && strings.HasPrefix(r.Path, prefix) {
			paths = append(paths, r.Path)
		}
	}
	return paths
}
