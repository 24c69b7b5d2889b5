package browsers

import (
	"encoding/json"
	"slices"
	"strconv"
)

// registryBooleans are policies that are true or false, for which the registry
// has numbers.
var registryBooleans = []string{"NativeMessagingUserLevelHosts", "RemoteDebuggingAllowed"}

// fromRegistry converts a policy of the registry to the form that it has in a
// file: in the registry, numbers may be strings, and lists keys with numbered
// values or JSON.
func fromRegistry(name string, value any) any {
	if text, ok := value.(string); ok {
		if n, err := strconv.Atoi(text); err == nil {
			value = float64(n)
		}
	}
	if n, ok := value.(float64); ok && slices.Contains(registryBooleans, name) {
		return n != 0
	}
	return composed(value)
}

// composed makes lists and objects of keys and of strings that hold JSON.
func composed(value any) any {
	switch v := value.(type) {
	case string:
		var held any
		if json.Unmarshal([]byte(plainJSON(v)), &held) == nil {
			switch held.(type) {
			case []any, map[string]any:
				return held
			}
		}
	case map[string]any:
		var list []any
		for name, member := range v {
			v[name] = composed(member)
			if _, err := strconv.Atoi(name); err == nil {
				list = append(list, v[name])
			}
		}
		if len(list) == len(v) {
			return list
		}
	}
	return value
}
