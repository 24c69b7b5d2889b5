package webfetch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// What the user is shown of a request, in bytes of JSON: a question has 500 characters, in which the
// address must stand whatever the rest is.
const (
	maxAsked       = 480 // all together
	maxAskedURL    = 200
	maxAskedHeader = 50 // all names together
)

const digestBytes = 16

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
		BodyChars: utf8.RuneCountInString(r.Body), Digest: digest(r),
		Headers: fitNames(headerNames(r.Headers)), Method: r.Method, URL: fit(redact.URL(r.URL), maxAskedURL),
	}
	if s.Body = fit(safeBody(r.Body), maxAsked-jsonLen(s)-len(`"body":,`)); s.Body == r.Body {
		s.BodyChars = 0
	}
	return s
}

// safeBody returns the beginning of a body without secrets: marks in their place make it longer, so it is
// cut after.
func safeBody(body string) string {
	body = truncate.Characters(body, 4*maxAsked)
	if safe, ok := redact.String(body).(string); ok {
		return safe
	}
	return body // a data URL or an image
}

// fit returns as much of a text as takes so many bytes as JSON.
func fit(text string, limit int) string {
	out := truncate.Characters(text, limit)
	for jsonLen(out) > limit {
		// At most six bytes are a character, so this ends soon.
		out = truncate.Characters(text, max(1, utf8.RuneCountInString(out)*9/10))
	}
	return out
}

func jsonLen(of any) int {
	raw, err := json.Marshal(of)
	if err != nil {
		panic("webfetch: " + err.Error()) // strings and numbers have a JSON form
	}
	return len(raw)
}

// fitNames returns the first names, and how many more there are.
func fitNames(names []string) []string {
	left := maxAskedHeader
	for i, name := range names {
		if left -= len(name) + len(`"",`); left < 0 {
			return append(slices.Clone(names[:i]), fmt.Sprintf("%d more", len(names)-i))
		}
	}
	return names
}
