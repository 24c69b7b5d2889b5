package primitive_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/primitive"
)

func TestLabelArgument(t *testing.T) {
	// Ensure that a label names its target as a person would, in one short line, and never with what is typed.
	c := primitive.Load()
	long := strings.Repeat("ö", 60)
	for _, row := range []struct{ name, args, want string }{
		{"locator.click", `{"locator":{"role":"button","name":"Send"}}`, "Send"},
		{"locator.click", `{"locator":{"role":"button"}}`, "button"},
		{"locator.click", `{"locator":{"selector":"#a","text":"Order"}}`, "Order"},
		{"locator.click", `{"locator":{"ref":"kqz12"}}`, ""},
		{"locator.click", `{"locator":{"ref":"kqz12","name":" "}}`, ""},
		{"locator.click", `{"locator":{"name":"Send\n\u0007 it\u202e now"}}`, "Send it now"},
		{"locator.click", `{"locator":{"name":"` + long + `"}}`, strings.Repeat("ö", 39) + "…"},
		{"locator.click", `{"locator":{"name":"` + long[:80] + `"}}`, strings.Repeat("ö", 40)},
		{"locator.click", `{"locator":7}`, ""},
		{"locator.click", `{}`, ""},
		{"locator.click", `[]`, ""},
		{"locator.fill", `{"locator":{"label":"Password"},"text":"sesame"}`, "Password"},
		{"text.insert", `{"text":"sesame","target":"#a"}`, "#a"},
		{"text.type", `{"text":"sesame"}`, ""},
		{"page.find", `{"text":"tea"}`, "tea"},
		{"browser.navigate", `{"url":"https://example.com/?token=a"}`, ""},
		{"actions.site", `{"mode":"call","action":"cart.add"}`, "cart.add"},
	} {
		r, _ := c.Record(row.name)
		if got := r.LabelArgument(json.RawMessage(row.args)); got != row.want {
			t.Errorf("%s %s: %q, want %q", row.name, row.args, got, row.want)
		}
	}
}
