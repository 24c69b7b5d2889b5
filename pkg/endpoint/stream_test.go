package endpoint_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/model"
)

var accept = header("Accept", "text/event-stream, application/json;q=0.5")

func TestEvents(t *testing.T) {
	// Ensure that the text comes as events in its pieces, then the message, and done last, on both listeners.
	r := start(t)
	for _, client := range []*http.Client{{}, r.onSocket()} {
		got := doWith(t, client, r.post(t, `{"url":"u","messages":[{"role":"user","content":"Hi"}],"tools":["navigate"]}`, accept))
		want := "event: chunk\ndata: {\"text\":\"Hel\"}\n\nevent: chunk\ndata: {\"text\":\"lo\"}\n\nevent: assistant\ndata: {\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Hello\"}],\"stopReason\":\"stop\",\"timestamp\":"
		if got.status != 200 || !strings.HasPrefix(got.text, want) || !strings.HasSuffix(got.text, "\n\nevent: done\ndata: {\"ok\":true,\"ignored_tools\":[\"navigate\"]}\n\n") {
			t.Errorf("%d %s", got.status, got.text)
		}
	}
	do(t, r.post(t, `{}`, accept)).want(t, "a bad body", 400, fault.InvalidInput)
}

func TestModelFaults(t *testing.T) {
	// Ensure that each fault of a model has its status, that with events the same is said before done, and that what came before it stays.
	r := start(t)
	for code, status := range map[fault.Code]int{
		"model_refused": 502, "model_response_invalid": 502, "model_key_missing": 503, "model_not_found": 503, "model_unavailable": 503, "model_timeout": 504,
		fault.HandlerTimeout: 504, fault.InternalError: 500,
	} {
		failed := fault.New(code, "the model: <&>").With("retry_after_ms", 2_500).WithNextStep("Look.")
		r.models.step = func(context.Context, model.Request, func(string)) (model.Message, error) {
			return model.Message{}, failed
		}
		got := do(t, r.post(t, hello))
		got.want(t, string(code), status, code)
		if got.header.Get("Retry-After") != "3" {
			t.Errorf("%s: %v", code, got.header)
		}
		got = do(t, r.post(t, hello, accept))
		if got.status != status || !strings.HasPrefix(got.text, "event: error\ndata: {\"ok\":false,\"error\":{\"code\":\""+string(code)) || !strings.HasSuffix(got.text, "\n\nevent: done\ndata: {\"ok\":false}\n\n") {
			t.Errorf("%d %s", got.status, got.text)
		}
		r.models.step = func(_ context.Context, _ model.Request, onText func(string)) (model.Message, error) {
			onText("Half")
			return model.Message{}, failed
		}
		got = do(t, r.post(t, hello, accept))
		if got.status != 200 || !strings.HasPrefix(got.text, "event: chunk\ndata: {\"text\":\"Half\"}\n\nevent: error\n") || !strings.HasSuffix(got.text, "event: done\ndata: {\"ok\":false}\n\n") {
			t.Errorf("%d %s", got.status, got.text)
		}
	}
	r.models.describe = fault.New("model_not_found", "there is none").WithNextStep("Look.")
	do(t, r.post(t, hello)).want(t, "describe", 503, "model_not_found")
}

// waiting makes the model wait until its call is cancelled.
func (r *rig) waiting() (began, ended chan struct{}) {
	began, ended = make(chan struct{}, 10), make(chan struct{}, 10)
	r.models.step = func(ctx context.Context, _ model.Request, _ func(string)) (model.Message, error) {
		began <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return model.Message{}, ctx.Err()
	}
	return began, ended
}

func within(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatalf("%s: nothing in 5 s", what)
	}
}

func TestHangUpCancels(t *testing.T) {
	// Ensure that the model's call ends when its caller hangs up, with and without events, on both listeners.
	r := start(t)
	began, ended := r.waiting()
	for name, client := range map[string]*http.Client{"TCP": {}, "unix": r.onSocket()} {
		for _, kind := range []string{"application/json", "text/event-stream"} {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan struct{})
			go func() {
				defer close(done)
				response, err := client.Do(r.post(t, hello, header("Accept", kind)).WithContext(ctx))
				if err == nil {
					response.Body.Close()
					t.Errorf("%s %s: an answer of %d", name, kind, response.StatusCode)
				}
			}()
			within(t, "the call", began)
			cancel()
			within(t, name+" "+kind, ended)
			<-done
		}
	}
}

func TestHalfClosed(t *testing.T) {
	// Ensure that a caller which closes only its sending side, and so cancels the call, gets no success without a message.
	r := start(t)
	began, _ := r.waiting()
	for kind, want := range map[string]string{"application/json": `{"ok":false,"error":{"code":"cancelled"`, "text/event-stream": "event: done\ndata: {\"ok\":false}\n"} {
		conn := r.dial(t, r.head(len(hello), "Accept: "+kind+"\r\n")+hello)
		within(t, "the call", began)
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 503 ") || !strings.Contains(string(text), want) {
			t.Errorf("%s: %q %v", kind, text, err)
		}
	}
}

