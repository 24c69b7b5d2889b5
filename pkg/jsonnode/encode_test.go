package jsonnode

import (
	"encoding/json"
	"testing"
)

func TestWithout(t *testing.T) {
	// Ensure that the value at a pointer is removed and nothing else, that elements keep their indexes, and that a
	// pointer to nothing is refused.
	const text = `{"b":{"x/y~z":[1,{"c":"<&>"}]},"a":12345678901234567890}`
	for pointer, want := range map[string]string{
		"/a":           `{"b":{"x/y~z":[1,{"c":"<&>"}]}}`,
		"/b/x~1y~0z":   `{"a":12345678901234567890,"b":{}}`,
		"/b/x~1y~0z/0": `{"a":12345678901234567890,"b":{"x/y~z":[{},{"c":"<&>"}]}}`,
		"":             "", "/none": "", "/a/b": "", "/b/x~1y~0z/2": "", "/b/x~1y~0z/-1": "", "/b/x~1y~0z/1/none": "",
	} {
		if got, ok := Without(json.RawMessage(text), pointer); string(got) != want || ok != (want != "") {
			t.Errorf("without %q: %s, %v", pointer, got, ok)
		}
	}
	if _, ok := Without(json.RawMessage(`{"a":1`), "/a"); ok {
		t.Error("a member of broken text was removed")
	}
}

func TestJoin(t *testing.T) {
	// Ensure that an object is joined from its members as it was, whatever is in their names.
	for _, text := range []string{`{}`, `{"b":1,"a":[{"z":null}],"\"\\\u0000é/~<":{}}`} {
		if got := Join(Node{Raw: json.RawMessage(text)}.Members()); string(got) != text {
			t.Errorf("%s became %s", text, got)
		}
	}
}

func TestDecode(t *testing.T) {
	// Ensure that numbers keep their digits, and that only one whole value is decoded.
	v, err := Decode([]byte(` [12345678901234567890.10] `))
	if list, ok := v.([]any); err != nil || !ok || list[0] != json.Number("12345678901234567890.10") {
		t.Errorf("%v, %v", v, err)
	}
	for _, text := range []string{``, `1 2`, `{}]`, `{`} {
		if v, err := Decode([]byte(text)); err == nil {
			t.Errorf("%q was decoded as %v", text, v)
		}
	}
}

func TestDecodeFirst(t *testing.T) {
	// Ensure that what follows the first value is returned beside it, and that white space is nothing.
	for text, want := range map[string]string{"{\"a\":1} \r\n\t": "", `{"a":1} }`: " }", `{"a":1}{"b":2}`: `{"b":2}`} {
		v, rest, err := DecodeFirst([]byte(text))
		if object, ok := v.(map[string]any); err != nil || !ok || object["a"] != json.Number("1") || string(rest) != want {
			t.Errorf("%q: %v and %q, %v", text, v, rest, err)
		}
	}
	if v, rest, err := DecodeFirst([]byte(`{"a":`)); err == nil || v != nil || rest != nil {
		t.Errorf("%v and %q", v, rest)
	}
}
