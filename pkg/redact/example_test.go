package redact_test

import (
	"encoding/json"
	"fmt"

	"github.com/actionsjson/actions-host/pkg/redact"
)

func ExampleJSON() {
	fmt.Println(string(redact.JSON(json.RawMessage(`{"user":"ann","password":"opensesame","url":"https://ann:pw@example.com/?q=1"}`))))
	// Output: {"password":"[redacted]","url":"https://[redacted]@example.com/?q=1","user":"ann"}
}

// What was typed is not in the log's intent: only how long it is.
func ExampleTypedText() {
	args := json.RawMessage(`{"locator":{"name":"City"},"text":"Köln"}`)
	fmt.Println(string(redact.TypedText(args, "text")))
	// Output: {"locator":{"name":"City"},"text":{"length":4}}
}
