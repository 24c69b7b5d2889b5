package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of an answer; tests change them.
var (
	firstByte    = 30 * time.Second
	betweenBytes = 90 * time.Second
	// localSilence takes the place of both for a server on this machine: it loads the model and reads the whole prompt first.
	localSilence = 10 * time.Minute
	wholeAnswer  = 15 * time.Minute
	maxStream    = int64(64 << 20)
)

const (
	dialTimeout   = 10 * time.Second
	maxErrorBytes = 64 << 10
)

var (
	errSilent   = errors.New("the service is silent")
	errEndless  = errors.New("the answer does not end")
	errRedirect = errors.New("the service redirects to another address")
	errNoStream = errors.New("the service did not answer with a stream")
)

// refuseRedirect refuses every redirect: key and conversation go to the address that the user chose.
func refuseRedirect(*http.Request, []*http.Request) error { return errRedirect }

// base returns the transport that all calls share, made at the first one.
func (m *Models) base() http.RoundTripper {
	if m.transport != nil {
		return m.transport
	}
	return sharedTransport()
}

var sharedTransport = sync.OnceValue(func() http.RoundTripper {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment, // over which only TLS goes: it is not asked for loopback
		DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout: dialTimeout,
		ForceAttemptHTTP2:   true,
		IdleConnTimeout:     time.Minute,
	}
})

// watch is the transport of one call: it bounds how long the service may be silent and how
// much it may send, and takes out of the request what is about this machine.
type watch struct {
	next http.RoundTripper
	// How long the service may be silent, before its answer and within it.
	first, between time.Duration
	silent         atomic.Bool
	sent           atomic.Bool // a good answer's head came

	// Of an answer that is an error, once the SDK has returned.
	status  int
	refusal string
	header  http.Header
}

// RoundTrip sends the request.
func (w *watch) RoundTrip(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(request.Context())
	own := request.Clone(ctx)
	for name := range own.Header {
		if strings.HasPrefix(name, "X-Stainless-") {
			own.Header.Del(name)
		}
	}
	own.Header.Set("User-Agent", "actions-host")
	timer := time.AfterFunc(w.first, func() { w.silent.Store(true); cancel() })
	response, err := w.next.RoundTrip(own)
	if !timer.Stop() && err == nil && w.silent.Load() {
		_ = response.Body.Close()
		err = errSilent
	}
	if err != nil {
		cancel()
		return nil, err
	}
	body := &watchedBody{watch: w, from: response.Body, cancel: cancel, left: maxStream}
	if code := response.StatusCode; code != http.StatusOK && !(code >= 300 && code < 400) {
		return w.failed(response, body)
	}
	kind, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	switch kind = strings.TrimSpace(strings.ToLower(kind)); {
	case response.StatusCode != http.StatusOK: // a redirect, which the client refuses
	case kind != "text/event-stream" && kind != "":
		_ = body.Close()
		return nil, errNoStream
	default:
		w.sent.Store(true)
		body.events = &events{}
	}
	response.Body = body
	return response, nil
}

// failed keeps what an answer with an error says; the SDKs read only some forms of it.
func (w *watch) failed(response *http.Response, body *watchedBody) (*http.Response, error) {
	body.left, body.cut = maxErrorBytes, true
	text, err := io.ReadAll(body)
	_ = body.Close()
	if err != nil && w.silent.Load() {
		return nil, errSilent
	}
	w.status, w.refusal, w.header = response.StatusCode, string(text), response.Header
	response.Header.Del("Content-Encoding")
	response.Body, response.ContentLength = io.NopCloser(strings.NewReader("{}")), 2
	return response, nil
}

// watchedBody is the body of an answer.
type watchedBody struct {
	watch  *watch
	from   io.ReadCloser
	cancel context.CancelFunc
	events *events // nil for an error's
	ready  []byte  // of the events
	err    error   // after what is ready
	left   int64
	cut    bool // what is over left is left out; else it is an error
}

// Read reads what came; it ends when nothing comes for too long.
func (b *watchedBody) Read(p []byte) (int, error) {
	for {
		if len(b.ready) > 0 {
			n := copy(p, b.ready)
			b.ready = b.ready[n:]
			return n, nil
		}
		if b.err != nil {
			return 0, b.err
		}
		n, err := b.read(p)
		if b.events == nil {
			return n, err
		}
		b.ready, b.err = b.events.take(p[:n]), err
		if b.events.ended {
			b.err = io.EOF
		}
	}
}

func (b *watchedBody) read(p []byte) (int, error) {
	if b.left <= 0 {
		if b.cut {
			return 0, io.EOF
		}
		return 0, errEndless
	}
	timer := time.AfterFunc(b.watch.between, func() { b.watch.silent.Store(true); b.cancel() })
	defer timer.Stop()
	n, err := b.from.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// Close ends the request.
func (b *watchedBody) Close() error {
	b.cancel()
	return b.from.Close()
}

// events takes out of an event stream what is no event, as the comments and fields that keep a connection alive:
// the SDKs take each empty line for the end of one.
type events struct {
	line, kind, data []byte // of the event that comes
	ended            bool   // the last one has come; some services leave the stream open
}

// take returns the events that the next piece makes whole.
func (e *events) take(piece []byte) (whole []byte) {
	for len(piece) > 0 && !e.ended {
		line, rest, end := bytes.Cut(piece, []byte{'\n'})
		e.line = append(e.line, line...)
		piece = rest
		if end {
			whole = e.endLine(whole)
		}
	}
	return whole
}

// endLine takes the line, and adds the event that it ends.
func (e *events) endLine(whole []byte) []byte {
	line := bytes.TrimRight(e.line, "\r")
	e.line = e.line[:0]
	if len(line) > 0 {
		switch name, value, _ := bytes.Cut(line, []byte{':'}); string(name) {
		case "event":
			e.kind = append(e.kind[:0], bytes.TrimSpace(value)...)
		case "data":
			e.data = append(append(e.data, bytes.TrimPrefix(value, []byte{' '})...), '\n')
		}
		return whole
	}
	kind, data := string(e.kind), bytes.TrimSpace(e.data)
	e.kind, e.data = e.kind[:0], e.data[:0]
	if len(data) == 0 {
		return whole
	}
	e.ended = bytes.HasPrefix(data, []byte("[DONE]")) || slices.Contains(lastEvents, kind)
	if kind != "" {
		whole = append(append(append(whole, "event: "...), kind...), '\n')
	}
	for line := range bytes.Lines(withoutNullError(data)) {
		whole = append(append(whole, "data: "...), line...)
	}
	return append(whole, "\n\n"...)
}

var lastEvents = []string{"message_stop", "response.completed", "response.incomplete", "response.failed"}

// withoutNullError takes out the member that some services send with each event: an SDK takes it for an error.
func withoutNullError(data []byte) []byte {
	var event map[string]json.RawMessage
	if !bytes.Contains(data, []byte(`"error"`)) || json.Unmarshal(data, &event) != nil || string(event["error"]) != "null" {
		return data
	}
	delete(event, "error")
	text, err := json.Marshal(event)
	if err != nil {
		return data
	}
	return text
}
