package journal

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	png  = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
	jwt  = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.c2lnbmF0dXJlLXBsYW50ZWQ"
	mark = "pl4nted" // part of every other planted secret
)

// Ensure each kind of secret goes and what is not a secret stays.
func TestRedact(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"nothing", ` {"a" : [1.50, "x", null, true], "key":"Enter", "tokens": 5, "tokenizer":"t"} `, `{"a":[1.50,"x",null,true],"key":"Enter","tokens":5,"tokenizer":"t"}`},
		{"empty", ``, ``},
		{"names", `{"password":"p","newPassword":"p","API-Key":"k","x_api_key":"k","Set-Cookie":"c","oneTimeCode":"1","cvc":123,"cardNumber":"4","accesstoken":"t"}`,
			`{"API-Key":"[redacted]","Set-Cookie":"[redacted]","accesstoken":"[redacted]","cardNumber":"[redacted]","cvc":"[redacted]","newPassword":"[redacted]","oneTimeCode":"[redacted]","password":"[redacted]","x_api_key":"[redacted]"}`},
		{"escaped name", `{"pass\u0077ord":"p"}`, `{"password":"[redacted]"}`},
		{"whole members", `{"token":{"a":["p"]},"secret":["p"]}`, `{"secret":"[redacted]","token":"[redacted]"}`},
		{"count of secrets", `{"secrets_redacted":2,"secret":"s"}`, `{"secret":"[redacted]","secrets_redacted":2}`},
		{"no count of secrets", `{"secrets_redacted":"s"}`, `{"secrets_redacted":"[redacted]"}`},
		{"only whether", `{"token":null,"password":true}`, `{"password":true,"token":null}`},
		{"described", `[{"name":"password","value":"p"},{"type":"text","value":"v"}]`, `[{"name":"password","value":"[redacted]"},{"type":"text","value":"v"}]`},
		{"provider keys", `["sk-abcdefgh1234","x ghp_abcdefghij1234567890 y","xoxb-123456789-abc","AKIAIOSFODNN7EXAMPLE"]`, `["[redacted]","x [redacted] y","[redacted]","[redacted]"]`},
		{"web token", `["` + jwt + `"]`, `["[redacted]"]`},
		{"bearer", `["Authorization: Bearer abc","use bearer abcdefgh1234 now","bearer of news"]`, `["Authorization: [redacted]","use bearer [redacted] now","bearer of news"]`},
		{"header lines", `["Cookie: a=1; b=2\nAccept: x"]`, `["Cookie: [redacted]\nAccept: x"]`},
		{"URL", `["https://u:p@a.test/x?page=2&access_token=abc&q=1#id_token=z"]`, `["https://[redacted]@a.test/x?page=2&access_token=[redacted]&q=1#id_token=[redacted]"]`},
		{"encoded parameter", `["https://a.test/?pass%77ord=abc"]`, `["https://a.test/?pass%77ord=[redacted]"]`},
		{"plain URL", `["https://a.test:8443/x?page=2&sort=up"]`, `["https://a.test:8443/x?page=2&sort=up"]`},
		{"quoted", `["{password: \"two words\", a: 1}"]`, `["{password: [redacted], a: 1}"]`},
		{"JSON in a string", `["{\"password\":\"p\",\"a\":1}"]`, `["{\"a\":1,\"password\":\"[redacted]\"}"]`},
		{"private key", `["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"]`, `["[redacted]"]`},
		{"data URL", `{"a":"data:image/png;base64,` + png + `","b":"data:text/plain,hello"}`, `{"a":{"bytes":72,"redacted":"image"},"b":{"bytes":5,"redacted":"data"}}`},
		{"data URL in text", `["url(data:image/png;base64,` + png + `) x"]`, `["url(data:[redacted]) x"]`},
		{"image", `{"data":"` + png + `"}`, `{"data":{"bytes":72,"redacted":"image"}}`},
		{"binary", `["` + strings.Repeat("QUJD", 300) + `"]`, `[{"bytes":900,"redacted":"binary"}]`},
		{"no JSON", `{"password":"p"`, `{"invalid_json":"{\"password\":[redacted]"}`},
		{"two values", `1 2`, `{"invalid_json":"1 2"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(Redact(json.RawMessage(tt.in))); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Ensure no planted secret is found anywhere in the file's bytes, free pages
// included.
func TestPlantedSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.db")
	j := openAt(t, path, Options{})
	planted := []string{
		`{"password":"` + mark + `"}`, `{"a":{"client_secret":["` + mark + `"]}}`, `{"headers":[{"name":"Cookie","value":"sid=` + mark + `"}]}`,
		`{"url":"https://user:` + mark + `@a.test/?token=` + mark + `&x=1"}`, `{"text":"sk-` + mark + `-abcdefgh"}`, `"Bearer ` + mark + `abcdef"`,
		`{"body":"user=a&passwd=` + mark + `&go=1"}`, `{"args":"{\"otp\":\"` + mark + `\"}"}`, `{"shot":"data:image/png;base64,` + png + `"}`,
		`{"jwt":"x","text":"got ` + jwt + `"}`, `{"broken":"password: ` + mark, `{"fields":[{"label":"Password","value":"` + mark + `"}]}`,
	}
	for i, data := range planted {
		commit(t, j, Record{Type: TypeIntent, CallID: string(rune('a' + i)), Data: json.RawMessage(data)})
		commit(t, j, Record{Type: TypeOutcome, CallID: string(rune('a' + i)), Data: json.RawMessage(data)})
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{mark, png, jwt, "c2lnbmF0dXJl", png[20:60]} {
		if bytes.Contains(file, []byte(secret)) {
			t.Errorf("%s stands in the file", secret)
		}
	}
}

// Ensure data above the limit is cut to valid JSON that says so.
func TestLargeData(t *testing.T) {
	j := openTest(t, Options{})
	large := map[string]string{
		"just fits": `"` + strings.Repeat("x ", MaxData/2-1) + `"`,
		"too large": `"` + strings.Repeat("ä€\\\" ", MaxData/6) + `"`,
		"huge":      `"` + strings.Repeat("x ", maxRedacted) + `"`,
	}
	for name, text := range large {
		commit(t, j, Record{Type: TypeLifecycle, Name: name, Data: json.RawMessage(text)})
	}
	for _, r := range all(t, &j.Reader) {
		var cut struct {
			Truncated bool
			Bytes     int
			Head      string
		}
		err := json.Unmarshal(r.Data, &cut)
		switch {
		case len(r.Data) > MaxData:
			t.Errorf("%s: %d bytes", r.Name, len(r.Data))
		case r.Name == "just fits":
			if string(r.Data) != large[r.Name] {
				t.Errorf("%s was cut", r.Name)
			}
		case err != nil || !cut.Truncated || cut.Bytes != len(large[r.Name]) || !utf8.ValidString(cut.Head) || (cut.Head == "") != (r.Name == "huge"):
			t.Errorf("%s: %d of %d bytes, a head of %d, %v", r.Name, cut.Bytes, len(large[r.Name]), len(cut.Head), err)
		}
	}
}

// Ensure the text of the named fields is replaced by its length, everywhere a
// path leads, and all else stays.
func TestTypedText(t *testing.T) {
	tests := []struct {
		args, want string
		fields     []string
	}{
		{`{"text":"häß","target":{"text":"Save"}}`, `{"target":{"text":"Save"},"text":{"length":3}}`, []string{"text"}},
		{`{"fields":[{"value":"ab","name":"x"},{"value":""},{"other":1}]}`, `{"fields":[{"name":"x","value":{"length":2}},{"value":{"length":0}},{"other":1}]}`, []string{"fields.value"}},
		{`{"text":["ab"],"n":1.50}`, `{"n":1.50,"text":{"length":6}}`, []string{"text", "missing", "n.x"}},
		{`{"text":null}`, `{"text":null}`, []string{"text"}},
		{`"secret"`, `{}`, []string{"text"}},
		{`{"text":"secret"`, `{}`, []string{"text"}},
		{``, `{}`, nil},
	}
	for _, tt := range tests {
		if got := string(TypedText(json.RawMessage(tt.args), tt.fields...)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.args, got, tt.want)
		}
	}
}

// Ensure no input makes Redact panic or give something that is not compact JSON,
// and that the quick look agrees with the long one: what it lets pass holds
// nothing that the rules find.
func FuzzRedact(f *testing.F) {
	for _, seed := range []string{
		string(sampleData), `{"password":"p"}`, `["https://u:p@a.test/?token=x"]`, `{"a":"sk-abcdefghijk"}`, `"` + png + `"`, `{"name":"otp","value":"1"}`,
		`["Bearer abcdefgh\n"]`, `{"a\"":"b\\"}`, `["data:,x"]`, `{`, `"pwd=1"`, `["` + jwt + `"]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := Redact(data)
		if len(data) > 0 && !json.Valid(got) {
			t.Fatalf("%q became %q", data, got)
		}
		var compact bytes.Buffer
		// Two letters outside of ASCII count as k and s for the regular
		// expressions; no secret is spelled with them.
		if json.Compact(&compact, data) != nil || !clean(compact.Bytes()) || bytes.ContainsAny(data, "ſK") {
			return
		}
		var value any
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			return
		}
		before := string(encode(value))
		if after := string(encode(redactValue(value))); after != before {
			t.Fatalf("the quick look let %q pass, the rules give %q", before, after)
		}
	})
}
