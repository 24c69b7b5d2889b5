package conformance

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
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
}

// recorder gives pages record(element, …types): it appends the types to log.
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
	mux.HandleFunc("/frame", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<!doctype html><button id=inner>Inner</button>")
	})
	s.server = httptest.NewServer(mux)
	t.Cleanup(s.server.Close)
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
	html := strings.ReplaceAll(c.HTML, "{{OTHER}}", s.other)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if c.CSP != "" {
		w.Header().Set("Content-Security-Policy", c.CSP)
	}
	fmt.Fprintf(w, "<!doctype html><title>%s</title><style>body{margin:8px;font:16px sans-serif}</style>%s%s", c.Name, recorder, html)
}

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
