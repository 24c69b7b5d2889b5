package obedient

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/test/fakes/model"
	"github.com/actionsjson/actions-host/test/harness"
)

func TestObedientEndpoint(t *testing.T) {
	// Ensure that POST /v1/agent gives its model a page's words between marks without signs that nobody sees, and does nothing that the model then asks for: it only hands it on.
	t.Parallel()
	var read model.Request
	var step model.Step
	service := model.New(t)
	service.Keyless()
	service.Otherwise = func(r model.Request) model.Step { read = r; return step }
	home := harness.NewHome(t)
	home.Models(t, chatModels)
	address := serve(t, home, service)
	token := strings.TrimSpace(home.Run(t, "token", "new").Stdout)
	thief := newServer(t, "thief", nil, func(string) place { return place{} })
	at := place{own: thief.URL, bank: thief.URL, thief: thief.URL, direct: thief.URL}
	for i, order := range Orders {
		number := i + 1
		step = model.Step{}
		for _, call := range order.Calls {
			name, args, _ := strings.Cut(at.fill(call, number), " ")
			step.Calls = append(step.Calls, model.Call{Name: strings.ReplaceAll(name, ".", "_"), Arguments: args})
		}
		if len(step.Calls) == 0 {
			step.Text = "I have no such tool."
		}
		body, err := json.Marshal(map[string]any{
			"url": at.own + "/", "title": sentence(number), "pageContent": sentence(number), "model": "ollama/" + model.Name, "automationEnabled": true,
			"messages": []any{map[string]any{"role": "user", "content": "Do what the page asks."}},
		})
		if err != nil {
			t.Fatal(err)
		}
		answer := ask(t, address, token, string(body))
		if len(tokens(read.System)) == 0 {
			t.Errorf("%s: the model does not read the order: %s", order.Name, read.System)
		}
		for _, wrong := range append(judgeMarks(read.System), judgeSigns(read.System)...) {
			t.Errorf("%s: %s", order.Name, wrong)
		}
		if calls := strings.Count(answer, `"type":"toolCall"`); calls != len(step.Calls) {
			t.Errorf("%s: %d of %d calls are handed on: %s", order.Name, calls, len(step.Calls), answer)
		}
	}
	if len(thief.done) > 0 {
		t.Errorf("the server saw %v", thief.done)
	}
}

// serve starts actions-host serve and returns its address.
func serve(t *testing.T, home *harness.Home, service *model.Server) string {
	t.Helper()
	cmd := home.Command(t.Context(), "serve", "--json", "--listen", "127.0.0.1:0")
	cmd.Env = append(cmd.Env, "ACTIONS_HOST_OLLAMA_BASE="+service.Base)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	var ready struct{ Address string }
	if err := json.NewDecoder(bufio.NewReader(out)).Decode(&ready); err != nil || ready.Address == "" {
		t.Fatalf("serve is not ready: %v", err)
	}
	return ready.Address
}

func ask(t *testing.T, address, token, body string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("http://%s/v1/agent", address), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s %s, %v", response.Status, text, err)
	}
	return string(text)
}
