package origin_test

import (
	"testing"

	"github.com/actionsjson/actions-host/pkg/origin"
)

func TestOfDocument(t *testing.T) {
	// Ensure that a document has the origin that the browser tells, a srcdoc document otherwise that of the page around it, and any other none.
	const page = "https://shop.example"
	for _, c := range []struct{ told, url, around, want string }{
		{page, page + "/cart", "https://b.example", page},
		{page + ":443", "about:srcdoc", "https://b.example", page},
		{"://", "about:srcdoc", page, page},
		{"null", "about:srcdoc", "", ""},
		{"://", "about:blank", page, ""},
		{"", "data:text/html,x", page, ""},
		{"chrome-extension://abc", "chrome-extension://abc/pane.html", page, ""},
	} {
		if got := origin.OfDocument(c.told, c.url, c.around); got != c.want {
			t.Errorf("OfDocument(%q, %q, %q) = %q, want %q", c.told, c.url, c.around, got, c.want)
		}
	}
}
