package actionmap

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSecretTexts(t *testing.T) {
	// Ensure that the secrets of arguments are known by names, titles and schemas, at any depth, and nothing else is.
	tool := &Tool{InputSchema: json.RawMessage(`{"properties":{"a":{"writeOnly":true},"b":{"format":"password"},"c":{"title":"Your PIN code"},"list":{"items":{"properties":{"d":{"writeOnly":true}}}}}}`)}
	args := json.RawMessage(`{"a":"1a","b":"2b","c":4711,"list":[{"d":"3d","e":"open"}],"card":{"cvc":"123","name":"open"},"password":{"new":"4d"},"query":"open"}`)
	got := tool.SecretTexts(args)
	slices.Sort(got)
	if want := []string{"123", "1a", "2b", "3d", "4711", "4d", "new"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	got = (*Tool)(nil).SecretTexts(args)
	slices.Sort(got)
	if want := []string{"123", "4d", "new"}; !slices.Equal(got, want) {
		t.Errorf("without a schema: %q, not %q", got, want)
	}
}

func TestSecretTextsByEverySchema(t *testing.T) {
	// Ensure that a schema marks a secret from wherever it applies, that one which does not apply marks none, and that
	// neither dots in a name nor references that go round are in its way.
	tool := &Tool{InputSchema: json.RawMessage(`{
		"definitions":{"s":{"type":"string","writeOnly":true},"a b":{"allOf":[{"$ref":"#/definitions/a%20b"},{"format":"password"}]},
			"tree":{"properties":{"in":{"$ref":"#/definitions/tree"},"leaf":{"$ref":"#/definitions/s"}}}},
		"allOf":[{"properties":{"all":{"writeOnly":true}}}],
		"if":{"properties":{"if":{"writeOnly":true}}},"then":{"properties":{"then":{"writeOnly":true}}},"else":{"properties":{"else":{"writeOnly":true}}},
		"dependencies":{"open":{"properties":{"needed":{"writeOnly":true}}},"needed":["open"]},
		"patternProperties":{"^x-":{"$ref":"#/definitions/s"}},"additionalProperties":{"writeOnly":true},
		"properties":{"ref":{"$ref":"#/definitions/s"},"round":{"$ref":"#/definitions/a%20b"},"any":{"anyOf":[{"type":"null"},{"$ref":"#/definitions/s"}]},
			"one":{"oneOf":[{"properties":{"in":{"title":"Password"}}}]},"tree":{"$ref":"#/definitions/tree"},
			"codes":{"items":{"$ref":"#/definitions/s"}},"pair":{"items":[{},{"writeOnly":true}],"additionalItems":{"writeOnly":true}},
			"open":{},"if":{},"then":{},"else":{},"all":{},"needed":{},"login.password":{},"a.b":{"writeOnly":true}}}`)}
	args := json.RawMessage(`{"ref":"r1","round":"r2","any":"a1","one":{"in":"o1","out":"open"},"tree":{"in":{"in":{"leaf":"t1"},"leaf":"t2","x":"open"}},
		"codes":["c1",22],"pair":["open","p1","p2"],"x-1":"x1","more":"m1","all":"a2","if":"open","then":"t3","else":"e1","needed":"n1",
		"open":"open","login.password":"l1","a.b":{"c":"d1"}}`)
	got := tool.SecretTexts(args)
	slices.Sort(got)
	if want := []string{"22", "a1", "a2", "c", "c1", "d1", "e1", "l1", "m1", "n1", "o1", "p1", "p2", "r1", "r2", "t1", "t2", "t3", "x1"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

func TestSecretTextsOfManyRows(t *testing.T) {
	// Ensure that a schema is read once and not for each value: a long list by a large schema kept a core busy for minutes.
	var patterns []string
	for i := range 500 {
		patterns = append(patterns, fmt.Sprintf(`"^x%d-[a-z]{1,50}$":{}`, i))
	}
	tool := &Tool{InputSchema: json.RawMessage(`{"properties":{"rows":{"items":{"patternProperties":{` + strings.Join(patterns, ",") + `,"^pin":{"writeOnly":true}}}}}}`)}
	rows := slices.Repeat([]string{`{"name":"Ada","pin1":"1234"}`}, 10_000)
	began := time.Now()
	if got := tool.SecretTexts(json.RawMessage(`{"rows":[` + strings.Join(rows, ",") + `]}`)); len(got) != len(rows) {
		t.Errorf("%d texts", len(got))
	}
	if took := time.Since(began); took > 10*time.Second { // it is a tenth of a second
		t.Errorf("it took %s", took)
	}
}
