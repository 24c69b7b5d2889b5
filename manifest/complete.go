package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"sync"
)

// sharedDefinitions holds the parts of schemas that several records share.
const sharedDefinitions = "primitives.definitions.json"

var reference = regexp.MustCompile(`"\$ref":\s*"#/definitions/(\w+)"`)

// Addition is what the public records of an effect take, give and fail with besides what
// they say themselves: properties by name, as JSON, and error codes.
type Addition struct {
	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
	Errors []string        `json:"errors"`
}

// definition is a shared definition with the names of those that it refers to.
type definition struct {
	text   json.RawMessage
	refers []string
}

// definitionsFile is the file of shared definitions.
type definitionsFile struct {
	Definitions map[string]json.RawMessage `json:"definitions"`
	ByEffect    map[string]Addition        `json:"by_effect"`
}

var sharedFile = sync.OnceValues(func() (file definitionsFile, err error) {
	text, err := Files.ReadFile(sharedDefinitions)
	if err != nil {
		return file, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return file, fmt.Errorf("%s: %w", sharedDefinitions, err)
	}
	if err := json.Unmarshal(compact.Bytes(), &file); err != nil {
		return file, fmt.Errorf("%s: %w", sharedDefinitions, err)
	}
	return file, nil
})

var shared = sync.OnceValues(func() (map[string]definition, error) {
	file, err := sharedFile()
	if err != nil {
		return nil, err
	}
	definitions := make(map[string]definition, len(file.Definitions))
	for name, text := range file.Definitions {
		definitions[name] = definition{text, referred(text)}
	}
	return definitions, nil
})

func referred(schema json.RawMessage) []string {
	var names []string
	for _, found := range reference.FindAllSubmatch(schema, -1) {
		names = append(names, string(found[1]))
	}
	return names
}

// Shared returns the definitions that records share, by name.
func Shared() (map[string]json.RawMessage, error) {
	all, err := shared()
	definitions := make(map[string]json.RawMessage, len(all))
	for name, p := range all {
		definitions[name] = p.text
	}
	return definitions, err
}

// ByEffect returns what the records of an effect take and give in addition.
func ByEffect(effect string) (Addition, error) {
	file, err := sharedFile()
	return file.ByEffect[effect], err
}

// Complete adds to a record's schema the shared definitions that it refers to
// and does not bring itself, so that it stands alone. The host does so for every
// schema when it starts, so the texts are put together, not encoded anew.
func Complete(schema json.RawMessage) (json.RawMessage, error) {
	names := referred(schema)
	if names == nil {
		return schema, nil
	}
	common, err := shared()
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(schema, &all); err != nil {
		return nil, err
	}
	own, added := map[string]json.RawMessage{}, false
	if brought, ok := all["definitions"]; ok {
		if err := json.Unmarshal(brought, &own); err != nil {
			return nil, err
		}
	}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if _, ok := own[name]; ok || common[name].text == nil {
			continue
		}
		own[name], added = common[name].text, true
		names = append(names, common[name].refers...)
	}
	if !added {
		return schema, nil
	}
	all["definitions"] = object(own)
	return object(all), nil
}

// object is the text of an object with the members, in the order of their names.
func object(members map[string]json.RawMessage) json.RawMessage {
	text := []byte{'{'}
	for i, name := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(strconv.AppendQuote(text, name), ':')
		text = append(text, members[name]...)
	}
	return append(text, '}')
}
