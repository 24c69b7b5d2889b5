package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// server is an MCP server that runs as a client's child.
type server struct {
	*mcp.ClientSession
	cmd    *exec.Cmd
	answer answers
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
	transport := &mcp.IOTransport{Reader: s.answer.watch(out), Writer: in}
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
	for _, c := range result.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			text += t.Text
		}
	}
	return text, result.IsError
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
}

// last is the size of the newest result in bytes.
func (a *answers) last() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.size
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
			if json.Unmarshal(line, &message) == nil && message.Result != nil {
				a.mu.Lock()
				a.size = len(message.Result)
				a.mu.Unlock()
			}
			if _, lost := to.Write(line); lost != nil || err != nil {
				to.CloseWithError(err)
				return
			}
		}
	}()
	return passed
}
