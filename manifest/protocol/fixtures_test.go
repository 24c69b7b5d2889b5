package protocol_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/schema"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// fixture is one message that both sides must judge alike.
type fixture struct {
	Definition string          `json:"definition"`
	Message    json.RawMessage `json:"message"`
	Why        string          `json:"why"`
}

// types names the generated type of each definition.
var types = map[string]reflect.Type{
	"ActionCall":         reflect.TypeFor[protocol.ActionCall](),
	"ActionCallOutput":   reflect.TypeFor[protocol.ActionCallOutput](),
	"ActionPerform":      reflect.TypeFor[protocol.ActionPerform](),
	"ActionPerformed":    reflect.TypeFor[protocol.ActionPerformed](),
	"MetTarget":          reflect.TypeFor[protocol.MetTarget](),
	"MetFrame":           reflect.TypeFor[protocol.MetFrame](),
	"MetRow":             reflect.TypeFor[protocol.MetRow](),
	"ActionFit":          reflect.TypeFor[protocol.ActionFit](),
	"ActionRepair":       reflect.TypeFor[protocol.ActionRepair](),
	"UnfitAction":        reflect.TypeFor[protocol.UnfitAction](),
	"ActionRun":          reflect.TypeFor[protocol.ActionRun](),
	"ActionSave":         reflect.TypeFor[protocol.ActionSave](),
	"RanAction":          reflect.TypeFor[protocol.RanAction](),
	"SavedAction":        reflect.TypeFor[protocol.SavedAction](),
	"AgentChanged":       reflect.TypeFor[protocol.AgentChanged](),
	"AgentCommand":       reflect.TypeFor[protocol.AgentCommand](),
	"AgentCommandResult": reflect.TypeFor[protocol.AgentCommandResult](),
	"AgentMessage":       reflect.TypeFor[protocol.AgentMessage](),
	"AgentStart":         reflect.TypeFor[protocol.AgentStart](),
	"AgentState":         reflect.TypeFor[protocol.AgentState](),
	"AgentView":          reflect.TypeFor[protocol.AgentView](),
	"Announcement":       reflect.TypeFor[protocol.Announcement](),
	"Announcements":      reflect.TypeFor[protocol.Announcements](),
	"ApprovalAnswer":     reflect.TypeFor[protocol.ApprovalAnswer](),
	"BrowserInfo":        reflect.TypeFor[protocol.BrowserInfo](),
	"CallsGoOn":          reflect.TypeFor[protocol.CallsGoOn](),
	"CallsStop":          reflect.TypeFor[protocol.CallsStop](),
	"Work":               reflect.TypeFor[protocol.Work](),
	"WorkCall":           reflect.TypeFor[protocol.WorkCall](),
	"WorkStop":           reflect.TypeFor[protocol.WorkStop](),
	"ChatMessage":        reflect.TypeFor[protocol.ChatMessage](),
	"ChatSettings":       reflect.TypeFor[protocol.ChatSettings](),
	"ChatTab":            reflect.TypeFor[protocol.ChatTab](),
	"ChatView":           reflect.TypeFor[protocol.ChatView](),
	"ClaimParams":        reflect.TypeFor[protocol.ClaimParams](),
	"Claims":             reflect.TypeFor[protocol.Claims](),
	"ClipboardContent":   reflect.TypeFor[protocol.ClipboardContent](),
	"ClipboardRead":      reflect.TypeFor[protocol.ClipboardRead](),
	"ClipboardWrite":     reflect.TypeFor[protocol.ClipboardWrite](),
	"DebuggerCommand":    reflect.TypeFor[protocol.DebuggerCommand](),
	"DebuggerDetached":   reflect.TypeFor[protocol.DebuggerDetached](),
	"DebuggerEvent":      reflect.TypeFor[protocol.DebuggerEvent](),
	"DebuggerRelease":    reflect.TypeFor[protocol.DebuggerRelease](),
	"DebuggerResult":     reflect.TypeFor[protocol.DebuggerResult](),
	"DeskAnswer":         reflect.TypeFor[protocol.DeskAnswer](),
	"DeskCommand":        reflect.TypeFor[protocol.DeskCommand](),
	"DomEvent":           reflect.TypeFor[protocol.DomEvent](),
	"DroppedMessages":    reflect.TypeFor[protocol.DroppedMessages](),
	"SpentTime":          reflect.TypeFor[protocol.SpentTime](),
	"Empty":              reflect.TypeFor[protocol.Empty](),
	"ErrorData":          reflect.TypeFor[protocol.ErrorData](),
	"Frame":              reflect.TypeFor[protocol.Frame](),
	"Grants":             reflect.TypeFor[protocol.Grants](),
	"GrantsRevoke":       reflect.TypeFor[protocol.GrantsRevoke](),
	"Skills":             reflect.TypeFor[protocol.Skills](),
	"SkillChange":        reflect.TypeFor[protocol.SkillChange](),
	"Handshake":          reflect.TypeFor[protocol.Handshake](),
	"HandshakeResult":    reflect.TypeFor[protocol.HandshakeResult](),
	"ImportChunk":        reflect.TypeFor[protocol.ImportChunk](),
	"ImportStart":        reflect.TypeFor[protocol.ImportStart](),
	"Imported":           reflect.TypeFor[protocol.Imported](),
	"InputCommand":       reflect.TypeFor[protocol.InputCommand](),
	"InputEnd":           reflect.TypeFor[protocol.InputEnd](),
	"InputHold":          reflect.TypeFor[protocol.InputHold](),
	"InputSeen":          reflect.TypeFor[protocol.InputSeen](),
	"InputSend":          reflect.TypeFor[protocol.InputSend](),
	"InputSent":          reflect.TypeFor[protocol.InputSent](),
	"InputStep":          reflect.TypeFor[protocol.InputStep](),
	"LauncherClick":      reflect.TypeFor[protocol.LauncherClick](),
	"MediaAnswer":        reflect.TypeFor[protocol.MediaAnswer](),
	"MediaClose":         reflect.TypeFor[protocol.MediaClose](),
	"MediaMute":          reflect.TypeFor[protocol.MediaMute](),
	"NativeInput":        reflect.TypeFor[protocol.NativeInput](),
	"ReplError":          reflect.TypeFor[protocol.ReplError](),
	"ReplFile":           reflect.TypeFor[protocol.ReplFile](),
	"ReplResult":         reflect.TypeFor[protocol.ReplResult](),
	"ReplRun":            reflect.TypeFor[protocol.ReplRun](),
	"ReplStep":           reflect.TypeFor[protocol.ReplStep](),
	"ReplStepResult":     reflect.TypeFor[protocol.ReplStepResult](),
	"UserScriptResult":   reflect.TypeFor[protocol.UserScriptResult](),
	"UserScriptRun":      reflect.TypeFor[protocol.UserScriptRun](),
	"MediaOffer":         reflect.TypeFor[protocol.MediaOffer](),
	"MediaOpen":          reflect.TypeFor[protocol.MediaOpen](),
	"MediaState":         reflect.TypeFor[protocol.MediaState](),
	"MessagePart":        reflect.TypeFor[protocol.MessagePart](),
	"MessageRefused":     reflect.TypeFor[protocol.MessageRefused](),
	"Ping":               reflect.TypeFor[protocol.Ping](),
	"Pong":               reflect.TypeFor[protocol.Pong](),
	"QuestionAnswer":     reflect.TypeFor[protocol.QuestionAnswer](),
	"QuestionPages":      reflect.TypeFor[protocol.QuestionPages](),
	"ReleaseParams":      reflect.TypeFor[protocol.ReleaseParams](),
	"Revoked":            reflect.TypeFor[protocol.Revoked](),
	"RuntimeRef":         reflect.TypeFor[protocol.RuntimeRef](),
	"Recorded":           reflect.TypeFor[protocol.Recorded](),
	"Recording":          reflect.TypeFor[protocol.Recording](),
	"RecordControl":      reflect.TypeFor[protocol.RecordControl](),
	"RecordState":        reflect.TypeFor[protocol.RecordState](),
	"SettingsChange":     reflect.TypeFor[protocol.SettingsChange](),
	"StoredMaps":         reflect.TypeFor[protocol.StoredMaps](),
	"Tab":                reflect.TypeFor[protocol.Tab](),
	"TabActivate":        reflect.TypeFor[protocol.TabActivate](),
	"TabClaimOpened":     reflect.TypeFor[protocol.TabClaimOpened](),
	"TabClose":           reflect.TypeFor[protocol.TabClose](),
	"TabCover":           reflect.TypeFor[protocol.TabCover](),
	"TabCoverResult":     reflect.TypeFor[protocol.TabCoverResult](),
	"TabFrames":          reflect.TypeFor[protocol.TabFrames](),
	"TabFramesResult":    reflect.TypeFor[protocol.TabFramesResult](),
	"TabNavigate":        reflect.TypeFor[protocol.TabNavigate](),
	"TabNavigateResult":  reflect.TypeFor[protocol.TabNavigateResult](),
	"TabOpen":            reflect.TypeFor[protocol.TabOpen](),
	"TabOpenResult":      reflect.TypeFor[protocol.TabOpenResult](),
	"TabOpened":          reflect.TypeFor[protocol.TabOpened](),
	"TabUpdate":          reflect.TypeFor[protocol.TabUpdate](),
	"UIView":             reflect.TypeFor[protocol.UIView](),
}

