package webfetch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

const (
	maxAskedBody = 160 // characters of a body that the user is shown
	maxAskedURL  = 200
	digestBytes  = 16
)

// summary is what the user is shown of a request. What it leaves out is in the digest: a grant is for
// the request as it is.
type summary struct {
	Body      string   `json:"body,omitzero"`
	BodyChars int      `json:"body_chars,omitzero"` // of a body that is not shown to its end
	Digest    string   `json:"digest"`
	Headers   []string `json:"headers,omitzero"` // their names
	Method    string   `json:"method"`
	URL       string   `json:"url"`
}

// digest identifies a request.
func digest(r Request) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q %q", r.Method, r.URL, r.Body)
	for _, name := range headerNames(r.Headers) {
		fmt.Fprintf(sum, " %q %q", name, r.Headers[name])
	}
	return hex.EncodeToString(sum.Sum(nil)[:digestBytes])
}

// headerNames returns the names of headers in one order.
func headerNames(headers map[string]string) []string { return slices.Sorted(maps.Keys(headers)) }

func summarize(r Request) summary {
	s := summary{
		Body: truncate.Characters(r.Body, maxAskedBody), Digest: digest(r),
		Headers: headerNames(r.Headers), Method: r.Method, URL: truncate.Characters(redact.URL(r.URL), maxAskedURL),
	}
	if s.Body != r.Body {
		s.BodyChars = len([]rune(r.Body))
	}
	return s
}
