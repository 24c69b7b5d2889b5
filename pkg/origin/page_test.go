package origin

import "testing"

func TestPage(t *testing.T) {
	// Ensure that of an address the page is left, and nothing that may be personal.
	for address, want := range map[string]string{
		"https://a.example/order?card=4111#pin": "https://a.example/order",
		"https://ada:secret@a.example:8443/":    "https://a.example:8443/",
		"https://a.example/a%2Fb%20c?":          "https://a.example/a%2Fb%20c",
		"https://a.example":                     "https://a.example",
		"://":                                   "",
		"":                                      "",
	} {
		if got := Page(address); got != want {
			t.Errorf("%s is %q", address, got)
		}
	}
}
