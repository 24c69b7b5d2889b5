package schema_test

import (
	"encoding/json"
	"fmt"

	"github.com/actionsjson/actions-host/pkg/schema"
)

func ExampleSchema_Validate() {
	s, err := schema.Compile(json.RawMessage(`{
		"type": "object",
		"required": ["tab_id"],
		"properties": {"tab_id": {"type": "integer"}, "button": {"enum": ["left", "right"]}},
		"additionalProperties": false
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Validate(json.RawMessage(`{"tab_id":7}`)) == nil)
	for _, v := range s.Validate(json.RawMessage(`{"button":"middle"}`)) {
		fmt.Printf("%q %s: %s\n", v.Path, v.Keyword, v.Message)
	}
	// Output:
	// true
	// "" required: the member "tab_id" is missing
	// "/button" enum: must be one of "left", "right"
}

// A constraint that the validator does not know is an error, not a hole.
func ExampleCompile() {
	_, err := schema.Compile(json.RawMessage(`{"type":"object","unevaluatedProperties":false}`))
	fmt.Println(err)
	// Output: invalid_arguments: unevaluatedProperties is not a keyword of drafts 4, 6 and 7 and would be ignored: use additionalProperties
}
