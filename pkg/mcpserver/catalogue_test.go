package mcpserver_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/mcpserver"
	"github.com/actionsjson/actions-host/pkg/policy"
)

var update = flag.Bool("update", false, "write the golden files anew")

// maxCatalogue is what the core catalogue may cost every conversation, in bytes.
const maxCatalogue = 7600

// wire is what a client receives, line by line.
type wire struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *wire) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

// connect connects a client to a server without a browser.
func connect(t *testing.T, revision string, options mcpserver.Options) (*mcp.ClientSession, *wire) {
	t.Helper()
	options.Sockets = filepath.Join(t.TempDir(), "none")
	options.Session.Kind = policy.SessionMCP
	server, err := mcpserver.New(options)
	if err != nil {
		t.Fatal(err)
	}
	near, far := mcp.NewInMemoryTransports()
	ended := make(chan error, 1)
	go func() { ended <- server.Run(t.Context(), far) }()
	seen := &wire{}
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.LoggingTransport{Transport: near, Writer: seen}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		<-ended
	})
	return c, seen
}

// tools lists the tools and returns them with the bytes of the result.
func tools(t *testing.T, c *mcp.ClientSession, seen *wire) ([]*mcp.Tool, json.RawMessage) {
	t.Helper()
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	for line := range strings.Lines(seen.text.String()) {
		var answer struct {
			Result json.RawMessage `json:"result"`
		}
		_, text, _ := strings.Cut(line, ": ")
		if json.Unmarshal([]byte(text), &answer) == nil && bytes.Contains(answer.Result, []byte(`"tools":[`)) {
			return list.Tools, answer.Result
		}
	}
	t.Fatal("no list came over the wire")
	return nil, nil
}

// golden compares with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (go test ./pkg/mcpserver -update writes it anew)\n%s", name, diff)
	}
}

func TestCoreCatalogue(t *testing.T) {
	// Ensure that the core catalogue keeps within its bytes in every revision, has few tools in a fixed order whose names every client takes, no output schema, and changes only on purpose.
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		c, seen := connect(t, revision, mcpserver.Options{})
		list, raw := tools(t, c, seen)
		if len(raw) > maxCatalogue {
			t.Errorf("%s: the catalogue has %d bytes, more than %d", revision, len(raw), maxCatalogue)
		}
		if got := c.InitializeResult().ProtocolVersion; got != revision {
			t.Errorf("%s: spoken is %s", revision, got)
		}
		if len(list) > 19 || list[0].Name != "actions_site" {
			t.Errorf("%d tools, the first is %s", len(list), list[0].Name)
		}
		checkNames(t, list)
		if revision != "2025-11-25" {
			continue
		}
		for _, tool := range list {
			if tool.OutputSchema != nil {
				t.Errorf("%s has an output schema: its answers would be sent twice", tool.Name)
			}
			golden(t, filepath.Join("tools", tool.Name+".json"), indented(t, tool))
		}
		golden(t, "catalogue.json", append(bytes.TrimSpace(raw), '\n'))
		golden(t, "instructions.txt", []byte(c.InitializeResult().Instructions+"\n"))
	}
}

func TestAllCatalogue(t *testing.T) {
	// Ensure that the profile all offers every primitive under a name that clients take, without an output schema, and that each tool's hints change only on purpose.
	c, seen := connect(t, "2025-11-25", mcpserver.Options{All: true, Session: control.SessionParams{AllowCode: true}})
	list, _ := tools(t, c, seen)
	checkNames(t, list)
	var rows strings.Builder
	for _, tool := range list {
		if tool.OutputSchema != nil {
			t.Errorf("%s has an output schema: its answers would be sent twice", tool.Name)
		}
		hints, err := json.Marshal(tool.Annotations)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&rows, "%s %s\n", tool.Name, hints)
	}
	golden(t, "all.txt", []byte(rows.String()))
}

func TestCatalogueOfASessionThatLooks(t *testing.T) {
	// Ensure that a session that only looks is offered nothing that acts, and JavaScript only to whom it was allowed.
	for _, row := range []struct {
		session control.SessionParams
		has     []string
		hasNot  []string
	}{
		{control.SessionParams{Mode: policy.ModeAsk, AllowCode: true}, []string{"actions_site", "page_snapshot"}, []string{"locator_click", "browser_navigate", "browser_run_javascript", "task_add"}},
		{control.SessionParams{Mode: policy.ModeAct}, []string{"locator_click"}, []string{"browser_run_javascript"}},
		{control.SessionParams{Mode: policy.ModeAct, AllowCode: true}, []string{"browser_run_javascript"}, nil},
	} {
		c, seen := connect(t, "", mcpserver.Options{All: true, Session: row.session})
		list, _ := tools(t, c, seen)
		offered := func(name string) bool {
			return slices.ContainsFunc(list, func(tool *mcp.Tool) bool { return tool.Name == name })
		}
		for _, name := range row.has {
			if !offered(name) {
				t.Errorf("%+v: %s is missing", row.session, name)
			}
		}
		for _, name := range row.hasNot {
			if offered(name) {
				t.Errorf("%+v: %s is offered", row.session, name)
			}
		}
	}
}

// taken is what the strictest clients take for a name.
var taken = regexp.MustCompile(`^[a-zA-Z0-9_]{1,64}$`)

func checkNames(t *testing.T, list []*mcp.Tool) {
	t.Helper()
	var names []string
	for _, tool := range list {
		if !taken.MatchString(tool.Name) {
			t.Errorf("a client may refuse the name %q", tool.Name)
		}
		names = append(names, tool.Name)
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("the order is not fixed: %v", names)
	}
}

func indented(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}
