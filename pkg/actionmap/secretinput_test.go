package actionmap

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestSecretTexts(t *testing.T) {
	// Ensure that the secrets of arguments are known by names, titles and schemas, at any depth, and nothing else is.
	tool := &Tool{InputSchema: json.RawMessage(`{"properties":{"a":{"writeOnly":true},"b":{"format":"password"},"c":{"title":"Your PIN code"},"list":{"items":{"properties":{"d":{"writeOnly":true}}}}}}`)}
	args := json.RawMessage(`{"a":"1a","b":"2b","c":4711,"list":[{"d":"3d","e":"open"}],"card":{"cvc":"123","name":"open"},"password":{"new":"4d"},"query":"open"}`)
	got := tool.SecretTexts(args)
	slices.Sort(got)
	if want := []string{"123", "1a", "2b", "3d", "4711", "4d", "new"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	got = (*Tool)(nil).SecretTexts(args)
	slices.Sort(got)
	if want := []string{"123", "4d", "new"}; !slices.Equal(got, want) {
		t.Errorf("without a schema: %q, not %q", got, want)
	}
}
