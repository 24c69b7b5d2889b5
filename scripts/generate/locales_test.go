package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMessages(t *testing.T) {
	// Ensure that the labels of the records stand in every locale: in English as the records say, elsewhere as translated, in English where nobody has yet, and none of a record that is gone.
	const other = "extension/_locales/de/messages.json"
	c := &contract{
		primitives: []primitive{
			{Name: "a.b", Labels: labels{"look", "look at {at}"}},
			{Name: "c.d", Labels: labels{Tool: "go \"on\""}},
			{Name: "e.f", Labels: labels{"stop", "stop {it}"}},
			{Name: "internal.part"},
		},
		locales: map[string][]byte{
			sourceLocale: []byte("{\n  \"one\": { \"message\": \"One\" },\n" + `  "tool_a_b": { "message": "peek" },` + "\n  \"two\": { \"message\": \"Two\" }\n}\n"),
			other: []byte("{\n" + `  "tool_a_b": { "message": "ansehen" },
  "tool_a_b_with": { "message": "$AT$ ansehen", "placeholders": { "at": { "content": "$1" } } },
  "tool_e_f_with": { "message": "$WHAT$ anhalten", "placeholders": { "what": { "content": "$1" } } },
  "tool_gone": { "message": "weg" },
  "two": { "message": "Zwei" }
}
`),
		},
	}
	english := `  "tool_c_d": { "message": "go \"on\"" },
  "tool_e_f": { "message": "stop" },
  "tool_e_f_with": { "message": "stop $IT$", "placeholders": { "it": { "content": "$1" } } },
`
	want := map[string]string{
		sourceLocale: "{\n  \"one\": { \"message\": \"One\" },\n" + `  "tool_a_b": { "message": "look" },
  "tool_a_b_with": { "message": "look at $AT$", "placeholders": { "at": { "content": "$1" } } },
` + english + "  \"two\": { \"message\": \"Two\" }\n}\n",
		other: "{\n" + `  "tool_a_b": { "message": "ansehen" },
  "tool_a_b_with": { "message": "$AT$ ansehen", "placeholders": { "at": { "content": "$1" } } },
` + english + "  \"two\": { \"message\": \"Zwei\" }\n}\n",
	}
	for name, text := range want {
		got := c.messages(name)
		if diff := cmp.Diff(text, string(got)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
		c.locales[name] = got
		if again := c.messages(name); string(again) != string(got) {
			t.Errorf("%s changes when it is written again", name)
		}
	}
	c.locales[other] = []byte("{\n  \"two\": { \"message\": \"Zwei\" }\n}\n")
	if got := string(c.messages(other)); got[:24] != "{\n  \"tool_a_b\": { \"messa" {
		t.Errorf("a new locale: %s", got)
	}
}
