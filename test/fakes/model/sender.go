package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// sender sends the events of one answer.
type sender struct {
	server  *Server
	w       http.ResponseWriter
	r       *http.Request
	step    Step
	request Request
	number  int
	gone    bool
}

func (a *sender) flush() {
	if flusher, ok := a.w.(http.Flusher); ok {
		flusher.Flush()
	}
}

// wait waits, and reports false if the client or the service ended meanwhile.
func (a *sender) wait(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-a.r.Context().Done():
	case <-a.server.ended:
	}
	a.gone = true
	return false
}

// event sends an event after its check.
func (a *sender) event(name string, value any, check func(text []byte) error) {
	text, err := json.Marshal(value)
	if err != nil {
		a.server.t.Errorf("an event has no JSON form: %v", err)
		return
	}
	if err := check(text); err != nil {
		a.server.t.Errorf("the service would send what the maker's types do not know: %v: %s", err, text)
	}
	a.raw(name, string(text))
}

// raw sends an event as it is.
func (a *sender) raw(name, data string) {
	var text strings.Builder
	if a.step.Comments {
		text.WriteString(": still here\r\n\r\n")
	}
	if name != "" {
		fmt.Fprintf(&text, "event: %s\n", name)
	}
	fmt.Fprintf(&text, "data: %s\n\n", data)
	a.send(text.String())
}

// send sends text in as many pieces as the step wants.
func (a *sender) send(text string) {
	for text != "" && !a.gone {
		n := len(text)
		if a.step.Cut > 0 {
			n = min(n, a.step.Cut)
		}
		if _, err := a.w.Write([]byte(text[:n])); err != nil || a.r.Context().Err() != nil {
			a.gone = true
			return
		}
		a.flush()
		text = text[n:]
	}
}

// broken does what the step does after its text instead of ending well, and reports whether it does.
// more sends one more piece of text.
func (a *sender) broken(more func(text string)) bool {
	switch {
	case a.step.Event != "":
		name := ""
		if a.request.API == "messages" {
			name = "error"
		}
		a.raw(name, a.step.Event)
	case a.step.Mute:
		a.wait(time.Hour)
	case a.step.Half:
		if hijacker, ok := a.w.(http.Hijacker); ok {
			if conn, _, err := hijacker.Hijack(); err == nil {
				_ = conn.Close()
			}
		}
	case a.step.Endless:
		for !a.gone {
			more(strings.Repeat("and so on ", 1000))
			select {
			case <-a.server.ended:
				a.gone = true
			default:
			}
		}
	default:
		return false
	}
	return true
}

// pieces cuts a text into what the events carry, in the middle of characters' sequences too.
func pieces(text string) []string {
	var all []string
	for runes := []rune(text); len(runes) > 0; {
		n := min(5, len(runes))
		all = append(all, string(runes[:n]))
		runes = runes[n:]
	}
	return all
}

// id returns the id of a call.
func (c Call) id(number int) string {
	if c.ID != "" {
		return c.ID
	}
	return fmt.Sprintf("call_%d_%s", number, c.Name)
}
