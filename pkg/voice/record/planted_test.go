package record

import (
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/voice"
	"github.com/actionsjson/actions-host/test/planted"
)

func TestPlantedSecretsAreNotRecorded(t *testing.T) {
	// Ensure that none of 200 planted secrets is in a recording: said by the user, shown to the model by a tool, answered by the service, or typed by a tool.
	writer, file, failures := begin(t, Header{Model: "m"})
	event := func(v any) json.RawMessage {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	type object map[string]any
	for _, s := range planted.Texts() {
		text := s.InText()
		inner := string(event(object{"ok": true, "output": object{"title": text}}))
		writer.Record(voice.FromUser, 0, event(object{"type": "say", "text": text}))
		writer.Record(voice.FromHost, 1, event(object{"type": "conversation.item.create", "item": object{"type": "function_call_output", "call_id": "a", "output": inner}}))
		writer.Record(voice.FromTools, 0, event(object{"type": "outcome", "call_id": "a", "name": "page.read", "output": object{"ok": true, "output": object{"title": text}}}))
		writer.Record(voice.FromService, 1, event(object{"type": "response.output_text.done", "text": text}))
	}
	for _, s := range planted.Fields() {
		arguments := string(event(object{"text": s.Secret}))
		writer.Record(voice.FromService, 1, event(object{"type": "response.done", "response": object{"output": []object{{"type": "function_call", "call_id": "c", "name": "text_insert", "arguments": arguments}}}}))
		writer.Record(voice.FromTools, 0, event(object{"type": "outcome", "call_id": "c", "name": "text.insert", "output": object{"ok": true, "output": object{"after": s.Secret}}}))
	}
	writer.Close()
	all := planted.All()
	for _, s := range all {
		if s.In(file.Bytes()) {
			t.Errorf("the recording holds %s, which is known by: %s", s.Secret, s.Rule)
		}
	}
	if len(*failures) > 0 || file.Len() < 100*len(all) {
		t.Errorf("%d bytes, %v", file.Len(), *failures)
	}
}
