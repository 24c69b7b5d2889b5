package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// server is an MCP server that runs as a client's child.
type server struct {
	*mcp.ClientSession
	cmd    *exec.Cmd
	answer answers
	sent   counted
	ctx    context.Context // outlives the benchmark: a server is told goodbye after it
	b      *testing.B
}

// serve starts the server and greets it; it ends with the benchmark.
func serve(b *testing.B, cmd *exec.Cmd) *server {
	b.Helper()
	s := &server{cmd: cmd, ctx: context.WithoutCancel(b.Context()), b: b}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if testing.Verbose() {
		cmd.Stderr = os.Stderr
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.end)
	transport := &mcp.IOTransport{Reader: s.answer.watch(out), Writer: &s.sent}
	s.sent.to = in
	client := mcp.NewClient(&mcp.Implementation{Name: "actions-host-bench", Version: "1"}, nil)
	if s.ClientSession, err = client.Connect(s.ctx, transport, nil); err != nil {
		b.Fatalf("%v: %v", cmd.Args, err)
	}
	return s
}

// end closes the server's stdin, which asks it to end, and ends it if it does not.
func (s *server) end() {
	if s.ClientSession != nil {
		_ = s.Close()
	}
	ended := make(chan struct{})
	go func() {
		_ = s.cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		_ = s.cmd.Process.Kill()
		<-ended
	}
}

// call calls a tool and returns the texts of its answer.
func (s *server) call(tool string, args any) (text string, failed bool) {
	s.b.Helper()
	result, err := s.CallTool(s.ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		s.b.Fatalf("%s: %v", tool, err)
	}
	return texts(result), result.IsError
}

// texts is what an answer has for its reader.
func texts(result *mcp.CallToolResult) (all string) {
	for _, c := range result.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			all += t.Text
		}
	}
	return all
}

// try is call with a limit, for one that may go wrong in any way.
func (s *server) try(ctx context.Context, tool string, args any) (text string, err error) {
	result, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return "", fmt.Errorf("%s: %w", tool, err)
	}
	if text = texts(result); result.IsError {
		err = fmt.Errorf("%s: %s", tool, text)
	}
	return text, err
}

// must is call for one that has to go well.
func (s *server) must(tool string, args any) string {
	s.b.Helper()
	text, failed := s.call(tool, args)
	if failed {
		s.b.Fatalf("%s: %s", tool, text)
	}
	return text
}

// catalogue is what the list of tools weighs, all its pages together.
func (s *server) catalogue() (bytes int) {
	s.b.Helper()
	for cursor := ""; ; {
		page, err := s.ListTools(s.ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			s.b.Fatal(err)
		}
		bytes += s.answer.last()
		if cursor = page.NextCursor; cursor == "" {
			return bytes
		}
	}
}

// answers weighs the results that pass, as the server wrote them: what the
// client makes of them is not what it sent.
type answers struct {
	mu   sync.Mutex
	size int
	all  int // bytes of every message, those that are no answers among them
}

// last is the size of the newest result in bytes.
func (a *answers) last() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.size
}

// total is the size of all messages so far.
func (a *answers) total() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.all
}

// watch passes the lines on, each after it was weighed.
func (a *answers) watch(from io.ReadCloser) io.ReadCloser {
	passed, to := io.Pipe()
	go func() {
		lines := bufio.NewReaderSize(from, 1<<20)
		for {
			line, err := lines.ReadBytes('\n')
			var message struct {
				Result json.RawMessage `json:"result"`
			}
			result := json.Unmarshal(line, &message) == nil && message.Result != nil
			a.mu.Lock()
			a.all += len(line)
			if result {
				a.size = len(message.Result)
			}
			a.mu.Unlock()
			if _, lost := to.Write(line); lost != nil || err != nil {
				to.CloseWithError(err)
				return
			}
		}
	}()
	return passed
}

// counted counts the bytes of the messages to a server.
type counted struct {
	to  io.WriteCloser
	all atomic.Int64
}

// Write implements io.Writer.
func (c *counted) Write(message []byte) (int, error) {
	c.all.Add(int64(len(message)))
	return c.to.Write(message)
}

// Close implements io.Closer.
func (c *counted) Close() error { return c.to.Close() }
