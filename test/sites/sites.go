// Package sites serves the pages that the demo and the tests operate.
//
// Rules of this package:
//   - It listens on loopback only and remembers what it received, so that a test
//     can ask the server, not the page, what happened.
package sites

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"sync"
)

//go:embed teahouse tasting
var files embed.FS

// Request is what a server received.
type Request struct {
	Method string `json:"method"`
	Path   string `json:"path"` // with its query
	Body   string `json:"body,omitzero"`
}

// Recorder remembers requests. It is safe for concurrent use.
type Recorder struct {
	mu       sync.Mutex
	requests []Request
	onAdd    func(Request)
}

// NewRecorder makes a recorder; each, if not nil, sees every request at once.
func NewRecorder(each func(Request)) *Recorder { return &Recorder{onAdd: each} }

// Add records one request, its body included, and returns the body.
func (r *Recorder) Add(req *http.Request) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(req.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	got := Request{Method: req.Method, Path: req.URL.RequestURI(), Body: string(body)}
	r.mu.Lock()
	r.requests = append(r.requests, got)
	r.mu.Unlock()
	if r.onAdd != nil {
		r.onAdd(got)
	}
	return body, nil
}

// All returns the requests in the order they came.
func (r *Recorder) All() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]Request(nil), r.requests...)
}

// Tasting is a page with tools of its own (WebMCP). What its tools do is recorded.
func Tasting(rec *Recorder) http.Handler {
	pages, err := fs.Sub(files, "tasting")
	if err != nil {
		panic(err) // embedded: it cannot be missing
	}
	mux := http.NewServeMux()
	mux.Handle("GET /", http.FileServerFS(pages))
	mux.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		if _, err := rec.Add(r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	})
	return mux
}

// Teahouse is the sample shop. Its searches and orders are recorded.
func Teahouse(rec *Recorder) http.Handler {
	pages, err := fs.Sub(files, "teahouse")
	if err != nil {
		panic(err) // embedded: it cannot be missing
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServerFS(pages))
	mux.HandleFunc("GET /search", func(w http.ResponseWriter, r *http.Request) {
		if _, err := rec.Add(r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	})
	var mu sync.Mutex
	orders := 0
	mux.HandleFunc("POST /order", func(w http.ResponseWriter, r *http.Request) {
		body, err := rec.Add(r)
		var order map[string]any
		if err == nil {
			err = json.Unmarshal(body, &order)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		mu.Lock()
		orders++
		order["number"] = fmt.Sprintf("T-%03d", orders)
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		// The client is gone if this fails; there is nobody left to tell.
		_ = json.NewEncoder(w).Encode(order)
	})
	return mux
}
