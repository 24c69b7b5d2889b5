package strictjson_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

func TestValueIsAProof(t *testing.T) {
	// Ensure that there is no way from an unchecked text to a Value: neither the constructor nor any decoder, this
	// package's or the standard library's, makes one of a hostile text, by itself or inside of another.
	type holder struct {
		Value strictjson.Value `json:"v"`
	}
	for _, h := range hostile {
		text := []byte(h.text)
		if v, err := strictjson.Parse(text, strictjson.Limits{}); err == nil || !v.IsZero() {
			t.Errorf("%s: parsed as %.80s", h.name, v.Raw())
		}
		inside := []byte(`{"v":` + h.text + `}`)
		for name, decode := range map[string]func(v *strictjson.Value, in *holder) error{
			"json.Unmarshal":   func(v *strictjson.Value, in *holder) error { return json.Unmarshal(text, v) },
			"within an object": func(v *strictjson.Value, in *holder) error { return json.Unmarshal(inside, in) },
			"UnmarshalJSON":    func(v *strictjson.Value, in *holder) error { return v.UnmarshalJSON(text) },
			"Decode":           func(v *strictjson.Value, in *holder) error { return strictjson.Decode(inside, in, strictjson.Limits{}) },
			"DecodeOpen": func(v *strictjson.Value, in *holder) error {
				return strictjson.DecodeOpen(inside, in, strictjson.Limits{})
			},
		} {
			var v strictjson.Value
			var in holder
			err := decode(&v, &in)
			for _, got := range []strictjson.Value{v, in.Value} {
				if !got.IsZero() && !isCanonical(got) {
					t.Errorf("%s, %s: %.80q is a Value, %v", h.name, name, got.Raw(), err)
				}
			}
		}
	}
}

func isCanonical(v strictjson.Value) bool {
	text, err := strictjson.Canonical(v.Raw(), strictjson.Limits{})
	return err == nil && bytes.Equal(text, v.Raw())
}

func TestValue(t *testing.T) {
	// Ensure that a Value has the canonical text, shares no memory with its source, and that its members can be read and
	// left out in their order.
	source := []byte(` {"b": 1.50, "a": {"\u0062": null}, "c": "\/"} `)
	v, err := strictjson.Parse(source, strictjson.Limits{})
	clear(source)
	if err != nil || string(v.Raw()) != `{"b":1.50,"a":{"b":null},"c":"/"}` || !v.IsObject() {
		t.Fatalf("%s, %v", v.Raw(), err)
	}
	for name, want := range map[string]string{"b": "1.50", "a": `{"b":null}`, "B": "", "x": ""} {
		if got := v.Get(name); string(got.Raw()) != want || got.IsZero() != (want == "") {
			t.Errorf("%s is %s", name, got.Raw())
		}
	}
	if got := v.Without("b", "x"); string(got.Raw()) != `{"a":{"b":null},"c":"/"}` {
		t.Errorf("without b: %s", got.Raw())
	}
	if got := v.Without("b", "a", "c"); string(got.Raw()) != `{}` || string(v.Without("x").Raw()) != string(v.Raw()) {
		t.Errorf("without all: %s", got.Raw())
	}
	_ = append(v.Get("b").Raw(), "000"...)
	if string(v.Get("a").Raw()) != `{"b":null}` {
		t.Error("appending to a member's text changed the next one")
	}
	var closed struct{ B json.Number }
	if err := v.Decode(&closed); !fault.Is(err, fault.InvalidMessage) {
		t.Errorf("decoded into a closed shape: %v", err)
	}
}

func TestValueInAMessage(t *testing.T) {
	// Ensure that a Value is sent as its text, that null differs from absence, and that a Value in a larger message is
	// taken as it is there.
	type message struct {
		Value strictjson.Value `json:"v,omitzero"`
	}
	for text, want := range map[string]string{`{}`: "", `{"v":null}`: "null", `{"v": [1, {"a" : "<"}]}`: `[1,{"a":"<"}]`} {
		var m message
		if err := strictjson.Decode([]byte(text), &m, strictjson.Limits{}); err != nil || string(m.Value.Raw()) != want {
			t.Errorf("%s: %s, %v", text, m.Value.Raw(), err)
		}
		var again message
		sent, err := json.Marshal(m)
		if err == nil {
			err = json.Unmarshal(sent, &again)
		}
		if err != nil || string(again.Value.Raw()) != want && want != "null" {
			t.Errorf("%s came back as %s, %v", text, again.Value.Raw(), err)
		}
	}
}

func FuzzValue(f *testing.F) {
	for _, h := range hostile {
		if len(h.text) < 1000 {
			f.Add([]byte(h.text), "a")
		}
	}
	f.Add([]byte(`{"b":1,"a":{"b":null},"c":"\u00e9"}`), "a")
	// Ensure that what is taken out of a Value, and what is left of it, is canonical.
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		v, err := strictjson.Parse(data, strictjson.Limits{})
		if err != nil {
			return
		}
		for _, got := range []strictjson.Value{v, v.Get(name), v.Without(name)} {
			if !got.IsZero() && !isCanonical(got) {
				t.Fatalf("%q, %q: %q", data, name, got.Raw())
			}
		}
		if v.IsObject() && !v.Without(name).Get(name).IsZero() {
			t.Fatalf("%q is still in %q", name, v.Without(name).Raw())
		}
	})
}
