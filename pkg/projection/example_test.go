package projection_test

import (
	"encoding/json"
	"fmt"

	"github.com/actionsjson/actions-host/pkg/projection"
)

// The difference of two states is a JSON Patch, and the same in terms of the page.
func ExampleDiff() {
	changes, err := projection.Diff(
		json.RawMessage(`{"cards":[{"id":1,"title":"Tea"}],"total":1}`),
		json.RawMessage(`{"cards":[{"id":1,"title":"Tea"},{"id":2,"title":"Milk"}],"total":2}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(changes.Patches))
	for _, d := range changes.Deltas {
		fmt.Println(d.Type, d.Path)
	}
	// Output:
	// [{"value":{"id":2,"title":"Milk"},"op":"add","path":"/cards/1"},{"value":2,"op":"replace","path":"/total"}]
	// entity_added /cards/1
	// field_replaced /total
}

// Equal states have equal hashes, whatever the order of their members.
func ExampleHash() {
	a, _ := projection.Hash(json.RawMessage(`{"a":1,"b":[2]}`))
	b, _ := projection.Hash(json.RawMessage(`{ "b": [2], "a": 1.0 }`))
	fmt.Println(a == b)
	// Output: true
}