func TestValidFixtures(t *testing.T) {
	// Ensure that the schema takes each valid message and that the generated Go
	// type carries all of it, there and back.
	schemas := definitions(t)
	for name, f := range fixtures(t, "valid") {
		t.Run(name, func(t *testing.T) {
			if found := schemas[f.Definition].Validate(f.Message); len(found) > 0 {
				t.Fatalf("refused (%s): %v", f.Why, found)
			}
			value := reflect.New(types[f.Definition])
			if err := strictjson.Decode(f.Message, value.Interface(), strictjson.Limits{}); err != nil {
				t.Fatalf("not decoded (%s): %v", f.Why, err)
			}
			again, err := json.Marshal(value.Interface())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(generic(t, f.Message), generic(t, again)); diff != "" {
				t.Errorf("the type loses something (-sent +kept):\n%s", diff)
			}
		})
	}
}

func TestInvalidFixtures(t *testing.T) {
	// Ensure that the schema refuses each invalid message.
	schemas := definitions(t)
	for name, f := range fixtures(t, "invalid") {
		t.Run(name, func(t *testing.T) {
			if found := schemas[f.Definition].Validate(f.Message); len(found) == 0 {
				t.Errorf("accepted although: %s", f.Why)
			}
		})
	}
}

func TestResultsOfPagesAreOpen(t *testing.T) {
	// Ensure that an extension takes a result for its own pages with a member of a later host.
	schemas, open := definitions(t), map[string]bool{}
	for _, m := range protocol.Methods {
		if strings.HasPrefix(m.Name, "agent_") || strings.HasPrefix(m.Name, "ui_") {
			open[m.Result] = true
		}
	}
	for name, f := range fixtures(t, "valid") {
		if f.Definition == "Empty" || f.Definition == "AgentCommandResult" || !open[f.Definition] {
			continue
		}
		later := strings.Replace(string(f.Message), "{", `{"later": 1,`, 1)
		if found := schemas[f.Definition].Validate([]byte(later)); len(found) > 0 {
			t.Errorf("%s: refused: %v", name, found)
		}
	}
}

