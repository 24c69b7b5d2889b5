package model

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
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
		body.lines = &eventLines{}
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
	lines  *eventLines // nil for an error's
	left   int64
	cut    bool // what is over left is left out; else it is an error
}

// Read reads what came; it ends when nothing comes for too long.
func (b *watchedBody) Read(p []byte) (int, error) {
	for {
		if b.left <= 0 {
			if b.cut {
				return 0, io.EOF
			}
			return 0, errEndless
		}
		timer := time.AfterFunc(b.watch.between, func() { b.watch.silent.Store(true); b.cancel() })
		n, err := b.from.Read(p[:min(int64(len(p)), b.left)])
		timer.Stop()
		b.left -= int64(n)
		if b.lines != nil {
			n = b.lines.filter(p[:n])
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// Close ends the request.
func (b *watchedBody) Close() error {
	b.cancel()
	return b.from.Close()
}

// eventLines takes comments and empty events out of an event stream: services send them to
// keep a connection alive, and the SDKs take them for events.
type eventLines struct {
	inLine, comment, event bool
}

// filter keeps in p what counts and returns its length.
func (e *eventLines) filter(p []byte) int {
	kept := 0
	for _, c := range p {
		switch {
		case c == '\r':
			continue
		case c == '\n' && e.comment:
			e.comment = false
			continue
		case e.comment:
			continue
		case !e.inLine && c == ':':
			e.comment = true
			continue
		case c == '\n' && !e.inLine:
			if !e.event {
				continue
			}
			e.event = false
		case c == '\n':
			e.inLine = false
		default:
			e.inLine, e.event = true, true
		}
		p[kept] = c
		kept++
	}
	return kept
}
