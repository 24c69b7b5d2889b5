package model

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/key"
	"github.com/actionsjson/actions-host/pkg/paths"
	fakemodel "github.com/actionsjson/actions-host/test/fakes/model"
)

func open(t *testing.T) *Models {
	t.Helper()
	m, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAuto(t *testing.T) {
	// Ensure that auto takes the first provider that is ready, goes to the next one only before any text, and says
	// of each what was wrong when none answers.
	quick(t)
	first, second := fakemodel.New(t), fakemodel.New(t)
	home(t, "")
	t.Setenv(key.Environment("openai"), fakemodel.Key)
	t.Setenv(BaseEnvironment("openai"), first.Base)
	t.Setenv(BaseEnvironment("ollama"), second.Base)
	second.Keyless()
	second.Lists("qwen3:8b", "other")
	request := ask("Hi")
	request.Model = ""

	m := open(t)
	if info, err := m.Describe(t.Context(), "AUTO"); err != nil || info.Name != "openai/gpt-5-mini" || !info.Ready || info.Price == nil {
		t.Errorf("%+v, %v", info, err)
	}
	first.Then(fakemodel.Step{Text: "One."})
	if message, err := m.Step(t.Context(), request, nil); err != nil || message.Model != "openai/gpt-5-mini" {
		t.Errorf("%+v, %v", message, err)
	}
	first.Then(fakemodel.Step{Status: 401, Message: "no"})
	second.Then(fakemodel.Step{Text: "Two."})
	if message, err := m.Step(t.Context(), request, nil); err != nil || message.Model != "ollama/qwen3:8b" {
		t.Errorf("%+v, %v", message, err)
	}
	first.Then(fakemodel.Step{Text: "O", Half: true})
	_, err := m.Step(t.Context(), request, nil)
	check(t, err, fault.ModelResponseInvalid, "openai/")
	first.Then(fakemodel.Step{Status: 401, Message: fakemodel.Key})
	second.Then(fakemodel.Step{Status: 500}, fakemodel.Step{Status: 500})
	_, err = m.Step(t.Context(), request, nil)
	if f := check(t, err, fault.ModelRefused, "openai/gpt-5-mini", "ollama/qwen3:8b"); len(f.Evidence["tried"].([]string)) != 2 {
		t.Error(f.Evidence)
	}
	t.Setenv(key.Environment("openai"), "")
	first.Close()
	second.Close()
	_, err = m.Step(t.Context(), request, nil)
	check(t, err, fault.ModelNotFound, "openai: not listening", "anthropic: no key", "ollama: not listening")
	_, err = m.Describe(t.Context(), "auto")
	check(t, err, fault.ModelNotFound)
}

func TestAutoFits(t *testing.T) {
	// Ensure that a conversation which was cut for the first model goes to no other whose context it does not fit in,
	// and that the failure says so.
	first, second := fakemodel.New(t), fakemodel.New(t, fakemodel.Step{Text: "Two."})
	home(t, "")
	t.Setenv(key.Environment("openai"), fakemodel.Key)
	t.Setenv(BaseEnvironment("openai"), first.Base)
	t.Setenv(BaseEnvironment("ollama"), second.Base)
	second.Keyless()
	second.Lists("qwen3:8b")
	request := ask(strings.Repeat("long ", 20_000))
	request.Model = Auto
	first.Then(fakemodel.Step{Status: 401, Message: "no"})
	_, err := open(t).Step(t.Context(), request, nil)
	check(t, err, fault.ModelRefused, "openai/gpt-5-mini", "ollama/qwen3:8b", "too long")
	if n := len(second.Requests()); n != 0 {
		t.Errorf("%d requests went to the second", n)
	}
}

func TestNames(t *testing.T) {
	// Ensure that a name is split at the first slash, that a model of no table is synthetic, and that programs and
	// unknown providers are refused in words.
	m, server := rig(t, ChatAPI, fakemodel.Step{Text: "Hi."})
	info, err := m.Describe(t.Context(), "test/family/model:free")
	want := Info{Name: "test/family/model:free", Provider: "test", Context: 32768, Synthetic: true, Ready: true, Base: server.Base, OnThisMachine: true}
	if diff := cmp.Diff(want, info); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if info, err := m.Describe(t.Context(), "test/m"); err != nil || info.Synthetic || info.Context != 1000 || info.Price.Cost(Usage{Input: 500_000, Output: 250_000}) != 1 {
		t.Errorf("%+v, %v", info, err)
	}
	request := ask("Hi")
	request.Model = "test/family/model:free"
	request.Messages = conversation()
	if _, err := m.Step(t.Context(), request, nil); err != nil {
		t.Fatal(err)
	}
	if r := server.Requests()[0]; r.Model != "family/model:free" || strings.Contains(string(r.Body), pixel) || !strings.Contains(string(r.Body), "left out") {
		t.Errorf("%s", r.Body)
	}
	for name, word := range map[string]string{"nobody/x": "there are", "gpt-5": "name a model", "/x": "name a model", "test/": "name a model", "cli/claude/x": "command-line", "codex/x": "command-line"} {
		_, err := m.Describe(t.Context(), name)
		check(t, err, fault.ModelNotFound, word)
	}
}

func TestList(t *testing.T) {
	// Ensure that the list is in the order of auto and says which models are ready, and what the others lack.
	local := fakemodel.New(t)
	local.Keyless()
	home(t, fmt.Sprintf(`{"default":"mine/x","providers":{"mine":{"base":"https://models.example/v1","models":[{"id":"x"}]},"lmstudio":{"base":%q}}}`, local.Base))
	t.Setenv(key.Environment("anthropic"), "sk-ant-0123456789")
	var got []string
	m := open(t)
	for _, info := range m.List(t.Context()) {
		got = append(got, info.Name+" "+info.Missing)
		if info.Ready != (info.Missing == "") {
			t.Errorf("%+v", info)
		}
	}
	want := []string{
		"openai/gpt-5-mini no key", "openai/gpt-5 no key", "openai/gpt-4.1 no key", "anthropic/claude-sonnet-4-5 ", "anthropic/claude-haiku-4-5 ",
		"google/gemini-2.5-flash no key", "google/gemini-2.5-pro no key", "xai/grok-4 no key", "zai/glm-4.6 no key", "openrouter/openrouter/auto no key",
		"ollama not listening", "llamacpp not listening", "lmstudio/" + fakemodel.Name + " ", "mine/x no key",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, err := m.Describe(t.Context(), "")
	check(t, err, fault.ModelKeyMissing, "mine")
}

func TestConfig(t *testing.T) {
	// Ensure that a broken models.json is refused with the file and the member, and that nothing is guessed.
	for text, words := range map[string]string{
		`{`:                                   "models.json",
		`{"Default":"auto"}`:                  "Default",
		`{"default":"x"}`:                     "default must be",
		`{"default":"auto","default":"auto"}`: "default",
		`{"max_output_tokens":40000}`:         "max_output_tokens",
		`{"max_output_tokens":"9"}`:           "max_output_tokens",
		`{"providers":{"Big":{"base":"https://x.example"}}}`:                               "providers has a name",
		`{"providers":{"x":{}}}`:                                                           "providers.x.base is missing",
		`{"providers":{"x":{"base":"http://models.example/v1"}}}`:                          "providers.x.base must be https",
		`{"providers":{"x":{"base":"http://127.0.0.1.models.example/v1"}}}`:                "providers.x.base must be https",
		`{"providers":{"x":{"base":"https://me:secret@models.example/v1"}}}`:               "providers.x.base is not",
		`{"providers":{"x":{"base":"https://models.example/v1?key=secret"}}}`:              "providers.x.base is not",
		`{"providers":{"openai":{"api":"soap"}}}`:                                          "providers.openai.api",
		`{"providers":{"openai":{"keys":"x"}}}`:                                            "keys",
		`{"providers":{"openai":{"models":[{"id":""}]}}}`:                                  "providers.openai.models",
		`{"providers":{"openai":{"models":[{"id":"a"},{"id":"a"}]}}}`:                      "twice",
		`{"providers":{"openai":{"models":[{"id":"a","context":-1}]}}}`:                    "providers.openai.models.context",
		`{"providers":{"openai":{"models":[{"id":"a","price":{"input":-1,"output":1}}]}}}`: "providers.openai.models.price",
		`{"providers":{"cli":{"base":"https://models.example/v1"}}}`:                       "command-line",
	} {
		home(t, text)
		_, err := Open()
		if err == nil {
			t.Errorf("%s is taken", text)
			continue
		}
		f := check(t, err, fault.From(err).Code, words)
		if (f.Code != fault.InvalidInput && f.Code != fault.UnsafeURL) || !strings.Contains(f.Message, paths.Data()) || strings.Contains(f.Message, "secret") {
			t.Errorf("%s: %v", text, err)
		}
	}
	home(t, `{"default":"auto","max_output_tokens":2048,"providers":{"ollama":{"base":"http://127.0.0.1:11434/v1","api":"chat","models":[{"id":"qwen3:8b","context":32768,"images":false}]}}}`)
	if m := open(t); m.Default() != Auto || m.config.Providers["ollama"].Models[0].ID != "qwen3:8b" {
		t.Errorf("%+v", m.config)
	}
	home(t, "")
	t.Setenv(BaseEnvironment("openai"), "http://models.example/v1")
	_, err := Open()
	check(t, err, fault.UnsafeURL, "ACTIONS_HOST_OPENAI_BASE")
}

func TestBaseOfTheFileHoldsFirst(t *testing.T) {
	// Ensure that an address in models.json holds before the variable, and the variable before the built-in one.
	home(t, `{"providers":{"openai":{"base":"https://file.example/v1"},"xai":{"api":"chat"}}}`)
	t.Setenv(BaseEnvironment("openai"), "https://variable.example/v1")
	t.Setenv(BaseEnvironment("xai"), "https://variable.example/v1")
	bases := map[string]string{}
	for _, p := range open(t).providers {
		bases[p.name] = p.base
	}
	if bases["openai"] != "https://file.example/v1" || bases["xai"] != "https://variable.example/v1" || bases["zai"] != "https://api.z.ai/api/paas/v4" {
		t.Error(bases)
	}
}
