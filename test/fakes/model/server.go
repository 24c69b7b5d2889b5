// Package model is a service of chat models for tests: it speaks Chat Completions,
// Responses and Messages, driven by a script.
//
// Rules of this package:
//   - It is strict: a member that the makers' types do not know, a tool call without its
//     result, a header too many or too few fails the test that runs.
//   - What it sends is held against the same types.
//   - Nothing is answered that the script does not answer.
package model

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// Key is the only one that the service takes.
const Key = "sk-test-model-0123456789abcdef"

// Name is the model that GET /v1/models lists.
const Name = "test-model"

// maxBody bounds a request.
const maxBody = 16 << 20

// Tester takes the faults of the caller that the service finds: a test, or a program
// that shows the service at work.
type Tester interface {
	Helper()
	Errorf(format string, args ...any)
	Cleanup(end func())
}

// Call is a tool call of an answer.
type Call struct {
	ID        string // made up if empty
	Name      string
	Arguments string // JSON text, or what a model writes instead
}

// Step is what the service does with one request. Of Status, Silent, Half, Mute, Endless and Unended one is set at most.
type Step struct {
	Text     string
	Thinking string
	Calls    []Call
	Finish   string // the wire's own word, in place of the one that fits

	Status     int    // an HTTP status other than 200
	Message    string // of the error
	RetryAfter string
	Location   string // of a redirect

	Silent  bool   // no answer at all
	Mute    bool   // the text, then nothing more
	Half    bool   // the text, then the connection is cut
	Endless bool   // text for ever
	Unended bool   // all but the last event, then the end
	Event   string // sent after the text as it is, then the end

	Comments bool // comments between the events, as of services that keep a connection alive
	Cut      int  // bytes that are sent at once; 0 sends whole events
	Delay    time.Duration

	// Check, if not nil, looks at the request.
	Check func(Request)
}

// Request is a request that came.
type Request struct {
	API    string // chat, responses or messages
	Model  string
	Header http.Header
	Body   json.RawMessage
	Tools  []string
	System string
	Stream bool
}

// Server is the service.
type Server struct {
	// Base is its address, which ends with /v1.
	Base string
	// Otherwise, if not nil, answers the requests for which the script has no step.
	Otherwise func(Request) Step

	t        Tester
	server   *httptest.Server
	ended    chan struct{}
	mu       sync.Mutex
	keyless  bool
	steps    []Step
	requests []Request
	models   []string
}

// New starts a service on loopback; it ends with the test.
func New(t Tester, steps ...Step) *Server {
	s := &Server{t: t, steps: steps, ended: make(chan struct{}), models: []string{Name}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.handle(chat{}))
	mux.HandleFunc("POST /v1/responses", s.handle(responsesFormat{}))
	mux.HandleFunc("POST /v1/messages", s.handle(messages{}))
	mux.HandleFunc("GET /v1/models", s.list)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("nobody asks for %s %s", r.Method, r.URL)
		w.WriteHeader(http.StatusNotFound)
	})
	s.server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	s.Base = s.server.URL + "/v1"
	return s
}

// Close ends the service, and what it is still sending.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.ended:
	default:
		close(s.ended)
	}
	s.mu.Unlock()
	s.server.CloseClientConnections()
	s.server.Close()
}

// Then adds steps to the script.
func (s *Server) Then(steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = append(s.steps, steps...)
}

// Keyless makes the service take no key: one that comes all the same fails the test.
func (s *Server) Keyless() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keyless = true
}

// Lists sets the models of GET /v1/models.
func (s *Server) Lists(models ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.models = models
}

// Requests returns the requests that came so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Left returns how many steps of the script were not asked for.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.steps)
}

// format is one of the wire formats.
type format interface {
	name() string
	// check returns the request, and what is wrong with it.
	check(body []byte) (Request, error)
	// write sends the answer.
	write(a *sender, step Step)
}

func (s *Server) handle(f format) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
		if err != nil {
			return // the client has gone
		}
		s.checkHead(f.name(), r)
		request, err := f.check(body)
		if err != nil {
			s.t.Errorf("%s: %v: %.2000s", f.name(), err, body)
		}
		if !request.Stream {
			s.t.Errorf("%s: the request wants no stream", f.name())
		}
		request.API, request.Header, request.Body = f.name(), r.Header.Clone(), body
		step, ok := s.next(request)
		if !ok {
			s.t.Errorf("%s: the script has no step for %.2000s", f.name(), body)
			step = Step{Status: http.StatusInternalServerError, Message: "no step"}
		}
		if step.Check != nil {
			step.Check(request)
		}
		s.answer(w, r, f, request, step)
	}
}

func (s *Server) next(request Request) (Step, bool) {
	s.mu.Lock()
	s.requests = append(s.requests, request)
	if len(s.steps) > 0 {
		step := s.steps[0]
		s.steps = s.steps[1:]
		s.mu.Unlock()
		return step, true
	}
	s.mu.Unlock()
	if s.Otherwise != nil {
		return s.Otherwise(request), true // which may wait
	}
	return Step{}, false
}

// checkHead checks that the request carries the key where its format has it, and nowhere else.
func (s *Server) checkHead(api string, r *http.Request) {
	s.mu.Lock()
	keyless := s.keyless
	s.mu.Unlock()
	want := map[string]string{"Authorization": "", "X-Api-Key": "", "Content-Type": "application/json"}
	switch {
	case api == "messages":
		want["Anthropic-Version"] = "2023-06-01"
		if !keyless {
			want["X-Api-Key"] = Key
		}
	case !keyless:
		want["Authorization"] = "Bearer " + Key
	}
	for name, value := range want {
		if got := r.Header.Get(name); got != value {
			s.t.Errorf("%s: the header %s is %q, not %q", api, name, got, value)
		}
	}
	for name := range r.Header {
		if strings.HasPrefix(name, "X-Stainless") || strings.HasPrefix(name, "Openai-") || name == "Cookie" {
			s.t.Errorf("%s: the header %s was sent", api, name)
		}
	}
	if strings.Contains(r.URL.String(), Key) {
		s.t.Errorf("%s: the key stands in the address", api)
	}
}

func (s *Server) list(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	type entry struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Created int    `json:"created"`
		OwnedBy string `json:"owned_by"`
	}
	all := []entry{}
	for _, name := range s.models {
		all = append(all, entry{name, "model", 1, "test"})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": all}) // the client may have gone
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, f format, request Request, step Step) {
	a := &sender{server: s, w: w, r: r, step: step, request: request}
	switch {
	case !a.wait(step.Delay):
	case step.Silent:
		a.wait(time.Hour)
	case step.Status != 0:
		w.Header().Set("Content-Type", "application/json")
		if step.RetryAfter != "" {
			w.Header().Set("Retry-After", step.RetryAfter)
		}
		if step.Location != "" {
			w.Header().Set("Location", step.Location)
		}
		w.WriteHeader(step.Status)
		message, _ := json.Marshal(step.Message) // a string always has a JSON form
		fmt.Fprintf(w, `{"type":"error","error":{"type":"test_error","code":"test","message":%s,"param":null}}`, message)
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		a.flush()
		f.write(a, step)
	}
}
