// Package endpoint answers POST /v1/agent: one message of a chat model for a page and a
// conversation, to whoever has a token.
//
// Rules of this package:
//   - It runs no tool and reaches no browser.
//   - It is served on a unix socket of the user's, and on a loopback address only if asked to.
//     Names and origins of others are refused, so that no web page can ask.
//   - A caller pays for itself: whoever is slow, large or gone holds nothing that others need.
//   - Nothing of a request is kept or logged.
package endpoint

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"github.com/actionsjson/actions-host/pkg/chat"
	"github.com/actionsjson/actions-host/pkg/endpoint/token"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/model"
)

// Config is what a server needs.
type Config struct {
	Models  model.Stepper
	Tools   *chat.Toolset
	Tokens  token.Store
	Version string
}

// MaxBody is the most that a request's body has, in bytes.
const MaxBody = 4_000_000

// The limits of a connection.
const (
	maxConnections = 64 // of each listener
	maxHeader      = 32 << 10
)

// timeouts bounds what a caller can hold up.
type timeouts struct {
	header, body, write time.Duration
	idle                time.Duration // of a connection between two requests
	step                time.Duration // the whole of a model's answer
	end                 time.Duration // of the requests under way when the server ends
}

var usualTimeouts = timeouts{
	header: 5 * time.Second, body: 30 * time.Second, write: 30 * time.Second,
	idle: time.Minute, step: 10 * time.Minute, end: 5 * time.Second,
}

// Server answers requests.
type Server struct {
	config   Config
	timeouts timeouts
	now      func() time.Time
	failures failures

	ending context.Context // done once the server ends
	end    context.CancelFunc
}

// New returns a server that listens nowhere yet.
func New(c Config) *Server {
	s := &Server{config: c, timeouts: usualTimeouts, now: time.Now}
	s.ending, s.end = context.WithCancel(context.Background())
	return s
}

// Serve answers on the listeners until the context ends. Requests under way then end as
// cancelled. The listeners are closed.
func (s *Server) Serve(ctx context.Context, listeners ...net.Listener) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: s.timeouts.header, IdleTimeout: s.timeouts.idle, MaxHeaderBytes: maxHeader,
	}
	defer context.AfterFunc(ctx, s.end)()
	failed := make(chan error, len(listeners))
	var serving sync.WaitGroup
	for _, l := range listeners {
		serving.Go(func() { failed <- server.Serve(netutil.LimitListener(l, maxConnections)) })
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	s.end()
	grace, cancel := context.WithTimeout(context.Background(), s.timeouts.end)
	defer cancel()
	if late := server.Shutdown(grace); late != nil {
		server.Close()
	}
	serving.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.limit(w)
	if err := s.admit(w, r); err != nil {
		s.refuse(w, r, err)
		return
	}
	if r.URL.Path == healthPath {
		s.write(w, http.StatusOK, health{OK: true, PID: os.Getpid(), Version: s.config.Version})
		return
	}
	text, err := s.read(w, r)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	asked, err := parseBody(text)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	s.answer(w, r, asked)
}

// limit sets how long the caller may take to send and to read. A deadline stays with the
// connection: that of the request before would end this one's answer.
func (s *Server) limit(w http.ResponseWriter) {
	control := http.NewResponseController(w)
	// No errors: the connections of this server have deadlines.
	_ = control.SetReadDeadline(time.Now().Add(s.timeouts.body))
	_ = control.SetWriteDeadline(time.Now().Add(s.timeouts.body + s.timeouts.write))
}

type health struct {
	OK      bool   `json:"ok"`
	PID     int    `json:"pid"`
	Version string `json:"version"`
}

// answer asks the model and sends what it answers.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, asked request) {
	ctx, cancel := context.WithTimeout(r.Context(), s.timeouts.step)
	defer cancel()
	defer context.AfterFunc(s.ending, cancel)()
	out := newAnswer(s, w, r, cancel)
	tools, ignored := s.tools(asked)
	message, err := s.step(ctx, asked, tools, out.text)
	switch {
	case err != nil && s.ending.Err() != nil:
		out.fail(fault.Wrap(err, fault.Cancelled, "the server ended while the model answered").WithNextStep("Ask again once it runs."))
	case err != nil:
		out.fail(fault.From(err))
	default:
		out.done(s.complete(message), ignored)
	}
}

// tools returns the tools that the model gets, and the names that it does not.
func (s *Server) tools(asked request) ([]model.Tool, []string) {
	if !asked.automation {
		return chat.NoTools().Select(asked.tools)
	}
	return s.config.Tools.Select(asked.tools)
}

func (s *Server) step(ctx context.Context, asked request, tools []model.Tool, onText func(string)) (model.Message, error) {
	info, err := s.config.Models.Describe(ctx, asked.model)
	if err != nil {
		return model.Message{}, err
	}
	ask := chat.Ask{
		Automation: asked.automation, Tools: tools, Page: asked.page, Messages: asked.messages,
		Model: asked.model, MaxOutputTokens: asked.maxOutputTokens,
	}
	return s.config.Models.Step(ctx, ask.Request(info), onText)
}

// complete returns the message with what its readers rely on.
func (s *Server) complete(m model.Message) model.Message {
	m.Role = model.RoleAssistant
	if m.Content == nil {
		m.Content = []model.Content{}
	}
	if m.Timestamp == 0 {
		m.Timestamp = s.now().UnixMilli()
	}
	return m
}
