package endpoint_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/chat"
	"github.com/actionsjson/actions-host/pkg/endpoint"
	"github.com/actionsjson/actions-host/pkg/endpoint/token"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// fake is a model that answers as a test says.
type fake struct {
	mu       sync.Mutex
	requests []model.Request
	describe error
	step     func(ctx context.Context, r model.Request, onText func(string)) (model.Message, error)
}

func (f *fake) Describe(_ context.Context, name string) (model.Info, error) {
	return model.Info{Name: name, Context: 128_000}, f.describe
}

func (f *fake) Step(ctx context.Context, r model.Request, onText func(string)) (model.Message, error) {
	f.mu.Lock()
	f.requests = append(f.requests, r)
	f.mu.Unlock()
	if f.step != nil {
		return f.step(ctx, r, onText)
	}
	onText("Hel")
	onText("lo")
	return model.Message{Role: model.RoleAssistant, Content: []model.Content{{Type: model.TextContent, Text: "Hello"}}, StopReason: model.StopEnd}, nil
}

// last returns the last request that the model got.
func (f *fake) last(t *testing.T) model.Request {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.requests) == 0 {
		t.Fatal("the model was not asked")
	}
	return f.requests[len(f.requests)-1]
}

func (f *fake) asked() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.requests)
}

// rig is a server that listens.
type rig struct {
	*endpoint.Server
	models  *fake
	store   token.Store
	secret  string
	address string
	socket  string
	end     func() error
}

func start(t testing.TB, change ...func(*rig)) *rig {
	t.Helper()
	tools, err := chat.Tools(primitive.Load())
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "ah-") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	r := &rig{models: &fake{}, store: token.Store{Folder: filepath.Join(dir, "tokens")}, socket: filepath.Join(dir, "run", "agent.http")}
	if _, r.secret, err = r.store.New(time.Now()); err != nil {
		t.Fatal(err)
	}
	r.Server = endpoint.New(endpoint.Config{Models: r.models, Tools: tools, Tokens: r.store, Version: "1.2.3"})
	for _, c := range change {
		c(r)
	}
	listening, err := endpoint.Listen(r.socket, "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.address = listening.Address
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		err := r.Serve(ctx, listening.Listeners...)
		listening.Close()
		ended <- err
	}()
	r.end = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := r.end(); err != nil {
			t.Error(err)
		}
	})
	return r
}

const hello = `{"url":"https://tea.example/","messages":[{"role":"user","content":"Hi"}]}`

// post returns a good request, which a test makes worse.
func (r *rig) post(t testing.TB, body string, change ...func(*http.Request)) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+r.address+"/v1/agent", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.secret)
	req.Header.Set("Content-Type", "application/json")
	for _, c := range change {
		c(req)
	}
	return req
}

// reply is what came back.
type reply struct {
	status int
	header http.Header
	text   string

	OK        bool          `json:"ok"`
	Assistant model.Message `json:"assistant"`
	Ignored   []string      `json:"ignored_tools"`
	Error     *fault.Error  `json:"error"`
}

// do sends a request on a connection of its own.
func do(t testing.TB, req *http.Request) reply {
	t.Helper()
	return doWith(t, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, req)
}

func doWith(t testing.TB, client *http.Client, req *http.Request) reply {
	t.Helper()
	response, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	got := reply{status: response.StatusCode, header: response.Header, text: string(text)}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return got
}

// want fails unless the reply is this fault.
func (r reply) want(t testing.TB, what string, status int, code fault.Code) {
	t.Helper()
	if r.status != status || r.OK || r.Error == nil || r.Error.Code != code || r.Error.Message == "" || !strings.HasSuffix(r.Error.NextStep, ".") {
		t.Errorf("%s: %d %s, want %d %s", what, r.status, r.text, status, code)
	}
}

// onSocket is a client of the unix socket.
func (r *rig) onSocket() *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", r.socket)
		},
	}}
}