func TestHangUpWhileText(t *testing.T) {
	// Ensure that the call of a model that goes on and on ends with its caller.
	r := start(t)
	ended := make(chan struct{})
	r.models.step = func(ctx context.Context, _ model.Request, onText func(string)) (model.Message, error) {
		defer close(ended)
		for ctx.Err() == nil {
			onText("more ")
		}
		return model.Message{}, ctx.Err()
	}
	response, err := http.DefaultClient.Do(r.post(t, hello, accept))
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(response.Body).ReadString('\n'); line != "event: chunk\n" || err != nil {
		t.Errorf("%q %v", line, err)
	}
	response.Body.Close()
	within(t, "the call", ended)
}

// dial writes a text to the server and returns the connection.
func (r *rig) dial(t *testing.T, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", r.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn
}

func (r *rig) head(length int, more string) string {
	return fmt.Sprintf("POST /v1/agent HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n", r.secret, length, more)
}

func TestStandingStill(t *testing.T) {
	// Ensure that a caller who stands still in the header, in the body or while it should read is let go in time, and that others are served meanwhile.
	r := start(t, func(r *rig) {
		r.SetTimeouts(100*time.Millisecond, 150*time.Millisecond, 200*time.Millisecond, time.Second)
	})
	slowHead := r.dial(t, "POST /v1/agent HTTP/1.1\r\nHost: local")
	slowBody := r.dial(t, r.head(500, "")+`{"url":`)
	if got := do(t, r.post(t, hello)); got.status != 200 {
		t.Errorf("meanwhile: %d", got.status)
	}
	if text, err := io.ReadAll(slowHead); err != nil || strings.Contains(string(text), "200 OK") {
		t.Errorf("in the header: %q %v", text, err)
	}
	text, err := io.ReadAll(slowBody)
	if err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 400 ") || !strings.Contains(string(text), `"code":"timeout"`) {
		t.Errorf("in the body: %q %v", text, err)
	}
	ended := make(chan struct{})
	r.models.step = func(ctx context.Context, _ model.Request, onText func(string)) (model.Message, error) {
		defer close(ended)
		for ctx.Err() == nil {
			onText(strings.Repeat("x", 1<<16))
		}
		return model.Message{}, ctx.Err()
	}
	r.dial(t, r.head(len(hello), "Accept: text/event-stream\r\n")+hello) // and never reads
	within(t, "while it should read", ended)
}

func TestSlowModel(t *testing.T) {
	// Ensure that the time of a body does not end the call of a model that takes longer, and that a connection serves requests again after its deadlines.
	r := start(t, func(r *rig) {
		r.SetTimeouts(20*time.Second, 500*time.Millisecond, 500*time.Millisecond, time.Second)
	})
	r.models.step = func(ctx context.Context, _ model.Request, _ func(string)) (model.Message, error) {
		select {
		case <-ctx.Done():
		case <-time.After(800 * time.Millisecond):
		}
		return model.Message{}, ctx.Err()
	}
	client := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	defer client.CloseIdleConnections()
	for i := range 3 {
		if got := doWith(t, client, r.post(t, hello)); got.status != 200 {
			t.Errorf("%d: %d %s", i, got.status, got.text)
		}
		time.Sleep(600 * time.Millisecond) // longer than the deadlines
		doWith(t, client, r.post(t, hello, method(http.MethodPut))).want(t, "on the same connection", 405, fault.MethodNotAllowed)
	}
}

func TestEnd(t *testing.T) {
	// Ensure that the end of the server ends the model's calls, whose callers learn why, and is not held up by one who never ends.
	r := start(t, func(r *rig) { r.SetTimeouts(time.Minute, time.Minute, time.Minute, time.Second) })
	began, ended := r.waiting()
	answers := make(chan reply, 1)
	go func() { answers <- do(t, r.post(t, hello)) }()
	within(t, "the call", began)
	idle := r.dial(t, "POST")
	before := time.Now()
	if err := r.end(); err != nil {
		t.Fatal(err)
	}
	within(t, "the end", ended)
	got := <-answers
	got.want(t, "the caller", 503, fault.Cancelled)
	if took := time.Since(before); took > 30*time.Second { // of the minute that the call has
		t.Errorf("the end took %s", took)
	}
	if _, err := io.ReadAll(idle); err != nil && !errors.Is(err, syscall.ECONNRESET) { // what it had sent was not read
		t.Error(err)
	}
}

func TestManyIdleConnections(t *testing.T) {
	// Ensure that connections beyond the limit wait and are served once others are let go.
	r := start(t, func(r *rig) {
		r.SetTimeouts(200*time.Millisecond, time.Second, time.Second, time.Second)
	})
	for range 80 {
		r.dial(t, "POST ")
	}
	if got := do(t, r.post(t, hello)); got.status != 200 {
		t.Errorf("%d", got.status)
	}
	if got := doWith(t, r.onSocket(), r.post(t, hello)); got.status != 200 {
		t.Errorf("%d on the socket", got.status)
	}
}
