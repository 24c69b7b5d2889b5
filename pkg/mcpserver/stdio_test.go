package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// reply is any answer of the server's.
type reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int
		Message string
		Data    *fault.Error
	} `json:"error"`
}

// talk serves the line and returns its answers by id, so many of them as are
// expected and all that came with them; several without an id stand under null,
// null2, …. Requests are answered side by side, in any order.
func talk(t *testing.T, expected int, line string) map[string]reply {
	t.Helper()
	in, client := io.Pipe()
	server, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- newServer(t).Run(t.Context(), &Stdio{In: in, Out: out})
		out.Close()
	}()
	answers := make(chan reply)
	go func() {
		defer close(answers)
		scan := bufio.NewScanner(server)
		scan.Buffer(nil, 1<<20)
		for scan.Scan() {
			var r reply
			if err := json.Unmarshal(scan.Bytes(), &r); err != nil || r.Version != "2.0" {
				t.Errorf("%s: %v", scan.Bytes(), err)
			}
			answers <- r
		}
	}()
	send := func(line string) {
		if _, err := io.WriteString(client, line+"\n"); err != nil {
			t.Errorf("the server does not read on: %v", err)
		}
	}
	send(`{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	got := map[string]reply{}
	take := func(n int) {
		for len(got) < n {
			r, ok := <-answers
			if !ok {
				t.Fatalf("the server ended: %v", <-ended)
			}
			id := strings.Trim(string(r.ID), `"`)
			for n := 2; got[id].Version != ""; n++ {
				id = fmt.Sprint(strings.Trim(string(r.ID), `"`), n)
			}
			got[id] = r
		}
	}
	take(1)
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	go func() {
		send(line)
		send(`{"jsonrpc":"2.0","id":"last","method":"ping"}`)
	}()
	take(expected + 2)
	client.Close()
	if err := <-ended; err != nil {
		t.Errorf("the session ended with %v", err)
	}
	delete(got, "first")
	delete(got, "last")
	return got
}

func TestMalformedMessages(t *testing.T) {
	// Ensure that of several messages on one line each is answered: those that are none by a typed error with their id, the others as if they had come alone; and that neither such a line nor one that is no JSON, empty or too long ends the session.
	const ping, bad = `{"jsonrpc":"2.0","id":%q,"method":"ping"}`, `{"id":%q,"metho":"ping"}`
	one := func(form, id string) string { return fmt.Sprintf(form, id) }
	long := `{"jsonrpc":"2.0","id":"long","method":"` + strings.Repeat("x", mcp.DefaultMaxLineLength) + `"}`
	for name, c := range map[string]struct {
		line     string
		answered []string // with a result
		invalid  []string // refused as no message
		parse    bool
	}{
		"one malformed in the middle":   {line: "[" + one(ping, "a") + "," + one(bad, "b") + "," + one(ping, "c") + "]", answered: []string{"a", "c"}, invalid: []string{"b"}},
		"members that are no objects":   {line: `[7,` + one(ping, "a") + `,[` + one(ping, "b") + `]]`, answered: []string{"a"}, invalid: []string{"null", "null2"}},
		"an id that no call could have": {line: `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, invalid: []string{"null"}},
		"a method that is no text":      {line: `{"jsonrpc":"2.0","id":"a","method":7}`, invalid: []string{"a"}},
		"a single one":                  {line: one(bad, "a"), invalid: []string{"a"}},
		"a list of one":                 {line: "[" + one(ping, "a") + "]", answered: []string{"a"}},
		"an empty list":                 {line: `[]`, invalid: []string{"null"}},
		"a list that is too long":       {line: "[" + strings.Repeat("1,", maxBatch) + "1]", invalid: []string{"null"}},
		"an unreadable answer":          {line: `{"jsonrpc":"1.0","id":1,"result":{}}`},
		"no JSON":                       {line: `{"jsonrpc":"2.0",`, invalid: []string{"null"}, parse: true},
		"a list that is no JSON":        {line: `[` + one(ping, "a"), invalid: []string{"null"}, parse: true},
		"too long":                      {line: long, invalid: []string{"null"}},
		"nothing":                       {line: " \r"},
	} {
		t.Run(name, func(t *testing.T) {
			got := talk(t, len(c.answered)+len(c.invalid), c.line)
			for _, id := range c.answered {
				if got[id].Result == nil {
					t.Errorf("%s: %+v", id, got[id])
				}
			}
			for _, id := range c.invalid {
				want := jsonrpc.CodeInvalidRequest
				if c.parse {
					want = jsonrpc.CodeParseError
				}
				e := got[id].Error
				if e == nil || e.Code != want || e.Data == nil || e.Data.Code != fault.InvalidMessage || e.Data.Dispatched != fault.NotDispatched || e.Data.NextStep == "" {
					t.Errorf("%s: %+v", id, e)
				}
			}
			if len(got) != len(c.answered)+len(c.invalid) {
				t.Errorf("answers: %+v", got)
			}
		})
	}
}

func FuzzLines(f *testing.F) {
	for _, text := range []string{"", "[]", "{}\n[{},7]", `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n[", "\x00\n\"\xff\"\n"} {
		f.Add([]byte(text))
	}
	// Ensure that whatever a client sends is handed on or answered with a line of JSON, and that the end of the stream is the end of it.
	f.Fuzz(func(t *testing.T, text []byte) {
		var out bytes.Buffer
		c, err := (&Stdio{In: bytes.NewReader(text), Out: &out}).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := c.Read(t.Context()); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		for line := range bytes.Lines(out.Bytes()) {
			if !json.Valid(line) || !slices.Contains(line, '\n') {
				t.Errorf("%q was answered with %q", text, line)
			}
		}
	})
}
