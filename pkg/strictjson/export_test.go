package strictjson

import "encoding/json"

// CanonicalByToken is Canonical without its shorter way.
func CanonicalByToken(data []byte) (json.RawMessage, error) {
	return canonicalByToken(data, Limits{}.withDefaults())
}
