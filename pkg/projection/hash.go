package projection

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// hashDigits is the number of hexadecimal digits of the digest in a hash: enough to
// distinguish two states of a page, short enough for every response.
const hashDigits = 16

// Hash returns "sha256:" and 16 hexadecimal digits over the canonical form of the
// state (RFC 8785), in which the members of objects are sorted. Text that is
// not JSON is invalid_input.
func Hash(state json.RawMessage) (string, error) {
	canonical := jsontext.Value(bytes.Clone(state))
	if err := canonical.Canonicalize(); err != nil {
		return "", fault.Wrap(err, fault.InvalidInput, "not a JSON value: %v", err)
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:])[:hashDigits], nil
}
