package strictjson_test

import (
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// hostile documents are refused by Canonical whatever they are decoded into.
var hostile = []struct{ name, text string }{
	{"nothing", ``},
	{"white space only", " \t\r\n"},
	{"byte order mark", "\ufeff{}"},
	{"byte order mark of UTF-16", "\xff\xfe{\x00}\x00"},
	{"non-breaking space before", "\u00a0{}"},
	{"NUL before", "\x00{}"},
	{"NUL after", "{}\x00"},

	{"duplicate", `{"method":"a","method":"b"}`},
	{"duplicate with the same value", `{"a":1,"a":1}`},
	{"duplicate, one escaped", `{"method":"a","m\u0065thod":"b"}`},
	{"duplicate, both escaped differently", `{"\u006Da":1,"\u006da":2}`},
	{"duplicate empty name", `{"":1,"":2}`},
	{"duplicate deep in an object", `{"a":{"b":{"c":1,"c":2}}}`},
	{"duplicate in an array", `[{"a":1},{"a":1,"a":2}]`},
	{"duplicate far apart", `{"a":1,` + manyMembers(200) + `,"a":2}`},
	{"duplicate escaped solidus", `{"a/b":1,"a\/b":2}`},
	{"duplicate beyond the basic plane", `{"😀":1,"\ud83d\ude00":2}`},

	{"NUL in a name", `{"method\u0000":1}`},
	{"only NUL as a name", `{"\u0000":1}`},
	{"NUL name beside the plain one", `{"name":1,"na\u0000me":2}`},
	{"newline in a name", `{"a\nb":1}`},
	{"escape character in a name", `{"\u001b[31m":1}`},
	{"delete in a name", `{"a\u007f":1}`},
	{"raw delete in a name", "{\"a\x7f\":1}"},
	{"C1 control in a name", `{"a\u0085":1}`},
	{"raw C1 control in a name", "{\"a\u009b\":1}"},
	{"control in a nested name", `{"a":[{"b\tc":1}]}`},
	{"raw control in a value", "{\"a\":\"b\x01\"}"},
	{"raw newline in a value", "\"a\nb\""},
	{"raw tab in a name", "{\"a\tb\":1}"},

	{"lone high surrogate", `"\ud800"`},
	{"lone low surrogate", `"\udc00"`},
	{"surrogates in the wrong order", `"\udc00\ud800"`},
	{"high surrogate and a letter", `"\ud800a"`},
	{"high surrogate and a wrong escape", `"\ud800\u0041"`},
	{"lone surrogate in a name", `{"\ud800":1}`},
	{"truncated surrogate pair", `"\ud800\udc"`},
	{"invalid UTF-8", "\"\xff\""},
	{"invalid UTF-8 in a name", "{\"\xc3\x28\":1}"},
	{"overlong UTF-8", "\"\xc0\xaf\""},
	{"surrogate in UTF-8", "\"\xed\xa0\x80\""},
	{"above U+10FFFF", "\"\xf4\x90\x80\x80\""},
	{"cut UTF-8", "\"\xe2\x82"},

	{"two values", `{}{}`},
	{"two values, white space between", "1 2"},
	{"value and letter", `{}x`},
	{"value and comma", `{},`},
	{"value and bracket", `{}]`},
	{"two lines", "{}\n{}\n"},

	{"NaN", `NaN`}, {"NaN inside", `{"a":NaN}`},
	{"Infinity", `Infinity`}, {"-Infinity", `[-Infinity]`},
	{"undefined", `undefined`}, {"capital True", `True`}, {"NULL", `NULL`},
	{"leading zero", `01`}, {"leading zero inside", `{"a":007}`}, {"minus leading zero", `-01`},
	{"plus", `+1`}, {"only minus", `-`}, {"point first", `.5`}, {"point last", `5.`},
	{"exponent without digits", `1e`}, {"hexadecimal", `0x10`}, {"underscore", `1_000`},
	{"big integer suffix", `1n`}, {"two points", `1.2.3`}, {"space in a number", `1 .5`},
	{"Arabic digits", `١٢`}, {"comma as point", `1,5`},

	{"trailing comma in an object", `{"a":1,}`},
	{"trailing comma in an array", `[1,]`},
	{"leading comma", `[,1]`},
	{"two commas", `[1,,2]`},
	{"missing comma", `{"a":1 "b":2}`},
	{"missing colon", `{"a" 1}`},
	{"missing value", `{"a":}`},
	{"missing name", `{:1}`},
	{"name without quotes", `{a:1}`},
	{"single quotes", `{'a':1}`},
	{"number as a name", `{1:2}`},
	{"null as a name", `{null:1}`},
	{"comment", `{/* c */"a":1}`},
	{"line comment", "{}// c"},
	{"unclosed object", `{"a":1`},
	{"unclosed array", `[1`},
	{"unclosed string", `"a`},
	{"mismatched brackets", `[}`},
	{"closing only", `]`},
	{"unknown escape", `"\x41"`},
	{"escape of a quote mark", `"\'"`},
	{"short unicode escape", `"\u41"`},
	{"unicode escape with a sign", `"\u+041"`},
	{"braced unicode escape", `"\u{41}"`},

	{"arrays too deep", strings.Repeat("[", 201) + strings.Repeat("]", 201)},
	{"objects too deep", strings.Repeat(`{"a":`, 201) + "1" + strings.Repeat("}", 201)},
	{"a million open brackets", strings.Repeat("[", 1_000_000)},
	{"deep and mixed", strings.Repeat(`[{"a":`, 150) + "1" + strings.Repeat("}]", 150)},
}

func manyMembers(n int) string {
	members := make([]string, n)
	for i := range members {
		members[i] = `"m` + strings.Repeat("x", i) + `":1`
	}
	return strings.Join(members, ",")
}

func TestHostileDocumentsAreRefused(t *testing.T) {
	// Ensure that no hostile document gets through any of the three functions,
	// and that each is refused with a message, a code and a place.
	if len(hostile) < 60 {
		t.Fatalf("%d hostile documents; at least 60 are wanted", len(hostile))
	}
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			text, err := strictjson.Canonical([]byte(h.text), strictjson.Limits{})
			if err == nil {
				t.Fatalf("accepted as %.80q", text)
			}
			var v any
			if strictjson.Decode([]byte(h.text), &v, strictjson.Limits{}) == nil ||
				strictjson.DecodeOpen([]byte(h.text), &v, strictjson.Limits{}) == nil {
				t.Error("decoded")
			}
			e := fault.From(err)
			if e.Code != fault.InvalidMessage || e.Message == "" {
				t.Errorf("got %v", e)
			}
			_, pointer := e.Evidence["pointer"]
			_, offset := e.Evidence["offset"]
			if !pointer && !offset {
				t.Errorf("no place in %v", e.Evidence)
			}
			if len(e.Message) > 500 {
				t.Errorf("the message has %d bytes", len(e.Message))
			}
		})
	}
}

func TestErrorNamesThePlace(t *testing.T) {
	// Ensure that a person finds the fault: the pointer and the words are exact.
	tests := []struct{ text, pointer, words string }{
		{`{"a":[{"b":1,"b":2}]}`, "/a/0/b", `the member name "b" stands twice`},
		{`{"a":{"x\u0000":1}}`, "/a/x\x00", "control character U+0000"},
		{`{"a":[1,2,nul]}`, "/a/2", "not strict JSON"},
		{`{"a":1`, "", "ends before"},
	}
	for _, test := range tests {
		_, err := strictjson.Canonical([]byte(test.text), strictjson.Limits{})
		e := fault.From(err)
		if e == nil || e.Evidence["pointer"] != test.pointer || !strings.Contains(e.Message, test.words) {
			t.Errorf("%s: got %v with %v", test.text, e, e.Evidence)
		}
	}
}
