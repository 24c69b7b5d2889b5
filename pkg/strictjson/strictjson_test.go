package strictjson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

func TestCanonical(t *testing.T) {
	// Ensure that accepted documents come back compact, in order, with their
	// numbers as written and one spelling for each string.
	tests := []struct{ in, want string }{
		{" { \"b\" : 1 ,\n\"a\" : [ true , null ] } ", `{"b":1,"a":[true,null]}`},
		{`"\u0041\/\u20ac\ud83d\ude00"`, `"A/€😀"`},
		{`"\u0000\u001f\n\""`, `"\u0000\u001f\n\""`},
		{`12345678901234567890123`, `12345678901234567890123`},
		{`[1.0,1e5,1E+05,-0,0.10]`, `[1.0,1e5,1E+05,-0,0.10]`},
		{`1e999999999`, `1e999999999`},
		{`{"":{"":{}}}`, `{"":{"":{}}}`},
		{`{"method":1,"METHOD":2}`, `{"method":1,"METHOD":2}`}, // two names; a closed shape decides
		{`"<script>&\u2028"`, "\"<script>&\u2028\""},
		{`null`, `null`},
	}
	for _, test := range tests {
		in := []byte(test.in)
		got, err := strictjson.Canonical(in, strictjson.Limits{})
		if err != nil || string(got) != test.want {
			t.Errorf("%s: got %s, %v; want %s", test.in, got, err, test.want)
		}
		clear(in)
		if string(got) != test.want {
			t.Errorf("%s: the result shares the memory of the message", test.in)
		}
	}
}

func TestLimits(t *testing.T) {
	// Ensure that limits hold at their edges, and that zero means the default.
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	tests := []struct {
		text []byte
		lim  strictjson.Limits
		ok   bool
	}{
		{nested(200), strictjson.Limits{}, true},
		{nested(201), strictjson.Limits{}, false},
		{nested(3), strictjson.Limits{MaxDepth: 3}, true},
		{nested(4), strictjson.Limits{MaxDepth: 3}, false},
		{[]byte(`{"a":{"b":1}}`), strictjson.Limits{MaxDepth: 1}, false},
		{[]byte(`"abcdefgh"`), strictjson.Limits{MaxBytes: 10}, true},
		{[]byte(`"abcdefghi"`), strictjson.Limits{MaxBytes: 10}, false},
		{bytes.Repeat([]byte(" "), strictjson.DefaultMaxBytes+1), strictjson.Limits{}, false},
		{[]byte(`1`), strictjson.Limits{MaxBytes: -1, MaxDepth: -1}, true},
	}
	for i, test := range tests {
		if _, err := strictjson.Canonical(test.text, test.lim); (err == nil) != test.ok {
			t.Errorf("%d: got %v", i, err)
		}
	}
}

type call struct {
	Method string          `json:"method"`
	Name   string          `json:"name,omitzero"`
	Count  int             `json:"count,omitzero"`
	Number json.Number     `json:"number,omitzero"`
	Params json.RawMessage `json:"params,omitzero"`
	Inner  *struct {
		Flag bool `json:"flag"`
	} `json:"inner,omitzero"`
}

func TestDecode(t *testing.T) {
	// Ensure that a closed shape takes exactly its own names, and an open one
	// skips others without ever mixing up cases.
	tests := []struct {
		text         string
		closed, open bool
	}{
		{`{"method":"a","name":"b","count":3,"inner":{"flag":true}}`, true, true},
		{`{"method":"a","inner":null}`, true, true},
		{`{"method":"a","METHOD":"b"}`, false, true},
		{`{"METHOD":"b"}`, false, true},
		{`{"Method":"b"}`, false, true},
		{`{"method":"a","other":1}`, false, true},
		{`{"method":"a","inner":{"Flag":true}}`, false, true},
		{`{"method":"a","other":{"x":1,"x":2}}`, false, false},
		{`{"method":"a","other\u0000":1}`, false, false},
		{`{"method":1}`, false, false},
		{`{"count":"1"}`, false, false},
		{`{"count":1.5}`, false, false},
		{`{"count":99999999999999999999}`, false, false},
		{`{"number":"1"}`, false, false},
		{`[]`, false, false},
	}
	for _, test := range tests {
		var closed, open call
		if err := strictjson.Decode([]byte(test.text), &closed, strictjson.Limits{}); (err == nil) != test.closed {
			t.Errorf("closed %s: got %v", test.text, err)
		}
		err := strictjson.DecodeOpen([]byte(test.text), &open, strictjson.Limits{})
		if (err == nil) != test.open {
			t.Errorf("open %s: got %v", test.text, err)
		}
		if open.Method == "b" {
			t.Errorf("open %s: a case variant was taken for method", test.text)
		}
		if err != nil && !fault.Is(err, fault.InvalidMessage) {
			t.Errorf("open %s: got the code of %v", test.text, err)
		}
	}
}

