package chat

import (
	"fmt"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/printable"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// MaxPageContent is the most that a model gets of a page, in characters.
const MaxPageContent = 40_000

// The most that a model gets of the page's own address and title, in characters.
const (
	maxURL   = 2_000
	maxTitle = 500
)

// Page is the page beside the chat. All of it is the page's own word.
type Page struct {
	URL, Title string
	// Content is its text, as [PageContent] or another program made it; "" for none.
	Content string
}

// block returns the page as the prompt shows it.
func (p Page) block(mark pagedata.Mark, limit int) string {
	content, whole := escaped(p.Content, limit)
	text := "URL: " + oneLine(p.URL, maxURL) + "\nTitle: " + orNone(oneLine(p.Title, maxTitle))
	if content != "" {
		text += "\n\n" + content
	}
	intro := "The page beside this chat:"
	switch {
	case content == "":
		intro = "The page beside this chat, whose text you do not have:"
	case !whole:
		intro = fmt.Sprintf("The page beside this chat, of whose text you have the first %d of %d characters:", utf8.RuneCountInString(content), utf8.RuneCountInString(p.Content))
	}
	return intro + "\n" + mark.Seal(text)
}

// escaped returns at most limit characters of the text with escapes for what cannot be seen,
// and reports whether that is all of it. The escapes count, or a page of characters without
// width would have several times its share.
func escaped(text string, limit int) (string, bool) {
	first := firstCharacters(text, limit)
	shown := printable.EscapeLines(first)
	cut := firstCharacters(shown, limit)
	return cut, len(first) == len(text) && len(cut) == len(shown)
}

// firstCharacters returns at most limit characters of the text. It looks at no more of it.
func firstCharacters(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for at := range text {
		if limit == 0 {
			return text[:at]
		}
		limit--
	}
	return text
}

func oneLine(text string, limit int) string {
	return truncate.Characters(printable.Escape(firstCharacters(text, limit+1)), limit)
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
