// Package openai is the voice provider that speaks OpenAI's Realtime protocol,
// the real service's or a compatible one's.
//
// Rules of this package:
//   - The key goes into one request header and nowhere else: not to the browser,
//     not into an error. Only TLS carries it, except on loopback.
//   - A text session is one WebSocket. In a voice session the audio goes between
//     browser and provider; this side attaches to the same call by a second
//     WebSocket and controls it.
//   - The service may add events: an unknown one is passed on as [voice.Unknown].
package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// DefaultBase is the real service.
const DefaultBase = "https://api.openai.com/v1"

const (
	dialTimeout = 10 * time.Second
	maxEvent    = 16 << 20 // bytes of one event
	maxAnswer   = 1 << 20  // bytes of an SDP answer or an error

	// defaultSessionTTL is how long the service keeps a session if it does not state that.
	defaultSessionTTL = time.Hour
)

// Provider connects to one service with one key.
type Provider struct {
	// Recorder, if not nil, receives the events of its connections.
	Recorder voice.Recorder
	// Dial, if not nil, makes them, as on a network in memory.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	base  *url.URL
	key   string
	count atomic.Int64 // of connections
}

var _ voice.Provider = (*Provider)(nil)

// New returns a provider; base is [DefaultBase] or a compatible service's.
func New(base, key string) (*Provider, error) {
	if key == "" {
		return nil, fault.New(fault.VoiceKeyMissing, "no key of the voice service is set")
	}
	u, err := url.Parse(strings.TrimSuffix(base, "/"))
	if err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" {
		return nil, fault.New(fault.InvalidInput, "%q is not the address of a voice service", base)
	}
	if u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())) {
		return nil, fault.New(fault.UnsafeURL, "the voice service must be reached over https, except on this machine")
	}
	return &Provider{base: u, key: key}, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Connect opens a session.
func (p *Provider) Connect(ctx context.Context, setup voice.Setup) (voice.Connection, error) {
	number := int(p.count.Add(1))
	record := func(from voice.Source, event any) { p.Recorder.Record(from, number, event) }
	c := &connection{setup: setup, record: record, closed: make(chan struct{}), events: make(chan voice.Event, 64)}
	query := url.Values{"model": {setup.Model}}
	if setup.Offer != "" {
		record(voice.FromNetwork, connectionEvent{Type: "call", Session: sessionOf(setup)})
		callID, answer, err := p.call(ctx, setup)
		if err != nil {
			record(voice.FromNetwork, failureEvent(err))
			return nil, err
		}
		record(voice.FromNetwork, connectionEvent{Type: "answered"})
		c.answer = answer
		query = url.Values{"call_id": {callID}}
	}
	socket, err := p.dial(ctx, query)
	if err != nil {
		record(voice.FromNetwork, failureEvent(err))
		return nil, err
	}
	record(voice.FromNetwork, connectionEvent{Type: "opened"})
	c.socket = socket
	if setup.Offer != "" {
		// The call was accepted: its session exists, whether or not it is announced here.
		c.events <- voice.Ready{SessionID: query.Get("call_id"), ExpiresAt: time.Now().Add(defaultSessionTTL)}
	}
	go c.read()
	if setup.Offer == "" { // a call brought its session along
		if err := c.Configure(ctx, setup); err != nil {
			return nil, errors.Join(unreachable(err), c.Close())
		}
	}
	return c, nil
}

// call posts the browser's offer and returns the call's id and the answer.
func (p *Provider) call(ctx context.Context, setup voice.Setup) (id, answer string, err error) {
	session, err := json.Marshal(sessionOf(setup))
	if err != nil {
		return "", "", fault.Wrap(err, fault.InternalError, "the session cannot be written: %v", err)
	}
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for _, field := range [][2]string{{"sdp", setup.Offer}, {"session", string(session)}} {
		if err := form.WriteField(field[0], field[1]); err != nil {
			return "", "", fault.Wrap(err, fault.InternalError, "the call cannot be written: %v", err)
		}
	}
	if err := form.Close(); err != nil {
		return "", "", fault.Wrap(err, fault.InternalError, "the call cannot be written: %v", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.base.JoinPath("realtime/calls").String(), &body)
	if err != nil {
		return "", "", fault.Wrap(err, fault.InternalError, "the call cannot be made: %v", err)
	}
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.Header.Set("Authorization", "Bearer "+p.key)
	// No redirect may carry the key or the offer elsewhere.
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true // the next call is an hour away
	if p.Dial != nil {
		transport.DialContext = p.Dial
	}
	client := &http.Client{Transport: transport, Timeout: dialTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return "", "", unreachable(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return "", "", unreachable(err)
	}
	if response.StatusCode/100 != 2 {
		return "", "", statusError(response.StatusCode, text)
	}
	id = path.Base(response.Header.Get("Location"))
	if id == "." || id == "/" || len(text) == 0 {
		return "", "", fault.New(fault.VoiceRefused, "the voice service accepted the call without naming it")
	}
	return id, string(text), nil
}

func (p *Provider) dial(ctx context.Context, query url.Values) (*websocket.Conn, error) {
	u := *p.base
	u.Scheme = map[string]string{"https": "wss", "http": "ws"}[u.Scheme]
	u = *u.JoinPath("realtime")
	u.RawQuery = query.Encode()
	dialer := websocket.Dialer{HandshakeTimeout: dialTimeout, Proxy: http.ProxyFromEnvironment, NetDialContext: p.Dial}
	socket, response, err := dialer.DialContext(ctx, u.String(), http.Header{"Authorization": {"Bearer " + p.key}})
	if err != nil {
		if response != nil && response.StatusCode >= 400 {
			text, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer)) // a short answer still has its status
			return nil, statusError(response.StatusCode, text)
		}
		return nil, unreachable(err)
	}
	socket.SetReadLimit(maxEvent)
	return socket, nil
}

func unreachable(err error) error {
	return fault.Wrap(err, fault.VoiceUnresponsive, "the voice service cannot be reached: %v", err)
}

// statusError converts an HTTP error status to a fault. A busy or broken service may be
// tried again; a refused key may not.
func statusError(status int, body []byte) error {
	var answer struct {
		Error struct{ Message, Code string } `json:"error"`
	}
	message := http.StatusText(status)
	if json.Unmarshal(body, &answer) == nil && answer.Error.Message != "" {
		message = withoutKeys(answer.Error.Message)
	}
	code := fault.VoiceRefused
	if status >= 500 || status == http.StatusTooManyRequests {
		code = fault.VoiceUnresponsive
	}
	return fault.New(code, "the voice service answered %d: %s", status, message).With("provider_code", answer.Error.Code).With("status", status)
}

// withoutKeys takes keys out of a message: the service repeats a wrong one, in
// part, in its answer.
func withoutKeys(message string) string {
	words := strings.Fields(message)
	for i, w := range words {
		if strings.HasPrefix(strings.Trim(w, `"'.,:`), "sk-") {
			words[i] = redact.Mark
		}
	}
	return strings.Join(words, " ")
}
