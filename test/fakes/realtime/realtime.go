// Package realtime is a voice service for tests: it speaks the Realtime protocol
// to the host and, for voice, WebRTC to the browser, driven by a script.
//
// Rules of this package:
//   - It is strict: an event that the protocol does not know, or that comes when it
//     may not, fails the test that runs.
//   - The shapes of what it sends and reads are those of the provider's own
//     module, not this project's idea of them.
//   - Nothing is answered that the script does not answer.
package realtime

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/openai/openai-go/v3/realtime"
)

// Key is the only one that the service takes.
const Key = "sk-test-0123456789abcdef"

// Server is the service. Base is its address for pkg/voice/openai.
type Server struct {
	Base string

	t        Tester
	mu       sync.Mutex
	refusal  int // HTTP status of the next connections; 0 takes them
	silent   bool
	sessions []*Session
	arrived  chan *Session
	calls    map[string]*Call
}

// New starts a service on loopback; it ends with the test.
func New(t Tester) *Server {
	s := &Server{t: t, arrived: make(chan *Session, 16), calls: map[string]*Call{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/realtime", s.socket)
	mux.HandleFunc("POST /v1/realtime/calls", s.call)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	t.Cleanup(s.end)
	s.Base = server.URL + "/v1"
	return s
}

// Refuse makes the service answer new connections with an HTTP status; 0 ends it.
func (s *Server) Refuse(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refusal = status
}

// Next waits for the next session that the host opens.
func (s *Server) Next(ctx context.Context) *Session {
	s.t.Helper()
	select {
	case session := <-s.arrived:
		return session
	case <-ctx.Done():
		s.t.Fatal("no session was opened")
		return nil
	}
}

// Silent makes the service accept new sessions and send nothing on them, not even
// that they exist; false ends it.
func (s *Server) Silent(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent = on
}

// Count returns how many sessions were opened so far.
func (s *Server) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

func (s *Server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, session := range s.sessions {
		session.Drop()
	}
	for _, call := range s.calls {
		call.close()
	}
}

// admit checks what every request must have.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	refusal := s.refusal
	s.mu.Unlock()
	status, code := 0, ""
	switch {
	case r.Header.Get("Authorization") != "Bearer "+Key:
		status, code = http.StatusUnauthorized, "invalid_api_key"
	case refusal != 0:
		status, code = refusal, "server_error"
	default:
		return true
	}
	// Taken to its end, as a service does: a client that is cut off while it still
	// writes never reads the refusal.
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return false // it has gone itself
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"code":%q,"message":"Incorrect or refused: %s"}}`, code, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	return false
}

func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	if !s.admit(w, r) {
		return
	}
	callID := r.URL.Query().Get("call_id")
	s.mu.Lock()
	call := s.calls[callID]
	s.mu.Unlock()
	if (callID == "") == (r.URL.Query().Get("model") == "") || callID != "" && call == nil {
		s.t.Errorf("a session must name a model or a call that exists: %s", r.URL.RawQuery)
	}
	upgrader := websocket.Upgrader{}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the client is gone
	}
	session := &Session{t: s.t, conn: conn, Call: call, received: make(chan json.RawMessage, 1024), ended: make(chan struct{})}
	s.mu.Lock()
	s.sessions = append(s.sessions, session)
	session.name = fmt.Sprint(len(s.sessions))
	silent := s.silent
	s.mu.Unlock()
	if !silent {
		session.Send(`{"type":"session.created","session":{"id":"sess_%d","type":"realtime","object":"realtime.session","expires_at":%d}}`,
			len(s.sessions), time.Now().Add(time.Hour).Unix())
	}
	go session.read()
	s.arrived <- session
}

// Session is one connection of the host.
type Session struct {
	Call *Call // of a voice session

	t        Tester
	conn     *websocket.Conn
	writing  sync.Mutex
	received chan json.RawMessage
	ended    chan struct{}
	events   int
	active   string // the response that runs
	requests int
	turns    int    // of the user's
	name     string // is part of all ids of this session's
}

// read takes the host's events; each must be one that the protocol knows.
func (s *Session) read() {
	defer close(s.ended)
	for {
		_, text, err := s.conn.ReadMessage()
		if err != nil {
			return
		}
		if why := unknown(text); why != "" {
			s.t.Errorf("the host sent an event that the protocol does not know (%s): %.300s", why, text)
		}
		s.received <- text
	}
}

// clientTypes are the types of events that a client may send.
var clientTypes = []string{
	"session.update", "input_audio_buffer.append", "input_audio_buffer.commit", "input_audio_buffer.clear", "output_audio_buffer.clear",
	"conversation.item.create", "conversation.item.retrieve", "conversation.item.truncate", "conversation.item.delete",
	"response.create", "response.cancel",
}

// clientEvent has the members that the client's events have; the session's are the module's own type,
// which decodes nothing else for the events.
type clientEvent struct {
	Type         string                                      `json:"type"`
	EventID      string                                      `json:"event_id"`
	Session      *realtime.RealtimeSessionCreateRequestParam `json:"session"`
	Audio        string                                      `json:"audio"`
	ItemID       string                                      `json:"item_id"`
	Previous     string                                      `json:"previous_item_id"`
	ContentIndex int                                         `json:"content_index"`
	AudioEndMS   int                                         `json:"audio_end_ms"`
	ResponseID   string                                      `json:"response_id"`
	Response     *struct {
		Metadata     map[string]string `json:"metadata"`
		Modalities   []string          `json:"output_modalities"`
		Instructions string            `json:"instructions"`
	} `json:"response"`
	Item *struct {
		ID        string `json:"id"`
		Type      string `json:"type"`
		Role      string `json:"role"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
		Output    string `json:"output"`
		Status    string `json:"status"`
		Content   []struct {
			Type     string `json:"type"`
			Text     string `json:"text"`
			ImageURL string `json:"image_url"`
			Detail   string `json:"detail"`
		} `json:"content"`
	} `json:"item"`
}