func TestDecodeKeepsExactly(t *testing.T) {
	// Ensure that raw members arrive in canonical form and numbers digit by digit.
	var v call
	text := `{"method":"m","params": {"a" : "\u0041", "n": 9007199254740993}, "number": 12345678901234567890.10}`
	if err := strictjson.Decode([]byte(text), &v, strictjson.Limits{}); err != nil {
		t.Fatal(err)
	}
	if string(v.Params) != `{"a":"A","n":9007199254740993}` || v.Number != "12345678901234567890.10" {
		t.Errorf("got %s and %s", v.Params, v.Number)
	}
}

func TestDecodeErrors(t *testing.T) {
	// Ensure that a shape error names the member, quotes no value, and that a
	// target that cannot be filled is our defect and not the sender's.
	var v call
	e := fault.From(strictjson.Decode([]byte(`{"inner":{"flag":"hunter2"}}`), &v, strictjson.Limits{}))
	if e == nil || e.Evidence["pointer"] != "/inner/flag" || strings.Contains(e.Message, "hunter2") {
		t.Errorf("got %v with %v", e, e.Evidence)
	}
	for _, target := range []any{nil, v, (*call)(nil)} {
		if err := strictjson.Decode([]byte(`{}`), target, strictjson.Limits{}); !fault.Is(err, fault.InternalError) {
			t.Errorf("into %T: got %v", target, err)
		}
	}
}

func FuzzCanonical(f *testing.F) {
	for _, h := range hostile {
		if len(h.text) < 1000 {
			f.Add([]byte(h.text))
		}
	}
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":[1.50,-0,1e400,"\u00e9\ud83d\ude00"]}}`))
	// Ensure that the canonical form is a fixed point, is never longer, means
	// to encoding/json what the original meant, and is the one that is put together from tokens.
	f.Fuzz(func(t *testing.T, data []byte) {
		first, err := strictjson.Canonical(data, strictjson.Limits{})
		compareWithTokens(t, data)
		if err != nil {
			if !fault.Is(err, fault.InvalidMessage) {
				t.Fatalf("got %v", err)
			}
			return
		}
		second, err := strictjson.Canonical(first, strictjson.Limits{})
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%q became %q, %v", first, second, err)
		}
		if len(first) > len(data) {
			t.Fatalf("%d bytes became %d", len(data), len(first))
		}
		if a, b := standard(t, data), standard(t, first); !reflect.DeepEqual(a, b) {
			t.Fatalf("%q means %v, %q means %v", data, a, first, b)
		}
	})
}

// compareWithTokens compares the canonical form, or the error, with what comes of the tokens.
func compareWithTokens(t *testing.T, data []byte) {
	t.Helper()
	got, err := strictjson.Canonical(data, strictjson.Limits{})
	want, wantErr := strictjson.CanonicalByToken(data)
	if !bytes.Equal(got, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Errorf("%q became %q, %v, and by token %q, %v", data, got, err, want, wantErr)
	}
}

func TestEachCharacterInAName(t *testing.T) {
	// Ensure that a control character is found in a name, escaped or not, wherever it stands, and only there.
	for r := range rune(0x300) {
		for _, c := range []string{fmt.Sprintf(`\\u%04x`, r), string(r)} {
			for _, text := range []string{`{"%s":1}`, `{"a%sb":[{}]}`, `["%s",{"a":"%s"}]`, `{"a\\\"":{"\\%s":"%s"}}`, `[{"x":1},"\\",{"%s":2}]`} {
				compareWithTokens(t, []byte(strings.ReplaceAll(text, "%s", c)))
			}
		}
	}
	if _, err := strictjson.Canonical([]byte("{\"\u009f\":1}"), strictjson.Limits{}); !fault.Is(err, fault.InvalidMessage) {
		t.Errorf("got %v", err)
	}
}

func standard(t *testing.T, data []byte) any {
	t.Helper()
	in := json.NewDecoder(bytes.NewReader(data))
	in.UseNumber()
	var v any
	if err := in.Decode(&v); err != nil {
		t.Fatalf("encoding/json refuses %q: %v", data, err)
	}
	return v
}

func BenchmarkCanonical(b *testing.B) {
	row := `{"id":12345,"name":"button","text":"Add to cart – now","visible":true,"rect":{"x":10.5,"y":20,"w":120,"h":32}}`
	for name, rows := range map[string]int{"1KB": 8, "1MB": 8000} {
		text := []byte("[" + strings.TrimSuffix(strings.Repeat(row+",", rows), ",") + "]")
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := strictjson.Canonical(text, strictjson.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
