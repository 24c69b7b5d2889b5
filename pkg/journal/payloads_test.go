package journal

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/actionsjson/actions-host/pkg/redact"
)

func TestDataFormat(t *testing.T) {
	// Ensure that the data of each kind of record, as version 0.1.0 has written it, is read in full and written again byte for byte.
	for text, into := range map[string]any{
		`{"arguments":{"mode":"call","action":"cart.add","arguments":{"length":9}},"tab_id":7,"url":"https://tea.example/?a=1&b=<2>","route":"host","effect":"read","stored":true,"policy_exception_report":{"kind":"generic","intended_tool":"locator.click","actions_json_path":"none","reason":"a test"}}`: &Intent{},
		`{"arguments":{},"route":"page","effect":"input"}`:                    &Intent{},
		`{"ok":true,"duration_ms":12.5,"output":{"value":"<b>&"},"tab_id":7}`: &Outcome{},
		`{"ok":true,"duration_ms":447.2,"arguments":{"q":1},"output":null,"tab_id":7,"url":"https://tea.example/","action":"cart.add","origin":"https://old.example","steps":[{"id":"s","primitive":"locator.click","ok":true,"skipped":false,"duration_ms":3}],"map":"scopes/public/a/actions.json"}`: &Outcome{},
		`{"ok":false,"duration_ms":0,"error":{"code":"target_not_found","message":"none","recoverable":true,"retryable":false,"dispatched":"no","evidence":{"id":"x"},"next_step":"Look."},"steps":null}`:                                                                                              &Outcome{},
		`{"allow":false,"approval":"ab12","origin":"","scope":"once"}`:                                            &PolicyEvent{},
		`{"deny":false,"effect":"input","event":"grant_revoked","origin":"https://tea.example","scope":"always"}`: &PolicyEvent{},
		`{"ended":1,"event":"stopped","face":"page","origin":"","scope":"","tab_id":7}`:                           &PolicyEvent{},
		`{"truncated":true,"bytes":70000,"head":"{\"ok\":true"}`:                                                  &redact.Truncation{},
	} {
		decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(into); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got := string(redact.Encode(into)); got != text {
			t.Errorf("written again\n%s is\n%s", text, got)
		}
	}
}

func TestOutcomeMembers(t *testing.T) {
	// Ensure that the result, the action and the steps are read from an outcome, from an intent and from the refusal of a call, and that records of other kinds have none of them.
	type members struct {
		Succeeded, Failed bool
		Action            string
		Steps             []Step
	}
	for text, want := range map[string]members{
		`{"ok":true,"action":"cart.add","steps":[{"id":"s","primitive":"locator.click","ok":true,"duration_ms":3}]}`: {true, false, "cart.add", []Step{{ID: "s", Primitive: "locator.click", OK: true}}},
		`{"ok":false,"arguments":{"mode":"call","action":"cart.add"}}`:                                               {false, true, "cart.add", nil},
		`{"arguments":{"action":"cart.add"},"route":"host","effect":"read"}`:                                         {false, false, "cart.add", nil},
		`{"arguments":[1],"steps":"none"}`:                                                                           {},
		`{"event":"grant_revoked","effect":"input"}`:                                                                 {},
	} {
		var o Outcome
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			t.Fatal(err)
		}
		if got := (members{o.Succeeded(), o.Failed(), o.ActionName(), o.StepList()}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", text, got)
		}
	}
}
