package manifest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sync"
)

// sharedDefinitions holds the parts of schemas that several records share.
const sharedDefinitions = "primitives.definitions.json"

var reference = regexp.MustCompile(`"\$ref":\s*"#/definitions/(\w+)"`)

var shared = sync.OnceValues(func() (map[string]json.RawMessage, error) {
	text, err := Files.ReadFile(sharedDefinitions)
	if err != nil {
		return nil, err
	}
	var file struct {
		Definitions map[string]json.RawMessage `json:"definitions"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", sharedDefinitions, err)
	}
	return file.Definitions, nil
})

// Shared gives the definitions that records share, by name.
func Shared() (map[string]json.RawMessage, error) { return shared() }

// Complete adds to a record's schema the shared definitions that it refers to
// and does not bring itself, so that it stands alone.
func Complete(schema json.RawMessage) (json.RawMessage, error) {
	names := reference.FindAllSubmatch(schema, -1)
	if names == nil {
		return schema, nil
	}
	common, err := shared()
	if err != nil {
		return nil, err
	}
	var members struct {
		Definitions map[string]json.RawMessage `json:"definitions"`
	}
	if err := json.Unmarshal(schema, &members); err != nil {
		return nil, err
	}
	own, added := members.Definitions, false
	if own == nil {
		own = map[string]json.RawMessage{}
	}
	for len(names) > 0 {
		name := string(names[0][1])
		names = names[1:]
		if _, ok := own[name]; ok || common[name] == nil {
			continue
		}
		own[name], added = common[name], true
		names = append(names, reference.FindAllSubmatch(common[name], -1)...)
	}
	if !added {
		return schema, nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(schema, &all); err != nil {
		return nil, err
	}
	if all["definitions"], err = json.Marshal(own); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}
