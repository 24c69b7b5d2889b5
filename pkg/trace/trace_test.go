package trace

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestTrace(t *testing.T) {
	// Ensure that a trace begins to watch before the call, holds what could be had and says what could not, that only its owner reads it, and that no secret of the arguments is in it, whoever repeats it.
	root := t.TempDir()
	text := `{"protocol":"actions.json","version":1,"tools":[{"name":"a.b","input_schema":{"properties":{"x":{"writeOnly":true}}},"workflow":{"steps":[{"id":"s"}]}}]}`
	if err := os.WriteFile(filepath.Join(root, "actions.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var looked []string
	look := func(_ context.Context, name string, _ json.RawMessage) (dispatch.Envelope, error) {
		looked = append(looked, name)
		switch name {
		case "browser.network":
			return dispatch.Envelope{Error: fault.New(fault.DebuggerUnavailable, "pl4nted cannot be watched")}, nil
		case "browser.screenshot":
			return dispatch.Envelope{OK: true, Attachments: []primitive.Attachment{{Kind: primitive.SpecialImage, DataURL: "data:image/png;base64,eHl6"}}}, nil
		}
		return dispatch.Envelope{OK: true, Output: json.RawMessage(`{"text":"say PL4NTED","password":"hunter2"}`)}, nil
	}
	folder := filepath.Join(root, "new", "trace")
	if err := Begin(t.Context(), folder, look); err != nil || strings.Join(looked, " ") != "browser.console browser.network" {
		t.Fatalf("%v, looked at %q", err, looked)
	}
	run := Run{Action: "a.b", Arguments: json.RawMessage(`{"x":"pl4nted","tea":"oolong"}`), StorageRoot: root}
	run.Error = fault.New(fault.WorkflowStepFailed, "step s failed with pl4nted").With("step_id", "s")
	run.Meta.Map = "actions.json"
	if err := Write(t.Context(), folder, run, look); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != 4 {
		t.Fatalf("%v %v", entries, err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", entry.Name(), info.Mode(), err)
		}
		held, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		for _, secret := range []string{"pl4nted", "hunter2", "oolong"} {
			if err != nil || strings.Contains(strings.ToLower(string(held)), secret) {
				t.Errorf("%v: %s holds %s: %s", err, entry.Name(), secret, held)
			}
		}
	}
	var c content
	raw, err := os.ReadFile(filepath.Join(folder, "trace.json"))
	if err != nil || json.Unmarshal(raw, &c) != nil || c.Trust != "untrusted" || c.Map.Pointer != "/tools/0/workflow/steps/0" || c.Map.Line != 1 ||
		strings.Join(c.Files, " ") != "snapshot.json page.png console.json" || len(c.Missing) != 1 || c.Missing[0].Code != fault.DebuggerUnavailable {
		t.Errorf("%v %s", err, raw)
	}
	if err := Begin(t.Context(), folder, look); !fault.Is(err, fault.InvalidArguments) {
		t.Errorf("a folder that is not empty: %v", err)
	}
}
