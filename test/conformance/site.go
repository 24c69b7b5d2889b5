package conformance

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Site serves the pages of the cases on loopback and remembers what their forms
// send.
type Site struct {
	server *httptest.Server
	other  string // the same server under another host name: another origin

	mu       sync.Mutex
	pages    map[string]Case
	received []url.Values
	arrived  chan struct{}
	held     chan struct{} // closed when the page under /held may end

	strays  atomic.Int64 // requests for data under the other host name
	fetched atomic.Int64 // requests for data
}

// recorder defines for pages record(element, …types): it appends the types to log.
const recorder = `<script>
var log = [];
function record(el, ...types) { for (const t of types) el.addEventListener(t, e => log.push(e.type)); }
function $(s) { return document.querySelector(s); }
</script>`

// NewSite starts the server; it ends with the test.
func NewSite(t *testing.T) *Site {
	s := &Site{pages: map[string]Case{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/case/{id}", s.serveCase)
	mux.HandleFunc("/submit", s.serveSubmit)
	mux.HandleFunc("/data/{what}", s.serveData)
	mux.HandleFunc("/frame", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html><button id=inner>Inner</button>")
	})
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="tea.bin"`)
		fmt.Fprint(w, "tea")
	})
	mux.HandleFunc("/status/{code}", func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(r.PathValue("code"))
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(code)
		fmt.Fprint(w, "<!doctype html><main>Something stands in the way.</main>")
	})
	mux.HandleFunc("/pdf/{what}", servePDF)
	mux.HandleFunc("/nothing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/hop/{left}", func(w http.ResponseWriter, r *http.Request) {
		if left, _ := strconv.Atoi(r.PathValue("left")); left > 0 {
			http.Redirect(w, r, fmt.Sprintf("/hop/%d", left-1), http.StatusFound)
			return
		}
		fmt.Fprint(w, "<!doctype html><h1>arrived</h1>")
	})
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("/inside", s.serveInside)
	mux.HandleFunc("/slow", serveSlow)
	mux.HandleFunc("/held", s.serveHeld)
	s.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/data/") {
			s.fetched.Add(1)
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.server.CloseClientConnections() // streams of a page that is still open would never end
		s.server.Close()
	})
	_, port, err := net.SplitHostPort(s.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s.other = "http://localhost:" + port
	return s
}

func (s *Site) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received = nil
	s.arrived = make(chan struct{}, 8)
	s.held = make(chan struct{})
}

func (s *Site) page(c Case) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := fmt.Sprint(len(s.pages))
	s.pages[id] = c
	return s.server.URL + "/case/" + id
}

func (s *Site) serveCase(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	c, ok := s.pages[r.PathValue("id")]
	s.mu.Unlock()
	if !ok {
		http.NotFound(w, r)
		return
	}
	html := s.withHosts(c.HTML)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if c.CSP != "" {
		w.Header().Set("Content-Security-Policy", c.CSP)
	}
	fmt.Fprintf(w, "<!doctype html><title>%s</title><style>body{margin:8px;font:16px sans-serif}</style>%s%s", c.Name, recorder, html)
}

// withHosts fills in the origins: SAME is the page's own, OTHER and THIRD are
// other sites.
func (s *Site) withHosts(html string) string {
	_, port, _ := strings.Cut(s.other, "localhost")
	return strings.NewReplacer("{{SAME}}", s.server.URL, "{{OTHER}}", s.other, "{{THIRD}}", "http://third.localhost"+port).Replace(html)
}

// serveInside serves the document of a frame, which is in the query.
func (s *Site) serveInside(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, "<!doctype html><style>body{margin:0;font:16px sans-serif}</style>", recorder, s.withHosts(r.URL.Query().Get("html")))
}

// serveSlow answers after so many milliseconds.
func serveSlow(w http.ResponseWriter, r *http.Request) {
	ms, _ := strconv.Atoi(r.URL.Query().Get("ms"))
	select {
	case <-time.After(time.Duration(ms) * time.Millisecond):
		fmt.Fprint(w, "at last")
	case <-r.Context().Done():
	}
}

// serveHeld serves a page that begins at once and ends when the case says so, with a result for
// the tool that led to it.
func (s *Site) serveHeld(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	held := s.held
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, "<!doctype html><title>held</title>", strings.Repeat(" ", 4096))
	w.(http.Flusher).Flush()
	select {
	case <-held:
		fmt.Fprint(w, `<script type="application/ld+json">{"held":true}</script>`)
	case <-r.Context().Done():
	}
}

// inside returns the address path of a frame's document with this body.
func inside(html string) string { return "/inside?html=" + url.QueryEscape(html) }

func (s *Site) serveSubmit(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.received = append(s.received, r.Form)
	arrived := s.arrived
	s.mu.Unlock()
	fmt.Fprint(w, "<!doctype html><title>received</title><p>received</p>")
	select {
	case arrived <- struct{}{}:
	default: // nobody waits for more
	}
}
