package endpoint

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/model"
)

// statuses are the HTTP statuses of the faults; any other is 500.
var statuses = map[fault.Code]int{
	fault.InvalidInput: http.StatusBadRequest, fault.Timeout: http.StatusBadRequest,
	fault.Unauthorized:         http.StatusUnauthorized,
	fault.PermissionDenied:     http.StatusForbidden,
	fault.EndpointNotFound:     http.StatusNotFound,
	fault.MethodNotAllowed:     http.StatusMethodNotAllowed,
	fault.PayloadTooLarge:      http.StatusRequestEntityTooLarge,
	fault.MediaTypeUnsupported: http.StatusUnsupportedMediaType,
	fault.RateLimited:          http.StatusTooManyRequests,
	fault.ModelRefused:         http.StatusBadGateway,
	fault.ModelResponseInvalid: http.StatusBadGateway,
	fault.ModelKeyMissing:      http.StatusServiceUnavailable,
	fault.ModelNotFound:        http.StatusServiceUnavailable,
	fault.ModelUnavailable:     http.StatusServiceUnavailable,
	fault.Cancelled:            http.StatusServiceUnavailable,
	fault.ModelTimeout:         http.StatusGatewayTimeout,
	fault.HandlerTimeout:       http.StatusGatewayTimeout,
}

func statusOf(f *fault.Error) int {
	if status, known := statuses[f.Code]; known {
		return status
	}
	return http.StatusInternalServerError
}

// success is the answer to a good request.
type success struct {
	OK        bool          `json:"ok"`
	Assistant model.Message `json:"assistant"`
	Ignored   []string      `json:"ignored_tools"`
}

// failure is the envelope of a fault.
type failure struct {
	OK    bool         `json:"ok"`
	Error *fault.Error `json:"error"`
}

// What is read of a body that nobody wants: until nothing came for that long.
const (
	drainDelay = 500 * time.Millisecond
	maxDrained = 64 << 20
)

// refuse answers with a fault. A caller without a token keeps no connection.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	f := fault.From(err)
	// Who is still sending when the connection closes loses the answer. Who waits for leave to
	// send has sent nothing.
	if r.Header.Get("Expect") == "" && f.Code != fault.Timeout {
		s.drain(w, r)
	}
	status := statusOf(f)
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="actions-host"`)
		w.Header().Set("Connection", "close")
	case http.StatusForbidden, http.StatusTooManyRequests, http.StatusNotFound, http.StatusBadRequest, http.StatusRequestEntityTooLarge:
		w.Header().Set("Connection", "close")
	}
	s.write(w, status, failure{Error: f})
}

// drain reads the rest of a body, as long as a good body may take.
func (s *Server) drain(w http.ResponseWriter, r *http.Request) {
	const piece = 64 << 10
	control, end := http.NewResponseController(w), time.Now().Add(s.timeouts.body)
	for read := 0; read < maxDrained; read += piece {
		next := time.Now().Add(drainDelay)
		if next.After(end) {
			next = end
		}
		_ = control.SetReadDeadline(next)
		if _, err := io.CopyN(io.Discard, r.Body, piece); err != nil {
			return
		}
	}
}

// write sends a value within the time that a reader has.
func (s *Server) write(w http.ResponseWriter, status int, v any) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.timeouts.write))
	setHeaders(w, "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(encode(v), '\n')) // whoever has gone needs no answer
}

func setHeaders(w http.ResponseWriter, kind string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
}

// encode returns the JSON of a value of this package's own types, which always have one.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		text, _ = json.Marshal(failure{Error: fault.New(fault.InternalError, "the answer cannot be written")})
	}
	return text
}

// answer sends what a model answers, as JSON or as events.
type answer struct {
	server  *Server
	w       http.ResponseWriter
	control *http.ResponseController
	cancel  context.CancelFunc // of the model's call
	events  bool
	begun   bool
}

func newAnswer(s *Server, w http.ResponseWriter, r *http.Request, cancel context.CancelFunc) *answer {
	a := &answer{server: s, w: w, control: http.NewResponseController(w), cancel: cancel}
	for _, accepted := range r.Header.Values("Accept") {
		a.events = a.events || strings.Contains(strings.ToLower(accepted), "text/event-stream")
	}
	return a
}

// text sends a piece of the text.
func (a *answer) text(text string) {
	if a.events && text != "" {
		a.event(http.StatusOK, "chunk", struct {
			Text string `json:"text"`
		}{text})
	}
}

// done sends the message.
func (a *answer) done(m model.Message, ignored []string) {
	if ignored == nil {
		ignored = []string{}
	}
	if !a.events {
		a.server.write(a.w, http.StatusOK, success{true, m, ignored})
		return
	}
	a.event(http.StatusOK, "assistant", m)
	a.event(http.StatusOK, "done", struct {
		OK      bool     `json:"ok"`
		Ignored []string `json:"ignored_tools"`
	}{true, ignored})
}

// fail sends a fault. Where nothing was sent before, the status says so too.
func (a *answer) fail(f *fault.Error) {
	if after, ok := retryAfter(f); ok && !a.begun {
		a.w.Header().Set("Retry-After", after)
	}
	if !a.events {
		a.server.write(a.w, statusOf(f), failure{Error: f})
		return
	}
	a.event(statusOf(f), "error", failure{Error: f})
	a.event(statusOf(f), "done", struct {
		OK bool `json:"ok"`
	}{})
}

// event sends one event. A reader that stands still, or has gone, ends the model's call.
func (a *answer) event(status int, name string, data any) {
	if !a.begun {
		a.begun = true
		setHeaders(a.w, "text/event-stream")
		a.w.WriteHeader(status)
	}
	_ = a.control.SetWriteDeadline(time.Now().Add(a.server.timeouts.write))
	_, err := a.w.Write([]byte("event: " + name + "\ndata: " + string(encode(data)) + "\n\n"))
	if err == nil {
		err = a.control.Flush()
	}
	if err != nil {
		a.cancel()
	}
}

// retryAfter returns when a fault says that trying again makes sense, in seconds.
func retryAfter(f *fault.Error) (string, bool) {
	var ms int64
	switch value := f.Evidence["retry_after_ms"].(type) {
	case int:
		ms = int64(value)
	case int64:
		ms = value
	default:
		return "", false
	}
	return strconv.FormatInt(max(1, (ms+999)/1000), 10), true
}
