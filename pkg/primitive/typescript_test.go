package primitive_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestTypeScript(t *testing.T) {
	// Ensure that a schema becomes the type that says the same: required members, choices, lists, literals, ranges and words.
	for schema, want := range map[string]string{
		`{"type":"object","required":["a"],"properties":{"a":{"type":"string","description":"End */ of."},"b":{"type":"integer","minimum":0,"maximum":9},"c":{"type":"boolean"}}}`:                                                              `{a: string /* End * / of. */; b?: number /* 0 to 9. */; c?: boolean}`,
		`{"type":"object","properties":{"a":{"enum":["x","it's",null,1]},"b":{"const":true}}}`:                                                                                                                                                  `{a?: 'x'|'it\'s'|null|1; b?: true}`,
		`{"type":"object","properties":{"a":{"oneOf":[{"type":"string"},{"type":"array","items":{"type":["string","null"]}}]}}}`:                                                                                                                `{a?: string|(string|null)[]}`,
		`{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}],"properties":{"a":{},"b":{"type":"object"}}}`:                                                                                                                         `{a?: unknown; b?: object}`,
		`{"type":"object","properties":{"l":{"$ref":"#/definitions/locator"},"o":{"$ref":"#/definitions/own"}},"definitions":{"locator":{"type":"object"},"own":{"type":"object","description":"Mine.","properties":{"n":{"type":"number"}}}}}`: `{l?: Locator; o?: {n?: number} /* Mine. */}`,
		`{"type":"object","properties":{"a":{"$ref":"#/definitions/a"}},"definitions":{"a":{"$ref":"#/definitions/a"}}}`:                                                                                                                        `{a?: unknown}`,
		`{"type":"object"}`: `object`,
	} {
		if got := primitive.TypeScript(json.RawMessage(schema)); got != want {
			t.Errorf("%s\ngives %s\nwant  %s", schema, got, want)
		}
	}
}

func TestTypeScriptOfEveryRecord(t *testing.T) {
	// Ensure that the type of every record names all its arguments and nothing unknown that the schema knows.
	each(t, func(t *testing.T, r *primitive.Record) {
		text := primitive.TypeScript(r.InputSchema)
		for _, p := range primitive.Properties(r.InputSchema) {
			if !strings.Contains(text, p.Name+": ") && !strings.Contains(text, p.Name+"?: ") {
				t.Errorf("%s is missing in %s", p.Name, text)
			}
		}
	})
}
