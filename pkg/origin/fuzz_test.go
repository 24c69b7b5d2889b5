package origin_test

import (
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
)

func FuzzParse(f *testing.F) {
	for _, test := range urls {
		f.Add(test.url)
	}
	// Ensure that whatever is accepted has a plain host and is a fixed point, and
	// that everything else is refused with the one code.
	f.Fuzz(func(t *testing.T, rawURL string) {
		got, err := origin.Parse(rawURL)
		if err != nil {
			if !fault.Is(err, fault.RestrictedPage) {
				t.Fatalf("got %v", err)
			}
			return
		}
		if strings.ContainsAny(got.Host, "/\\@?#%[] ") || got.Port < 1 || got.Port > 65535 {
			t.Fatalf("%q gives %+v", rawURL, got)
		}
		if again, err := origin.Parse(got.String()); err != nil || again != got {
			t.Fatalf("%q gives %v, which is read as %v, %v", rawURL, got, again, err)
		}
		if !origin.MatchHost(got.Host, got.Host) {
			t.Fatalf("%q: the host %q does not match itself", rawURL, got.Host)
		}
	})
}
