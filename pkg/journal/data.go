package journal

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/redact"
)

const (
	// MaxData is the largest Data of a record in bytes.
	MaxData = 64 << 10
	// maxHead is small enough that the head fits into MaxData even when each
	// byte needs an escape.
	maxHead = 8 << 10
)

// capData cuts a text that is larger than a record may be.
func capData(data json.RawMessage) json.RawMessage {
	if len(data) <= MaxData {
		return data
	}
	return redact.Truncated(len(data), data[:maxHead])
}
