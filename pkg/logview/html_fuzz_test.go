package logview

import (
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/actionsjson/actions-host/pkg/journal"
)

// The elements and attributes of a report: all of them stand in its template.
var (
	reportElements = strings.Fields("html head meta title style body header h1 h2 p dl div dt dd code bdi br figure svg rect " +
		"figcaption span main section ul ol li a strong time q details summary pre footer")
	reportAttributes = strings.Fields("lang charset http-equiv content name class viewbox preserveaspectratio role aria-label " +
		"aria-labelledby aria-hidden x y width height rx id href datetime")
	voidElements = []string{"meta", "br"}
)

// Ensure that the report of any records is a whole document with the elements and attributes of
// the template and no others, each id once, and that the session's text stands in it as text.
func FuzzReport(f *testing.F) {
	f.Fuzz(func(t *testing.T, kind, session, name, data string) {
		for _, text := range []*string{&kind, &session, &name} {
			*text = strings.ToValidUTF8(*text, "�") // as in the log
		}
		if !json.Valid([]byte(data)) {
			encoded, err := json.Marshal(data)
			if err != nil {
				t.Fatal(err)
			}
			data = string(encoded)
		}
		at := time.Date(2026, 11, 20, 14, 0, 0, 0, time.UTC)
		records := []journal.Record{
			{Seq: 1, At: at, SessionID: session, Type: journal.TypeSessionNamed, Data: json.RawMessage(data)},
			{Seq: 2, At: at, SessionID: session, Type: journal.TypeIntent, CallID: "a", Name: name, Data: json.RawMessage(data)},
			{Seq: 3, At: at.Add(time.Second), SessionID: session, Type: kind, CallID: "b", ParentID: "a", Name: name, Data: json.RawMessage(data)},
			{Seq: 4, At: at.Add(time.Minute), SessionID: session, Type: journal.TypeOutcome, CallID: "a", Name: name, Data: json.RawMessage(data)},
		}
		var out strings.Builder
		if err := NewReport(records, now).WriteHTML(&out, time.UTC); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		if !utf8.ValidString(text) {
			t.Error("the report is not UTF-8")
		}
		title := wholeDocument(t, text)
		// A parser gives NUL and a line's end otherwise than they were written.
		if !strings.ContainsAny(session, "\x00\r") && title != "Session "+session+" – Actions Host" {
			t.Errorf("the session %q stands there as %q", session, title)
		}
	})
}

// wholeDocument checks each element and attribute, and that all that is opened is closed in its
// order; it returns the title.
func wholeDocument(t *testing.T, text string) (title string) {
	t.Helper()
	var open, ids []string
	tokens := html.NewTokenizer(strings.NewReader(text))
	for {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			if tokens.Err() != io.EOF || len(open) > 0 {
				t.Errorf("it ends within %q: %v", open, tokens.Err())
			}
			return title
		}
		token := tokens.Token()
		switch kind {
		case html.TextToken:
			if len(open) > 0 && open[len(open)-1] == "title" {
				title += token.Data
			}
			continue
		case html.CommentToken:
			t.Errorf("a comment %q", token.Data)
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != token.Data {
				t.Fatalf("</%s> within %q", token.Data, open)
			}
			open = open[:len(open)-1]
			continue
		case html.StartTagToken, html.SelfClosingTagToken:
			if !slices.Contains(reportElements, token.Data) {
				t.Errorf("an element %s: %s", token.Data, token)
			}
			if kind == html.StartTagToken && !slices.Contains(voidElements, token.Data) {
				open = append(open, token.Data)
			}
		}
		for _, a := range token.Attr {
			switch {
			case !slices.Contains(reportAttributes, a.Key):
				t.Errorf("an attribute %s=%q", a.Key, a.Val)
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#r"):
				t.Errorf("a link to %q", a.Val)
			case a.Key == "id" && slices.Contains(ids, a.Val):
				t.Errorf("two elements with the id %q", a.Val)
			case a.Key == "id":
				ids = append(ids, a.Val)
			}
		}
	}
}
