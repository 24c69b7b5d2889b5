package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"sync"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/websocket"

	"github.com/actionsjson/actions-host/pkg/voice"
	"github.com/actionsjson/actions-host/pkg/voice/record"
)

// request is the id of a request of the session's.
var request = regexp.MustCompile(`(req|look)_[A-Z2-7]{16}`)

// service is the recorded service.
type service struct {
	network *network
	server  *http.Server
	plan    map[int][]connecting // what becomes of each connection
	want    map[int][]sent       // what the session sends on it

	mu      sync.Mutex
	calls   int
	sockets map[int]*websocket.Conn
	got     map[int]int       // how much of want it has sent
	theirs  map[string]string // the recording's id of each of this session's
	ours    map[string]string // and the other way
	wrong   error             // the first difference
	closed  bool
}

// sent is an event that the session sent, in the line of the index.
type sent struct {
	index int
	event json.RawMessage
}

// connecting is a step on the way to a connection.
type connecting struct {
	Type    string
	Session json.RawMessage
	Status  int
	Code    string
}

func newService(r record.Recording) *service {
	s := &service{
		network: newNetwork(), plan: map[int][]connecting{}, want: map[int][]sent{}, sockets: map[int]*websocket.Conn{},
		got: map[int]int{}, theirs: map[string]string{}, ours: map[string]string{},
	}
	for i, line := range r.Lines {
		switch line.From {
		case voice.FromHost:
			s.want[line.Connection] = append(s.want[line.Connection], sent{i, line.Event})
		case voice.FromNetwork:
			var c connecting
			if json.Unmarshal(line.Event, &c) == nil && c.Type != "closed" {
				s.plan[line.Connection] = append(s.plan[line.Connection], c)
			}
		}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/realtime/calls", s.call)
	mux.HandleFunc("GET /v1/realtime", s.open)
	s.server = &http.Server{Handler: mux}
	go func() { _ = s.server.Serve(s.network) }() // it ends with close
	return s
}

// differ notes a difference.
func (s *service) differ(format string, args ...any) {
	if s.wrong == nil && !s.closed {
		s.wrong = fmt.Errorf(format, args...)
	}
}

// next returns the outcome of the connection that is asked for.
func (s *service) next(voiceCall bool) (number int, step connecting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A call and its control connection are one.
	if voiceCall || s.calls == 0 || len(s.plan[s.calls]) == 0 {
		s.calls++
	}
	number = s.calls
	if len(s.plan[number]) == 0 {
		s.differ("the session opens a connection that the recording does not have")
		return number, connecting{Type: "unreachable"}
	}
	step, s.plan[number] = s.plan[number][0], s.plan[number][1:]
	return number, step
}

func (s *service) call(w http.ResponseWriter, r *http.Request) {
	number, step := s.next(true)
	if step.Type == "call" {
		text, err := record.Normalize(json.RawMessage(`{"type":"call","session":` + r.FormValue("session") + `}`))
		want := fmt.Sprintf(`{"type":"call","session":%s}`, step.Session)
		if diff := s.difference(want, string(text)); err != nil || diff != "" {
			s.mu.Lock()
			s.differ("the call is another one (-recorded +sent):\n%s", diff)
			s.mu.Unlock()
		}
		_, step = s.next(false)
	}
	if refuse(w, step) {
		return
	}
	w.Header().Set("Location", fmt.Sprintf("/v1/realtime/calls/rtc_%d", number))
	w.WriteHeader(http.StatusCreated)
	fmt.Fprint(w, "v=0\r\n")
}

// refuse answers where there was no connection.
func refuse(w http.ResponseWriter, step connecting) bool {
	switch step.Type {
	case "refused":
		w.WriteHeader(step.Status)
		fmt.Fprintf(w, `{"error":{"code":%q,"message":"refused"}}`, step.Code)
		return true
	case "unreachable":
		panic(http.ErrAbortHandler) // the connection ends without an answer
	}
	return false
}

func (s *service) open(w http.ResponseWriter, r *http.Request) {
	number, step := s.next(false)
	if refuse(w, step) {
		return
	}
	upgrader := websocket.Upgrader{}
	socket, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the session is gone
	}
	s.mu.Lock()
	s.sockets[number] = socket
	s.mu.Unlock()
	for {
		_, text, err := socket.ReadMessage()
		if err != nil {
			return
		}
		s.take(number, text)
	}
}

