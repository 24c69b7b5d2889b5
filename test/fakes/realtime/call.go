package realtime

import (
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Call is a voice call that the host has offered for its browser.
type Call struct {
	ID      string
	Offer   string // SDP of the browser
	Session string // the session as the host described it, JSON
	Peer    *Peer  // the service's end of it; nil where the offer has no media
}

// call takes the host's offer.
func (s *Server) call(w http.ResponseWriter, r *http.Request) {
	if !s.admit(w, r) {
		return
	}
	read := func(field string) string {
		file, _, err := r.FormFile(field)
		if err != nil {
			return r.FormValue(field)
		}
		defer file.Close()
		text, err := io.ReadAll(io.LimitReader(file, 1<<20))
		if err != nil {
			s.t.Error(err)
		}
		return string(text)
	}
	c := &Call{Offer: read("sdp"), Session: read("session")}
	if c.Offer == "" || c.Session == "" {
		s.t.Errorf("a call without an offer or a session: %q", c.Session)
		http.Error(w, "bad call", http.StatusBadRequest)
		return
	}
	answer, err := s.answer(c)
	if err != nil {
		s.t.Error(err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	c.ID = fmt.Sprintf("rtc_%d", len(s.calls)+1)
	s.calls[c.ID] = c
	s.mu.Unlock()
	w.Header().Set("Location", "/v1/realtime/calls/"+c.ID)
	w.WriteHeader(http.StatusCreated)
	fmt.Fprint(w, answer)
}

// answer completes the call. The offer of a fake browser has no media, and gets
// none.
func (s *Server) answer(c *Call) (answer string, err error) {
	if !strings.Contains(c.Offer, "m=audio") {
		return "v=0\r\n", nil
	}
	c.Peer, answer, err = take(s.t, c.Offer)
	return answer, err
}

func (c *Call) close() {
	if c.Peer != nil {
		c.Peer.HangUp()
	}
}
