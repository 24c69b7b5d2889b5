package site_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

func TestAttach(t *testing.T) {
	// Ensure that a document is asked once for the attachments of its maps, a new one again, one that refused again, and a page without any never.
	r := newRig(t, map[string]string{"public/sites/shop.example.com/cart": mapOf(`"attachments":[
		{"id":"help","kind":"overlay_launcher","target":{"selector":"#a","fallback_selectors":["#b"]},"lifecycle":{"install":"page_ready"},
		"affordance":{"title":"Get help","placement":"somewhere","max_instances":99}},
		{"id":"unseen","kind":"annotation","target":{"text":"Tea"},"lifecycle":{"install":"page_ready"}}],`, tool("go", open+greeting))})
	var asked []string
	refusal := error(fault.New(fault.RuntimeNotReady, "not yet"))
	r.site.CallAsHost = func(_ context.Context, tabID int, name string, args json.RawMessage) (json.RawMessage, error) {
		asked = append(asked, fmt.Sprint(tabID, " ", name, " ", string(args)))
		return nil, refusal
	}
	runtime := "first"
	r.site.Runtime = func(int) string { return runtime }
	for range 3 {
		if _, err := r.handle(t, `{"mode":"list"}`); err != nil {
			t.Errorf("a list failed with the installation: %v", err)
		}
		refusal = nil
	}
	const want = `1 attachment.install {"attachments":[{"id":"help","kind":"overlay_launcher","label":"help","title":"Get help","max_instances":10,"selectors":["#a","#b"]}]}`
	if len(asked) != 2 || asked[1] != want {
		t.Errorf("asked %q", asked)
	}
	if err := r.site.Attach(t.Context(), 1, runtime, "https://other.example.com/"); err != nil || len(asked) != 3 || asked[2] != `1 attachment.install {"attachments":[]}` {
		t.Errorf("at an address without any: %q %v", asked, err)
	}
	runtime = "second"
	if err := r.site.Attach(t.Context(), 1, runtime, "https://other.example.com/"); err != nil || len(asked) != 3 {
		t.Errorf("a new document without any: %q %v", asked, err)
	}
	if err := r.site.Attach(t.Context(), 1, runtime, page); err != nil || len(asked) != 4 {
		t.Errorf("of the new document %q %v", asked, err)
	}
}