// take compares what the session sends with what it sent then.
func (s *service) take(number int, text []byte) {
	s.mu.Lock()
	k := s.got[number]
	s.got[number]++
	want := s.want[number]
	s.mu.Unlock()
	cleaned, err := record.Normalize(text)
	diff := ""
	if err == nil && k < len(want) {
		diff = s.difference(string(want[k].event), string(cleaned))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		s.differ("the session sent what is no event: %v", err)
	case k >= len(want):
		s.differ("the session sent an event more than recorded on connection %d: %.500s", number, cleaned)
	case diff != "":
		s.differ("event %d on connection %d is another one than in line %d (-recorded +sent):\n%s", k+1, number, want[k].index+2, diff)
	}
}

// difference compares two events; of random ids only which is which counts.
func (s *service) difference(want, got string) string {
	s.mu.Lock()
	w, g := request.FindAllString(want, -1), request.FindAllString(got, -1)
	for i := range min(len(w), len(g)) {
		if s.theirs[g[i]] == "" && s.ours[w[i]] == "" {
			s.theirs[g[i]], s.ours[w[i]] = w[i], g[i]
		}
	}
	got = request.ReplaceAllStringFunc(got, func(id string) string {
		if known := s.theirs[id]; known != "" {
			return known
		}
		return id
	})
	s.mu.Unlock()
	return cmp.Diff(value(want), value(got))
}

func value(text string) any {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	return v
}

// missing returns what the session has not sent of what it sent before the line;
// the error is a difference.
func (s *service) missing(i int) (missing, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wrong != nil {
		return nil, s.wrong
	}
	for number, want := range s.want {
		if k := s.got[number]; k < len(want) && want[k].index < i {
			return fmt.Errorf("the session has not sent, on connection %d, what line %d has: %.500s", number, want[k].index+2, want[k].event), nil
		}
	}
	return nil, nil
}

// send sends an event with the ids and the time of this session.
func (s *service) send(number int, event json.RawMessage, began time.Time) error {
	s.mu.Lock()
	socket := s.sockets[number]
	event = request.ReplaceAllFunc(event, func(id []byte) []byte {
		if ours := s.ours[string(id)]; ours != "" {
			return []byte(ours)
		}
		return id
	})
	s.mu.Unlock()
	if socket == nil {
		return fmt.Errorf("the service speaks on connection %d, which the session has not opened", number)
	}
	text, err := absolute(event, began)
	if err != nil {
		return err
	}
	// A session that has hung up meanwhile did so in the recording too, or what it
	// sends shows it.
	_ = socket.WriteMessage(websocket.TextMessage, text)
	return nil
}

// absolute returns a session's end in the time of this play.
func absolute(event json.RawMessage, began time.Time) ([]byte, error) {
	if !bytes.Contains(event, []byte(`"expires_at"`)) {
		return event, nil
	}
	var object map[string]any
	if err := json.Unmarshal(event, &object); err != nil {
		return nil, err
	}
	if session, ok := object["session"].(map[string]any); ok {
		if seconds, ok := session["expires_at"].(float64); ok {
			session["expires_at"] = began.Unix() + int64(seconds)
		}
	}
	return json.Marshal(object)
}

func (s *service) drop(number int) error {
	s.mu.Lock()
	socket := s.sockets[number]
	s.mu.Unlock()
	if socket == nil {
		return fmt.Errorf("the service ends connection %d, which the session has not opened", number)
	}
	return socket.NetConn().Close()
}

func (s *service) close() {
	s.mu.Lock()
	s.closed = true
	sockets := s.sockets
	s.sockets = map[int]*websocket.Conn{}
	s.mu.Unlock()
	_ = s.server.Close() // nobody is left to be served
	for _, socket := range sockets {
		_ = socket.NetConn().Close()
	}
}
