package conformance

import (
	"bytes"
	"fmt"
	"net/http"
	"time"
)

// serveData serves what pages read by themselves: answers of all kinds. What is
// asked for under the other host name is counted.
func (s *Site) serveData(w http.ResponseWriter, r *http.Request) {
	if "http://"+r.Host == s.other {
		s.strays.Add(1)
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	switch r.PathValue("what") {
	case "cookie":
		fmt.Fprintf(w, "%s cookie=%s", r.Method, r.Header.Get("Cookie"))
	case "missing":
		http.Error(w, "no such thing", http.StatusNotFound)
	case "latin":
		w.Header().Set("Content-Type", "text/plain; charset=iso-8859-1")
		_, _ = w.Write([]byte("caf\xe9"))
	case "long":
		_, _ = w.Write(bytes.Repeat([]byte("0123456789abcdef"), 40_000))
	case "binary":
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write([]byte("\x89PNG\r\n\x1a\n"))
	case "moved":
		http.Redirect(w, r, "/data/cookie", http.StatusFound)
	case "away":
		http.Redirect(w, r, s.other+"/data/cookie", http.StatusFound)
	case "hang":
		<-r.Context().Done()
	case "slow":
		select {
		case <-time.After(700 * time.Millisecond):
			fmt.Fprint(w, "late")
		case <-r.Context().Done():
		}
	case "stream":
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, ": open\n\n")
		if flusher, ok := w.(http.Flusher); ok {
			flusher.Flush()
		}
		<-r.Context().Done()
	case "page": // loads something that comes late
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>slow</title><p>here</p><img src="/data/slow">`)
	default:
		fmt.Fprint(w, "ok")
	}
}