func TestFixturesAreComplete(t *testing.T) {
	// Ensure that each definition has a Go type, a valid and an invalid message.
	covered := map[string]map[string]bool{"valid": {}, "invalid": {}}
	for kind, seen := range covered {
		for _, f := range fixtures(t, kind) {
			seen[f.Definition] = true
		}
	}
	for name := range definitions(t) {
		if types[name] == nil {
			t.Errorf("%s has no type in this test", name)
		}
		for kind, seen := range covered {
			if !seen[name] {
				t.Errorf("%s has no %s fixture", name, kind)
			}
		}
	}
}

// fixtures reads the messages of a kind by file name. They lie outside of the
// package, because the extension's tests replay the same files.
func fixtures(t *testing.T, kind string) map[string]fixture {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "fixtures", kind, "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no %s fixtures: %v", kind, err)
	}
	all := make(map[string]fixture, len(paths))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var f fixture
		if err := strictjson.Decode(text, &f, strictjson.Limits{}); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if f.Why == "" || types[f.Definition] == nil {
			t.Fatalf("%s: needs a reason and a known definition", path)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".json")] = f
	}
	return all
}

// definitions compiles a schema for each definition of the messages.
func definitions(t *testing.T) map[string]*schema.Schema {
	t.Helper()
	text, err := os.ReadFile("messages.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var whole map[string]json.RawMessage
	var named map[string]json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(whole["definitions"], &named); err != nil {
		t.Fatal(err)
	}
	schemas := make(map[string]*schema.Schema, len(named))
	for name := range named {
		one, err := json.Marshal(map[string]any{
			"$schema": whole["$schema"], "definitions": whole["definitions"],
			"allOf": []any{map[string]string{"$ref": "#/definitions/" + name}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if schemas[name], err = schema.Compile(one); err != nil {
			t.Fatal(err)
		}
	}
	return schemas
}

func generic(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