// unknown returns the members of an event that the provider's module does not know.
func unknown(text []byte) string {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return err.Error()
	}
	known := false
	for _, t := range clientTypes {
		known = known || t == head.Type
	}
	if !known {
		return "type " + head.Type
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var event clientEvent
	if err := decoder.Decode(&event); err != nil {
		return err.Error()
	}
	return ""
}

// Send sends the host an event unchanged.
func (s *Session) Send(format string, args ...any) {
	s.writing.Lock()
	defer s.writing.Unlock()
	// A host that is gone is what some tests are about.
	_ = s.conn.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, format, args...))
}

// Drop cuts the connection without a word.
func (s *Session) Drop() { _ = s.conn.Close() }

// Ended is closed when the host has gone.
func (s *Session) Ended() <-chan struct{} { return s.ended }

// Event is an event that the host sent.
type Event struct {
	Type     string          `json:"type"`
	EventID  string          `json:"event_id"`
	Session  json.RawMessage `json:"session"`
	Response struct {
		Metadata   map[string]string `json:"metadata"`
		Modalities []string          `json:"output_modalities"`
	} `json:"response"`
	ResponseID string `json:"response_id"`
	ItemID     string `json:"item_id"`
	Item       Item   `json:"item"`
	Raw        json.RawMessage
}

// Item is an item that the host put into the conversation.
type Item struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Role    string `json:"role"`
	CallID  string `json:"call_id"`
	Output  string `json:"output"`
	Content []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL string `json:"image_url"`
	} `json:"content"`
}

// Expect waits for the next event of a type and returns it; events of other types
// before it are skipped. A response.create while a response runs fails the test.
func (s *Session) Expect(ctx context.Context, kind string) Event {
	s.t.Helper()
	all := s.Until(ctx, kind)
	return all[len(all)-1]
}

// Until waits for the next event of a type like Expect and returns all events up to it.
func (s *Session) Until(ctx context.Context, kind string) (all []Event) {
	s.t.Helper()
	for {
		select {
		case text := <-s.received:
			var e Event
			if err := json.Unmarshal(text, &e); err != nil {
				s.t.Fatal(err)
			}
			e.Raw = text
			if e.Type == "response.create" && s.active != "" {
				s.t.Errorf("a response was asked for while %s runs", s.active)
			}
			if all = append(all, e); e.Type == kind {
				return all
			}
		case <-s.ended:
			s.t.Fatalf("the host went before %s", kind)
		case <-ctx.Done():
			s.t.Fatalf("the host never sent %s", kind)
		}
	}
}
