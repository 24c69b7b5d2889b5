package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/key"
	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/paths"
	fakemodel "github.com/actionsjson/actions-host/test/fakes/model"
)

func TestModelsTest(t *testing.T) {
	// Ensure that a real step is made, that what came back is shown, and what was wrong if nothing did, without the key.
	server := fakemodel.New(t, fakemodel.Step{Text: "ready\x1b[31m"}, fakemodel.Step{Text: "ready"}, fakemodel.Step{Status: 401, Message: fakemodel.Key})
	t.Setenv(paths.EnvHome, t.TempDir())
	t.Setenv(key.Environment("xai"), fakemodel.Key)
	t.Setenv(model.BaseEnvironment("xai"), server.Base)
	run := func(want int, args ...string) (string, string) {
		var out, errors bytes.Buffer
		if got := runCommand(t.Context(), append([]string{"models", "test"}, args...), &out, &errors); got != want {
			t.Fatalf("%v: exit status %d: %s", args, got, errors.String())
		}
		if strings.Contains(out.String()+errors.String(), fakemodel.Key) {
			t.Error("the key was printed")
		}
		return out.String(), errors.String()
	}
	if out, _ := run(exitDone, "xai/grok-4"); !strings.Contains(out, "xai/grok-4 answered: ready") || !strings.Contains(out, "12 tokens in, 5 out") || strings.Contains(out, "\x1b") {
		t.Errorf("%q", out)
	}
	out, _ := run(exitDone, "xai/grok-4", "--json")
	var answer struct {
		OK    bool        `json:"ok"`
		Model string      `json:"model"`
		Text  string      `json:"text"`
		Usage model.Usage `json:"usage"`
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil || !answer.OK || answer.Text != "ready" || answer.Usage.Output != 5 {
		t.Errorf("%s, %v", out, err)
	}
	if _, errors := run(exitFailed, "xai/grok-4"); !strings.Contains(errors, "model_refused") || !strings.Contains(errors, "key set") {
		t.Error(errors)
	}
}
