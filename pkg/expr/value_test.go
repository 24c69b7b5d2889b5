package expr

import (
	"encoding/json"
	"math"
	"testing"
)

// Ensure truthiness is JavaScript's: empty arrays and objects are true.
func TestTruthy(t *testing.T) {
	for _, c := range []struct {
		v    Value
		want bool
	}{
		{Undefined(), false}, {Value{}, false}, {Null(), false}, {Bool(false), false}, {Number(0), false},
		{Number(math.NaN()), false}, {String(""), false}, {decode(t, "-0"), false},
		{Bool(true), true}, {Number(-1), true}, {String("0"), true}, {decode(t, "[]"), true}, {decode(t, "{}"), true},
		{decode(t, "[0]"), true}, {Object(), true},
	} {
		if got := c.v.Truthy(); got != c.want {
			t.Errorf("%s: got %v", c.v.JSON(), got)
		}
	}
}

// Ensure decoding and encoding keep values, the order of keys and null.
func TestDecodeAndJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"b":1,"a":{"z":null,"y":[]}}`: `{"b":1,"a":{"z":null,"y":[]}}`,
		` [ 1.50 , 1e3, -0, 1e-7 ] `:    `[1.5,1000,0,1e-7]`,
		`"a\u0041\n\ud83d\ude00</x>"`:   `"aA\n😀</x>"`,
		`123456789012345678901234`:      `1.2345678901234569e+23`,
		`null`:                          `null`,
		`false`:                         `false`,
	} {
		if got := string(decode(t, text).JSON()); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	for _, text := range []string{``, `{`, `[1,]`, `1 2`, `nul`, `1e999`} {
		if v, err := Decode(json.RawMessage(text)); err == nil {
			t.Errorf("%q was read as %s", text, v.JSON())
		}
	}
}

// Ensure Object leaves out undefined members and Items gives what it holds.
func TestObjectAndItems(t *testing.T) {
	v := Object(Member{"z", Number(1)}, Member{"gone", Undefined()}, Member{"a", decode(t, `[null,"x"]`)},
		Member{"n", Number(math.Inf(1))})
	if got := string(v.JSON()); got != `{"z":1,"a":[null,"x"],"n":null}` {
		t.Errorf("got %s", got)
	}
	if Undefined().JSON() != nil || !Undefined().IsUndefined() || Null().IsUndefined() {
		t.Error("undefined and null are mixed up")
	}
	items, ok := decode(t, `[null,"x"]`).Items()
	if !ok || len(items) != 2 || items[0].IsUndefined() || string(items[1].JSON()) != `"x"` {
		t.Errorf("got %v, %v", items, ok)
	}
	if items, ok := decode(t, `[]`).Items(); !ok || len(items) != 0 {
		t.Errorf("empty: got %v, %v", items, ok)
	}
	if _, ok := v.Items(); ok {
		t.Error("an object has no items")
	}
}
