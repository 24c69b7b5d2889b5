package projection

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// hashDigits is how many hexadecimal digits of the digest are kept: enough to
// tell two states of a page apart, short enough for every answer.
const hashDigits = 16

// Hash gives "sha256:" and 16 hexadecimal digits over the canonical form of the
// state (RFC 8785), in which the members of objects are sorted. A text that is
// no JSON is invalid_input.
func Hash(state json.RawMessage) (string, error) {
	canonical := jsontext.Value(bytes.Clone(state))
	if err := canonical.Canonicalize(); err != nil {
		return "", fault.Wrap(err, fault.InvalidInput, "not a JSON value: %v", err)
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:])[:hashDigits], nil
}
