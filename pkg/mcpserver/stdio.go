package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// maxBatch is how many messages one line may hold.
const maxBatch = 100

// Stdio is a transport over two streams: each line is a message, or a list of them
// as earlier versions of the protocol allow. An invalid message is answered here, by
// its id if it has one, and has no other effect: the other messages of the line are
// answered one by one, and the session goes on.
type Stdio struct {
	In  io.Reader
	Out io.Writer
}

// Connect implements mcp.Transport.
func (s *Stdio) Connect(context.Context) (mcp.Connection, error) {
	c := &lineConn{in: bufio.NewReader(s.In), out: s.Out, incoming: make(chan line), closed: make(chan struct{})}
	go c.pump()
	return c, nil
}

// line is a received message, or the error that ended the stream.
type line struct {
	message jsonrpc.Message
	err     error
}

// lineConn is the connection of a Stdio.
type lineConn struct {
	in       *bufio.Reader
	incoming chan line
	closing  sync.Once
	closed   chan struct{}

	mu  sync.Mutex // held while a line is written
	out io.Writer
}

// SessionID implements mcp.Connection: one process serves one client.
func (c *lineConn) SessionID() string { return "" }

// Close ends the reading, and a Read that waits.
func (c *lineConn) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return nil
}

// Read implements mcp.Connection.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case l := <-c.incoming:
		return l.message, l.err
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements mcp.Connection.
func (c *lineConn) Write(ctx context.Context, m jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return c.write(text)
}

func (c *lineConn) write(text []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.out.Write(append(text, '\n'))
	return err
}

// pump reads lines until the stream or the connection ends.
func (c *lineConn) pump() {
	for {
		text, whole, ended := c.line()
		var err error
		switch {
		case !whole:
			err = c.refuse(nil, fault.New(fault.InvalidMessage, "the line is longer than %d bytes", mcp.DefaultMaxLineLength))
		case len(text) > 0:
			err = c.handleLine(text)
		}
		if err == nil {
			err = ended
		}
		if err != nil {
			c.deliver(line{err: err})
			return
		}
	}
}

// line reads the next line without the white space around it; whole is false for one
// that is too long, which is skipped.
func (c *lineConn) line() (text []byte, whole bool, ended error) {
	whole = true
	for {
		piece, err := c.in.ReadSlice('\n')
		if whole = whole && len(text)+len(piece) <= mcp.DefaultMaxLineLength; whole {
			text = append(text, piece...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(text), whole, err
		}
	}
}

// handleLine passes on the messages of a line.
func (c *lineConn) handleLine(text []byte) error {
	if text[0] != '[' {
		return c.handleMessage(text)
	}
	var members []json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return c.refuse(text, fault.Wrap(err, fault.InvalidMessage, "the line is not JSON"))
	}
	if n := len(members); n == 0 || n > maxBatch {
		return c.refuse(nil, fault.New(fault.InvalidMessage, "a list of messages has 1 to %d of them, and this one %d", maxBatch, n))
	}
	for _, member := range members {
		if err := c.handleMessage(member); err != nil {
			return err
		}
	}
	return nil
}

func (c *lineConn) handleMessage(text []byte) error {
	m, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return c.refuse(text, fault.Wrap(err, fault.InvalidMessage, `this is no message of JSON-RPC 2.0, which has "jsonrpc":"2.0" and a method`))
	}
	c.deliver(line{message: m})
	return nil
}

func (c *lineConn) deliver(l line) {
	select {
	case c.incoming <- l:
	case <-c.closed:
	}
}

// refusal is the answer to an invalid message.
type refusal struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   struct {
		Code    int          `json:"code"`
		Message string       `json:"message"`
		Data    *fault.Error `json:"data"`
	} `json:"error"`
}

// refuse answers an invalid message. An invalid response is not answered: it was not
// a call.
func (c *lineConn) refuse(text []byte, f *fault.Error) error {
	r := refusal{Version: "2.0", ID: json.RawMessage("null")}
	r.Error.Code, r.Error.Message, r.Error.Data = jsonrpc.CodeInvalidRequest, f.Message, f.WithDispatched(fault.NotDispatched)
	var m map[string]json.RawMessage
	switch {
	case text != nil && !json.Valid(text):
		r.Error.Code = jsonrpc.CodeParseError
	case json.Unmarshal(text, &m) != nil:
	case m["method"] == nil && (m["result"] != nil || m["error"] != nil):
		return nil
	case readableID(m["id"]):
		r.ID = m["id"]
	}
	answer, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return c.write(answer)
}

// readableID reports whether a call could have this id: a string or a number.
func readableID(raw json.RawMessage) bool {
	var id any
	if raw == nil || json.Unmarshal(raw, &id) != nil {
		return false
	}
	switch id.(type) {
	case string, float64:
		return true
	}
	return false
}
