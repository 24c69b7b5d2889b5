package webfetch

import (
	"cmp"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"

	"github.com/actionsjson/actions-host/pkg/truncate"
)

// page is an answer as it is read, page by page.
type page struct {
	answer Response // without the body
	text   string
	binary bool
}

func newPage(method string, answer Response) page {
	p := page{answer: answer}
	p.answer.Body = nil
	if method == http.MethodHead || len(answer.Body) == 0 {
		return p
	}
	kind := mediaType(answer)
	if p.binary = isBinary(kind, answer.Body); p.binary {
		return p
	}
	text := decode(answer)
	if kind == "text/html" || kind == "application/xhtml+xml" {
		base, err := url.Parse(answer.URL)
		if err != nil {
			base = &url.URL{}
		}
		text = readable(text, base)
	}
	p.text = text
	return p
}

// mediaType returns the type that the answer says it has, or looks like.
func mediaType(answer Response) string {
	kind, _, err := mime.ParseMediaType(answer.ContentType)
	if err != nil && kind == "" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(answer.Body))
	}
	return kind
}

// looked is how much of a body tells what it is, in bytes.
const looked = 1024

func isBinary(kind string, body []byte) bool {
	switch {
	case strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "json"), strings.HasSuffix(kind, "xml"), strings.HasSuffix(kind, "javascript"):
		return false
	case kind == "application/pdf", strings.HasPrefix(kind, "image/"), strings.HasPrefix(kind, "audio/"), strings.HasPrefix(kind, "video/"), strings.HasPrefix(kind, "font/"):
		return true
	}
	start := truncate.Prefix(string(body[:min(len(body), looked+utf8.UTFMax)]), looked)
	return strings.IndexByte(start, 0) >= 0 || !utf8.ValidString(start)
}

// decode returns the body as text, by the character set that it says it has, or looks like.
func decode(answer Response) string {
	set, name, certain := charset.DetermineEncoding(answer.Body, answer.ContentType)
	text, err := set.NewDecoder().Bytes(answer.Body)
	// What nothing declares is taken for windows-1252, in which any byte is a character.
	if err != nil || !certain && name == "windows-1252" && utf8.Valid(answer.Body) {
		text = answer.Body
	}
	return strings.ToValidUTF8(strings.TrimPrefix(string(text), "\ufeff"), "\ufffd")
}

func (p page) output() output {
	out := output{
		Status: p.answer.Status, URL: p.answer.URL, ContentType: p.answer.ContentType, Headers: p.answer.Headers, Location: p.answer.Location,
		TotalChars: utf8.RuneCountInString(p.text), Binary: p.binary, Incomplete: p.answer.Truncated,
	}
	if p.answer.Location != "" && p.answer.Status/100 == 3 {
		out.NextStep = "The address leads elsewhere and was not followed. If that is where you want to go, call net.fetch_url with the address in location."
	}
	return out
}

// addText adds the text from the offset on.
func (o *output) addText(whole string, args fetchArguments) {
	text := []rune(whole)
	start := min(args.Offset, len(text))
	end := min(start+cmp.Or(args.MaxChars, defaultMaxChars), len(text))
	o.Offset, o.Text = start, string(text[start:end])
	if end < len(text) {
		args.Offset = end
		o.Next = &nextCall{fetchName, args}
	}
}
