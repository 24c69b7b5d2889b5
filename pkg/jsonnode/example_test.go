package jsonnode_test

import (
	"encoding/json"
	"fmt"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// A node knows its pointer even where the value is missing, so that a finding
// can name the place.
func ExampleNode_Get() {
	root := jsonnode.Node{Raw: json.RawMessage(`{"tools":[{"name":"search"},{"name":"cart","timeout":"soon"}]}`)}
	for _, tool := range root.Get("tools").Elements() {
		timeout := tool.Get("timeout")
		fmt.Println(tool.Get("name").Text(), timeout.Pointer, timeout.Absent(), timeout.Integer() == nil)
	}
	// Output:
	// search /tools/0/timeout true true
	// cart /tools/1/timeout false true
}
