package launch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// noOutput is the last output of a browser that wrote nothing.
func noOutput() string { return "" }

// answering is a browser that answers each command with its own number and name,
// after an event.
func answering(t *testing.T) *pipe {
	t.Helper()
	in, toBrowser := io.Pipe()
	fromBrowser, out := io.Pipe()
	go func() {
		defer out.Close()
		commands := bufio.NewReader(in)
		for {
			text, err := commands.ReadBytes(0)
			if err != nil {
				return
			}
			var m Message
			if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
				t.Error(err)
				return
			}
			reply := Message{ID: m.ID, SessionID: m.SessionID, Result: json.RawMessage(`{"method":"` + m.Method + `","session":"` + m.SessionID + `"}`)}
			if m.Method == "Fail" {
				reply.Result, reply.Error = nil, &Error{Code: -32000, Message: "no such thing"}
			}
			for _, message := range []Message{{SessionID: m.SessionID, Method: "Event", Params: json.RawMessage(`{"of":"` + m.Method + `"}`)}, reply} {
				raw, err := json.Marshal(message)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := out.Write(append(raw, 0)); err != nil {
					return
				}
			}
		}
	}()
	p := newPipe(fromBrowser, toBrowser, noOutput)
	t.Cleanup(func() { p.Close() })
	return p
}

func TestLines(t *testing.T) {
	// Ensure that each line gets the replies to its own commands under its own numbers, and every event.
	p := answering(t)
	one, two := p.newClient(), p.newClient()
	for _, l := range []*Client{one, two} {
		if err := l.Send(Message{ID: 7, Method: "M"}); err != nil {
			t.Fatal(err)
		}
	}
	for name, l := range map[string]*Client{"one": one, "two": two} {
		replies, events := 0, 0
		for range 3 {
			m, err := l.Receive(t.Context())
			switch {
			case err != nil:
				t.Fatal(err)
			case m.ID == 7:
				replies++
			case m.Method == "Event":
				events++
			}
		}
		if replies != 1 || events != 2 {
			t.Errorf("line %s: %d replies, %d events", name, replies, events)
		}
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := one.Receive(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("a closed line gives %v", err)
	}
}

func TestSession(t *testing.T) {
	// Ensure that a session's calls name it, that the browser's refusal comes back as an error, and that its events alone reach a subscriber.
	s := session{pipe: answering(t), id: "S"}
	events, cancel := s.Subscribe("Event")
	defer cancel()
	if err := (session{pipe: s.pipe}).Call(t.Context(), "Other", nil, nil); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Method  string `json:"method"`
		Session string `json:"session"`
	}
	if err := s.Call(t.Context(), "M", struct{}{}, &got); err != nil || got.Method != "M" || got.Session != "S" {
		t.Errorf("got %+v, %v", got, err)
	}
	if event := <-events; string(event) != `{"of":"M"}` {
		t.Errorf("the event is %s", event)
	}
	var refused *Error
	if err := s.Call(t.Context(), "Fail", struct{}{}, nil); !errors.As(err, &refused) || refused.Message != "no such thing" {
		t.Errorf("the refusal is %v", err)
	}
}

func TestBrowserThatEnded(t *testing.T) {
	// Ensure that calls under way and later ones end when the browser does, and that a call ends with its context.
	in, out := io.Pipe()
	commands, toBrowser := io.Pipe()
	go func() {
		// The command is read, and never answered.
		_, _ = bufio.NewReader(commands).ReadBytes(0)
		out.Close()
	}()
	s := session{pipe: newPipe(in, toBrowser, noOutput)}
	for range 2 {
		if err := s.Call(t.Context(), "M", struct{}{}, nil); !fault.Is(err, fault.BrowserNotConnected) {
			t.Fatalf("got %v", err)
		}
		commands.Close()
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (session{pipe: silent(t)}).Call(ended, "M", struct{}{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// silent is a browser that takes commands and says nothing.
func silent(t *testing.T) *pipe {
	t.Helper()
	in, out := io.Pipe()
	commands, toBrowser := io.Pipe()
	go func() {
		// It ends with the pipe.
		_, _ = io.Copy(io.Discard, commands)
	}()
	p := newPipe(in, toBrowser, noOutput)
	t.Cleanup(func() { p.Close(); out.Close() })
	return p
}
