package endpoint_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/endpoint"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/model"
)

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func host(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

func method(name string) func(*http.Request) { return func(r *http.Request) { r.Method = name } }

func path(name string) func(*http.Request) { return func(r *http.Request) { r.URL.Path = name } }

func TestAnswer(t *testing.T) {
	// Ensure that a good request is answered in full on both listeners, and what the model gets of it.
	r := start(t)
	body := `{"url":" https://tea.example/ ","title":"Tea","pageContent":"Green tea is 4 €.","model":"AUTO","maxOutputTokens":9,"automationEnabled":true,
		"tools":["page_read","teleport","actions_site"],"messages":[{"role":"user","content":"Hi","timestamp":7}]}`
	for name, client := range map[string]*http.Client{"TCP": {}, "unix": r.onSocket()} {
		got := doWith(t, client, r.post(t, body))
		if got.status != 200 || !got.OK || got.Assistant.Content[0].Text != "Hello" || got.Assistant.StopReason != model.StopEnd || got.Assistant.Timestamp == 0 {
			t.Errorf("%s: %d %s", name, got.status, got.text)
		}
		if diff := cmp.Diff([]string{"teleport"}, got.Ignored); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	asked := r.models.last(t)
	if asked.Model != "auto" || asked.MaxOutputTokens != 9 || len(asked.Tools) != 2 || asked.Tools[0].Name != "actions_site" ||
		asked.Messages[0].Content[0].Text != "Hi" || asked.Messages[0].Timestamp != 7 {
		t.Errorf("%+v", asked)
	}
	for _, want := range []string{"Green tea is 4 €.", "https://tea.example/", "Title: Tea", "actions_site"} {
		if !strings.Contains(asked.System, want) {
			t.Errorf("no %q in the prompt", want)
		}
	}
	// Switched off, tools are no more than names that are ignored.
	got := do(t, r.post(t, strings.Replace(body, `"automationEnabled":true`, `"automationEnabled":false`, 1)))
	if asked := r.models.last(t); len(asked.Tools) != 0 || !strings.Contains(asked.System, "You have no tools") || len(got.Ignored) != 3 {
		t.Errorf("%d tools, ignored %v", len(asked.Tools), got.Ignored)
	}
	if got := do(t, r.post(t, hello)); got.status != 200 || !strings.Contains(got.text, `"ignored_tools":[]`) {
		t.Errorf("%d %s", got.status, got.text)
	}
}

func TestChecksInTheirOrder(t *testing.T) {
	// Ensure that a request which is wrong in every way is told so one by one, in the order that callers rely on.
	r := start(t)
	large := strings.Repeat(" ", endpoint.MaxBody+1)
	wrong := []struct {
		what   string
		status int
		code   fault.Code
		change func(*http.Request)
	}{
		{"host", 403, fault.PermissionDenied, host("tea.example")},
		{"origin", 403, fault.PermissionDenied, header("Origin", "https://evil.example")},
		{"token", 401, fault.Unauthorized, header("Authorization", "Bearer x")},
		{"method", 405, fault.MethodNotAllowed, method(http.MethodPut)},
		{"type", 415, fault.MediaTypeUnsupported, header("Content-Type", "text/plain")},
	}
	for i, w := range wrong {
		var changes []func(*http.Request)
		for _, later := range wrong[i:] {
			changes = append(changes, later.change)
		}
		do(t, r.post(t, large, changes...)).want(t, w.what, w.status, w.code)
	}
	do(t, r.post(t, large)).want(t, "size", 413, fault.PayloadTooLarge)
	do(t, r.post(t, hello, path("/v1/agents"), header("Authorization", ""))).want(t, "path", 404, fault.EndpointNotFound)
	if got := do(t, r.post(t, hello, method(http.MethodGet))); got.header.Get("Allow") != "POST" {
		t.Errorf("%v", got.header)
	}
	if r.models.asked() != 0 {
		t.Error("a model was asked")
	}
}

func TestForgedNames(t *testing.T) {
	// Ensure that only names of this machine and the extension's own origin are served: a web page reaches the port under a name of its own, or says where it comes from.
	r := start(t)
	for name, good := range map[string]bool{
		"localhost": true, "LOCALHOST:8787": true, "127.0.0.1": true, "127.9.9.9:1": true, "[::1]:8787": true, "[::1]": true, "[::ffff:127.0.0.1]:80": true,
		"evil.example": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false, "0.0.0.0": false, "10.0.0.1:8787": false,
		"localhost.": false, "[::]": false, "127.1": false, "2130706433": false, "localhost:x": false, "localhost:8787:1": false,
	} {
		got := do(t, r.post(t, hello, host(name)))
		if good != (got.status == 200) {
			t.Errorf("Host %s: %d", name, got.status)
		}
		if !good && got.status != 400 { // net/http refuses some by itself
			got.want(t, name, 403, fault.PermissionDenied)
		}
		if got := do(t, r.post(t, "", host(name), path("/health"), method(http.MethodGet))); good != (got.status == 200) {
			t.Errorf("health for Host %s: %d", name, got.status)
		}
	}
	own := strings.TrimSuffix(manifest.ExtensionURL, "/")
	for origin, status := range map[string]int{
		own: 200, "https://evil.example": 403, "null": 403, "http://localhost": 403, "http://" + r.address: 403, own + "/": 403, strings.ToUpper(own): 403, own + ".evil.example": 403, "": 403,
		"chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": 403,
	} {
		if got := do(t, r.post(t, hello, header("Origin", origin))); got.status != status {
			t.Errorf("Origin %q: %d", origin, got.status)
		}
	}
	got := do(t, r.post(t, hello, func(r *http.Request) { r.Header["Origin"] = []string{own, "https://evil.example"} }))
	got.want(t, "two origins", 403, fault.PermissionDenied)
}

func TestHealth(t *testing.T) {
	// Ensure that anybody here can see that the server runs, and nothing else.
	r := start(t)
	req := r.post(t, "", path("/health"), method(http.MethodGet))
	req.Header.Del("Authorization")
	if got := do(t, req); got.status != 200 || got.text != fmt.Sprintf("{\"ok\":true,\"pid\":%d,\"version\":\"1.2.3\"}\n", os.Getpid()) {
		t.Errorf("%d %s", got.status, got.text)
	}
	do(t, r.post(t, hello, path("/health"))).want(t, "POST", 405, fault.MethodNotAllowed)
}

func TestTokens(t *testing.T) {
	// Ensure that each token counts until it is removed, in one form alone, and that a store that cannot be trusted serves nobody.
	r := start(t)
	made, second, err := r.store.New(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for text, status := range map[string]int{
		"Bearer " + r.secret: 200, "bearer " + second: 200, second: 401, "Bearer": 401, "Basic " + second: 401, "Bearer  " + second: 401,
		"Bearer " + strings.ToUpper(second): 401, "Bearer " + second + "0": 401, "": 401,
	} {
		if strings.ToUpper(second) == second {
			t.Skip("a token of digits alone")
		}
		if got := do(t, r.post(t, hello, header("Authorization", text))); got.status != status {
			t.Errorf("%q: %d, want %d", text, got.status, status)
		}
	}
	got := do(t, r.post(t, hello, func(req *http.Request) { req.Header["Authorization"] = []string{"Bearer x", "Bearer " + second} }))
	got.want(t, "two", 401, fault.Unauthorized)
	if err := r.store.Remove(made.ID); err != nil {
		t.Fatal(err)
	}
	do(t, r.post(t, hello, header("Authorization", "Bearer "+second))).want(t, "removed", 401, fault.Unauthorized)
	if err := os.WriteFile(r.store.Folder+"/00000000.json", []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	do(t, r.post(t, hello)).want(t, "damaged", 500, fault.StorageUnavailable)
}

func TestGuessing(t *testing.T) {
	// Ensure that the 21st wrong token of a minute is refused with the time to wait, that a good one is served all the same, and that the minute ends.
	var mu sync.Mutex
	now := time.Now()
	r := start(t, func(r *rig) {
		r.SetClock(func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return now
		})
	})
	guess := func() reply { return do(t, r.post(t, hello, header("Authorization", "Bearer x"))) }
	for range 30 {
		do(t, r.post(t, hello, host("evil.example"), header("Authorization", "Bearer x"))).want(t, "a forged name", 403, fault.PermissionDenied)
	}
	for i := range 20 {
		guess().want(t, fmt.Sprint(i), 401, fault.Unauthorized)
	}
	for range 3 {
		got := guess()
		got.want(t, "the next", 429, fault.RateLimited)
		if got.header.Get("Retry-After") != "60" {
			t.Errorf("%v", got.header)
		}
		if got := do(t, r.post(t, hello)); got.status != 200 {
			t.Errorf("a good token: %d", got.status)
		}
	}
	if got := doWith(t, r.onSocket(), r.post(t, hello, header("Authorization", "Bearer x"))); got.status != 401 {
		t.Errorf("on the socket: %d", got.status)
	}
	mu.Lock()
	now = now.Add(time.Minute)
	mu.Unlock()
	guess().want(t, "a minute later", 401, fault.Unauthorized)
}

func TestFailuresAreBounded(t *testing.T) {
	// Ensure that failures count for a minute each, and that any number of addresses takes no more than its room.
	r := start(t)
	now := time.Now()
	for i := range 100 {
		if !r.Fail("slow", now.Add(time.Duration(i)*4*time.Second)) {
			t.Fatalf("locked after %d failures, 15 of them in a minute", i)
		}
	}
	for i := range 5_000 {
		r.Fail(fmt.Sprint("127.0.", i), now)
		if n := r.Addresses(); n > 1024 {
			t.Fatalf("%d addresses", n)
		}
	}
	for range 20 {
		r.Fail("locked", now.Add(time.Second))
	}
	for i := range 1_000 {
		r.Fail(fmt.Sprint("127.1.", i), now.Add(time.Second))
	}
	if r.Fail("locked", now.Add(2*time.Second)) {
		t.Error("other addresses made room for more guesses")
	}
}

func TestListen(t *testing.T) {
	// Ensure that the socket is its owner's alone, that a second server is refused and changes nothing, that a dead one's socket is replaced, and that no address of other machines is listened on.
	r := start(t)
	for name, want := range map[string]os.FileMode{r.socket: os.ModeSocket | 0o600, strings.TrimSuffix(r.socket, "/agent.http"): os.ModeDir | 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode() != want {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	if _, err := endpoint.Listen(r.socket, ""); !fault.Is(err, fault.AlreadyRunning) {
		t.Errorf("a second one: %v", err)
	}
	if got := doWith(t, r.onSocket(), r.post(t, hello)); got.status != 200 {
		t.Errorf("afterwards: %d", got.status)
	}
	other := t.TempDir() + "/s"
	if _, err := endpoint.Listen(other, r.address); !fault.Is(err, fault.AlreadyRunning) {
		t.Errorf("the same port: %v", err)
	}
	if err := r.end(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(r.socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: r.socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	dead.SetUnlinkOnClose(false)
	dead.Close()
	next, err := endpoint.Listen(r.socket, "[::1]:0")
	if err != nil {
		t.Fatalf("after a dead one: %v", err)
	}
	next.Close()
	for _, address := range []string{"0.0.0.0:8787", ":8787", "8787", "127.0.0.1", "localhost:8787", "10.0.0.1:8787", "[::]:8787", "[fe80::1%lo]:8787", "tea.example:80", "127.0.0.1:99999"} {
		if err := endpoint.CheckAddress(address); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestManyAtOnce(t *testing.T) {
	// Ensure that requests at once get their own answers.
	r := start(t)
	r.models.step = func(_ context.Context, asked model.Request, _ func(string)) (model.Message, error) {
		return model.Message{Content: asked.Messages[0].Content}, nil
	}
	var wait sync.WaitGroup
	for i := range 100 {
		wait.Go(func() {
			words := fmt.Sprintf("request %d", i)
			got := do(t, r.post(t, `{"url":"u","messages":[{"role":"user","content":"`+words+`"}]}`))
			if got.status != 200 || got.Assistant.Content[0].Text != words {
				t.Errorf("%d: %d %s", i, got.status, got.text)
			}
		})
	}
	wait.Wait()
}

func TestLargeBodies(t *testing.T) {
	// Ensure that a body of 4,000,000 bytes is read, that one more byte is refused whether its length is declared or not, and that nobody waits for the rest.
	r := start(t)
	fill := func(size int) string {
		return hello[:len(hello)-1] + `,"pageContent":"` + strings.Repeat("x", size-len(hello)-len(`,"pageContent":""`)) + `"}`
	}
	if got := do(t, r.post(t, fill(endpoint.MaxBody))); got.status != 200 {
		t.Errorf("%d %.200s", got.status, got.text)
	}
	for _, size := range []int{endpoint.MaxBody + 1, 5 << 20, 50 << 20} {
		text := fill(size)
		do(t, r.post(t, text)).want(t, "declared", 413, fault.PayloadTooLarge)
		do(t, r.post(t, "", func(req *http.Request) {
			req.ContentLength, req.Body = -1, io.NopCloser(strings.NewReader(text))
		})).want(t, "not declared", 413, fault.PayloadTooLarge)
	}
}
