package mcpserver

import (
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// newServer makes one that no client is connected to.
func newServer(t testing.TB) *Server {
	t.Helper()
	s, err := New(Options{Sockets: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func FuzzArguments(f *testing.F) {
	for _, text := range []string{``, `null`, `{}`, `[]`, `{"name":"page.info","arguments":{"a":1}}`, `{"name":"page_info","detail":true}`, `{"name":7}`, `{"a":1,"a":2}`, `{"name":"x","arguments":"y"}`} {
		f.Add(text)
	}
	s := newServer(f)
	// Ensure that whatever a client sends is arguments by name or a fault, and that primitives.call never names itself a primitive.
	f.Fuzz(func(t *testing.T, text string) {
		for _, tool := range []string{"page.info", callTool} {
			name, args, err := s.unwrap(tool, json.RawMessage(text))
			if err != nil {
				if fault.From(err).Code == fault.InternalError {
					t.Errorf("%s: %v", text, err)
				}
				continue
			}
			if args == nil || name == "" {
				t.Errorf("%q gives %q and %v", text, name, args)
			}
			if _, err := primitive.Output(args); err != nil {
				t.Errorf("%q cannot be sent on: %v", text, err)
			}
		}
	})
}

func FuzzPicture(f *testing.F) {
	for _, text := range []string{`{"data_url":"data:image/png;base64,AAAA","width":1}`, `{"data_url":"data:text/html;base64,AAAA"}`, `{"data_url":7}`, `"data_url"`, `{"data_url":"data:image/png;base64,?"}`} {
		f.Add(text)
	}
	s := newServer(f)
	// Ensure that any output gives a result that a model can read, its picture apart and nowhere else.
	f.Fuzz(func(t *testing.T, text string) {
		if !json.Valid([]byte(text)) {
			return
		}
		r := s.result(dispatch.Envelope{OK: true, Output: json.RawMessage(text)}, false)
		if r.IsError || len(r.Content) < 1 || len(r.Content) > 2 {
			t.Errorf("%s gives %+v", text, r)
		}
	})
}
