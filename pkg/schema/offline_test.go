package schema

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/xeipuuv/gojsonschema"
)

func TestValidatorHasNothingToLoadWith(t *testing.T) {
	// Ensure that a reference to another document is not followed even if it
	// reaches the validator past all checks.
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		_, _ = w.Write([]byte(`{}`))
	}))
	defer server.Close()
	unchecked := &checked{draft: gojsonschema.Hybrid, root: &node{rebuilt: map[string]any{"$ref": server.URL + "/s.json"}}}
	if _, err := compile(unchecked); err == nil {
		t.Error("compiled")
	}
	if n := requests.Load(); n != 0 {
		t.Errorf("%d requests", n)
	}
}
