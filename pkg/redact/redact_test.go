package redact

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

const (
	png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
	jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0.c2lnbmF0dXJlLXBsYW50ZWQ"
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
		{"names in other languages", `{"Kennwort":"p","clé_api":"k","Пароль":"p","新しいパスワード":"p","hasło":"p","palabra clave":"w","Schlüsselwort":"w"}`,
			`{"Kennwort":"[redacted]","Schlüsselwort":"w","clé_api":"[redacted]","hasło":"[redacted]","palabra clave":"w","Пароль":"[redacted]","新しいパスワード":"[redacted]"}`},
		{"described in another language", `[{"label":"비밀번호 확인","value":"p"},{"label":"도시","value":"v"}]`, `[{"label":"비밀번호 확인","value":"[redacted]"},{"label":"도시","value":"v"}]`},
		{"only whether", `{"token":null,"password":true}`, `{"password":true,"token":null}`},
		{"described", `[{"name":"password","value":"p"},{"type":"text","value":"v"}]`, `[{"name":"password","value":"[redacted]"},{"type":"text","value":"v"}]`},
		{"provider keys", `["sk-abcdefgh1234","x ghp_abcdefghij1234567890 y","xoxb-123456789-abc","AKIAIOSFODNN7EXAMPLE"]`, `["[redacted]","x [redacted] y","[redacted]","[redacted]"]`},
		{"web token", `["` + jwt + `"]`, `["[redacted]"]`},
		{"bearer", `["Authorization: Bearer abc","use bearer abcdefgh1234 now","bearer of news"]`, `["Authorization: [redacted]","use bearer [redacted] now","bearer of news"]`},
		{"header lines", `["Cookie: a=1; b=2\nAccept: x"]`, `["Cookie: [redacted]\nAccept: x"]`},
		{"URL", `["https://u:p@a.test/x?page=2&access_token=abc&q=1#id_token=z"]`, `["https://[redacted]@a.test/x?page=2&access_token=[redacted]&q=1#id_token=[redacted]"]`},
		{"encoded parameter", `["https://a.test/?pass%77ord=abc"]`, `["https://a.test/?pass%77ord=[redacted]"]`},
		{"codes in addresses", `["see https://a.test/cb?code=abc&state=x&sid=1#x, saml","https://a.test/#ticket=2","/acs?SAMLResponse=PHNh","code=DE and side=left","country?code_name=x"]`,
			`["see https://a.test/cb?code=[redacted]&state=x&sid=[redacted], saml","https://a.test/#ticket=[redacted]","/acs?SAMLResponse=[redacted]","code=DE and side=left","country?code_name=x"]`},
		{"addresses in addresses", `["https://x.test/?url=https%3A%2F%2Fapp.test%2Freset%3Ftoken%3DhunterABC&data=05","/login?redirect=%2fcb%3fcode%3dabc","/login?next=https%253A%252F%252Fa.test%252F%253Fpage%253D1%2526sid%253Dabc&x=1","/login?next=%2Fcb%3Fnext%3D%252F%253Fcode%253Dabc%","?next=https%3A%2F%2Fa.test%2F%3Fpage%3D2&q=a%3Db"]`,
			`["https://x.test/?url=[redacted]&data=05","/login?redirect=[redacted]","/login?next=[redacted]&x=1","/login?next=[redacted]","?next=https%3A%2F%2Fa.test%2F%3Fpage%3D2&q=a%3Db"]`},
		{"assigned in another language", `["пароль=p q","hasło: p","mot de passe: p","größe: 5","密码：p"]`, `["пароль=[redacted] q","hasło: [redacted]","mot de passe: [redacted]","größe: 5","密码：[redacted]"]`},
		{"comma in a value", `["password=ab,rest of it","{password: ab, a: 1}"]`, `["password=[redacted] of it","{password: [redacted], a: 1}"]`},
		{"separators in a value", `["Temporary password: {x7!Qz9","password: abc;Def9 x","{password: \"ab\\\"cdefgh\", a: 1}","<p>password: abc</p>","?token=a;b&x=1"]`,
			`["Temporary password: [redacted]","password: [redacted] x","{password: [redacted], a: 1}","<p>password: [redacted]</p>","?token=[redacted];b&x=1"]`},
		{"plain URL", `["https://a.test:8443/x?page=2&sort=up"]`, `["https://a.test:8443/x?page=2&sort=up"]`},
		{"quoted", `["{password: \"two words\", a: 1}"]`, `["{password: [redacted], a: 1}"]`},
		{"JSON in a string", `["{\"password\":\"p\",\"a\":1}"]`, `["{\"a\":1,\"password\":\"[redacted]\"}"]`},
		{"private key", `["-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"]`, `["[redacted]"]`},
		{"data URL", `{"a":"data:image/png;base64,` + png + `","b":"data:text/plain,hello"}`, `{"a":{"bytes":72,"redacted":"image"},"b":{"bytes":5,"redacted":"data"}}`},
		{"data URL in text", `["url(data:image/png;base64,` + png + `) x"]`, `["url(data:[redacted]) x"]`},
		{"image", `{"data":"` + png + `"}`, `{"data":{"bytes":72,"redacted":"image"}}`},
		{"binary", `["` + strings.Repeat("QUJD", 300) + `"]`, `[{"bytes":900,"redacted":"binary"}]`},
		{"binary in lines", `["` + strings.Repeat("QUJD", 300) + `\n` + strings.Repeat("QUJD", 300) + `"]`, `[{"bytes":1800,"redacted":"binary"}]`},
		{"image in lines", `["` + png[:40] + `\n` + png[40:90] + `"]`, `[{"bytes":66,"redacted":"image"}]`},
		{"card numbers", `["pay 4242 4242 4242 4242 12/27","4111-1111-1111-1111","378282246310005","12 4242424242424242","4242\u00a04242\u202f4242 4242",4242424242424242]`, `["pay [redacted] 12/27","[redacted]","[redacted]","12 [redacted]","[redacted]","[redacted]"]`},
		{"other long numbers", `["4111111111111112","order 1234567890123456","1763918188000","550e8400-e29b-41d4-a716-446655440000","+49 30 1234567890",1763918188000000]`, `["4111111111111112","order 1234567890123456","1763918188000","550e8400-e29b-41d4-a716-446655440000","+49 30 1234567890",1763918188000000]`},
		{"bank accounts", `["DE89 3704 0044 0532 0130 00 please","NL91ABNA0417164300","GB29 NWBK 6016 1331 9268 19","DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000","DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000\u00a0BIC\u00a0X","DE88 3704 0044 0532 0130 00"]`, `["[redacted] please","[redacted]","[redacted]","[redacted]","[redacted]` + "\u00a0BIC\u00a0X" + `","DE88 3704 0044 0532 0130 00"]`},
		{"codes for one sign-in", `["Your verification code is 482913.","482 913 is your Tea code","G-482913","Ihr Bestätigungscode lautet 48291","验证码：123456","TAN: 123456","Your code: 482-913"]`,
			`["Your verification code is [redacted].","[redacted] is your Tea code","G-[redacted]","Ihr Bestätigungscode lautet [redacted]","验证码：[redacted]","TAN: [redacted]","Your code: [redacted]"]`},
		{"other codes", `["error code 4040","zip code 90210","status code 2003","standard 2026"]`, `["error code 4040","zip code 90210","status code 2003","standard 2026"]`},
		{"connection string", `["DefaultEndpointsProtocol=https;AccountName=tea;AccountKey=abcd1234efgh==;EndpointSuffix=x"]`, `["DefaultEndpointsProtocol=https;AccountName=tea;AccountKey=[redacted];EndpointSuffix=x"]`},
		{"no JSON", `{"password":"p"`, `{"invalid_json":"{\"password\":[redacted]"}`},
		{"two values", `1 2`, `{"invalid_json":"1 2"}`},
		{"described, closed twice", `{"name":"password","value":"hunter2"}}`, `{"invalid_json":"{\"name\":\"password\",\"value\":\"[redacted]\"}}"}`},
		{"whole member, closed twice", `{"password":{"x":"hunter2"}}]`, `{"invalid_json":"{\"password\":[redacted]}]"}`},
		{"something follows", `{"pin_code":[1234]} token=abc`, `{"invalid_json":"{\"pin_code\":[redacted]} token=[redacted]"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(JSON(json.RawMessage(tt.in))); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
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

// Ensure no input makes JSON panic or return something that is not compact JSON,
// and that the quick look agrees with the long one: what it lets pass holds
// nothing that the rules find.
func FuzzRedact(f *testing.F) {
	for _, seed := range []string{
		string(sampleData), `{"password":"p"}`, `["https://u:p@a.test/?token=x"]`, `{"a":"sk-abcdefghijk"}`, `"` + png + `"`, `{"name":"otp","value":"1"}`,
		`["Bearer abcdefgh\n"]`, `{"a\"":"b\\"}`, `["data:,x"]`, `{`, `"pwd=1"`, `["` + jwt + `"]`,
		`"` + strings.Repeat("A", 600) + `\n` + strings.Repeat("A", 600) + `"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got := JSON(data)
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
		before := string(Encode(value))
		if after := string(Encode(redactValue(value))); after != before {
			t.Fatalf("the quick look let %q pass, the rules give %q", before, after)
		}
	})
}

// sampleData is what a typical outcome holds.
var sampleData = json.RawMessage(`{"output":{"value":{"ok":true,"matches":[{"text":"Add a card","visible":true,"rect":{"x":10,"y":20,"width":80,"height":24}},{"text":"Save","visible":true,"rect":{"x":120,"y":20,"width":64,"height":24}}]}},"meta":{"duration_ms":12,"tab":{"tab_id":1481234567,"runtime_id":"r-8f31c2","url":"https://example.test/board/7"}}}`)

// BenchmarkRedact is the share of a commit that depends on the data's size.
func BenchmarkRedact(b *testing.B) {
	b.SetBytes(int64(len(sampleData)))
	for b.Loop() {
		JSON(sampleData)
	}
}
