package webfetch

import (
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// unread are elements of which a reader sees nothing.
var unread = []atom.Atom{
	atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Svg, atom.Iframe, atom.Object, atom.Noembed, atom.Noframes, atom.Select,
}

// blocks are elements that begin on a line of their own.
var blocks = []atom.Atom{
	atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Br, atom.Dd, atom.Details, atom.Div, atom.Dl, atom.Dt, atom.Figcaption, atom.Figure,
	atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hr, atom.Li, atom.Main, atom.Nav, atom.Ol, atom.P, atom.Pre,
	atom.Section, atom.Summary, atom.Table, atom.Title, atom.Tr, atom.Ul,
}

var headings = []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}

// reader makes text of HTML.
type reader struct {
	base  *url.URL
	based bool // the document has set the base: its first one counts
	out   strings.Builder
	begun bool // the line has text
	space bool // one is due before the next word
	pre   int  // depth in elements that keep their white space
	link  string
}

// readable returns the text of an HTML document as a person reads it, with its headings, lists, table
// cells and links in the marks of plain text. It never fails; the text is about as long as a body may
// be, however many long links there are.
func readable(document string, base *url.URL) string {
	r := &reader{base: base}
	tokens := html.NewTokenizer(strings.NewReader(document))
	for r.out.Len() < maxBytes {
		switch tokens.Next() {
		case html.ErrorToken:
			r.endLink()
			return strings.TrimSpace(r.out.String())
		case html.TextToken:
			r.text(string(tokens.Text()))
		case html.StartTagToken:
			token := tokens.Token()
			if slices.Contains(unread, token.DataAtom) {
				skip(tokens, token.DataAtom)
				continue
			}
			r.start(token)
		case html.SelfClosingTagToken:
			r.start(tokens.Token())
		case html.EndTagToken:
			r.end(tokens.Token().DataAtom)
		}
	}
	return strings.TrimSpace(r.out.String())
}

// skip reads on to the end of an element.
func skip(tokens *html.Tokenizer, element atom.Atom) {
	for depth := 1; depth > 0; {
		switch tokens.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken:
			if name, _ := tokens.TagName(); atom.Lookup(name) == element {
				depth++
			}
		case html.EndTagToken:
			if name, _ := tokens.TagName(); atom.Lookup(name) == element {
				depth--
			}
		}
	}
}

func (r *reader) start(t html.Token) {
	if slices.Contains(blocks, t.DataAtom) {
		r.line()
	}
	switch t.DataAtom {
	case atom.Li:
		r.mark("- ")
	case atom.Td, atom.Th:
		if r.begun {
			r.mark(" | ")
		}
	case atom.Pre:
		r.pre++
	case atom.A:
		r.endLink()
		if r.link = r.address(attribute(t, "href")); r.link != "" {
			r.word("[")
		}
	case atom.Base:
		if href := strings.TrimSpace(attribute(t, "href")); href != "" && !r.based {
			r.based = true
			if base, err := r.base.Parse(href); err == nil && onWeb(base) {
				r.base = base
			}
		}
	case atom.Img:
		r.text(attribute(t, "alt"))
	default:
		if level := slices.Index(headings, t.DataAtom); level >= 0 {
			r.mark(strings.Repeat("#", level+1) + " ")
		}
	}
}

func (r *reader) end(element atom.Atom) {
	switch element {
	case atom.A:
		r.endLink()
	case atom.Pre:
		r.pre = max(0, r.pre-1)
	}
	if slices.Contains(blocks, element) {
		r.line()
	}
}

func (r *reader) endLink() {
	if r.link != "" {
		r.space = false
		r.word("](" + r.link + ")")
		r.link = ""
	}
}

// address returns where a link leads, if that is another page.
func (r *reader) address(href string) string {
	if href == "" || strings.HasPrefix(href, "#") {
		return ""
	}
	to, err := r.base.Parse(strings.TrimSpace(href))
	if err != nil || !onWeb(to) {
		return ""
	}
	nameHost(to)
	return to.String()
}

func onWeb(u *url.URL) bool { return u.Scheme == "http" || u.Scheme == "https" }

func (r *reader) text(text string) {
	if r.pre > 0 {
		r.out.WriteString(text)
		r.begun = r.begun || text != ""
		return
	}
	words := strings.Fields(text)
	if len(words) == 0 {
		r.space = r.space || text != ""
		return
	}
	r.space = r.space || strings.TrimLeft(text, " \t\r\n\f") != text
	for _, word := range words {
		r.word(word)
		r.space = true
	}
	r.space = strings.TrimRight(text, " \t\r\n\f") != text
}

func (r *reader) word(word string) {
	if r.space && r.begun {
		r.out.WriteByte(' ')
	}
	r.out.WriteString(word)
	r.begun, r.space = true, false
}

// mark writes what stands for an element.
func (r *reader) mark(mark string) {
	r.out.WriteString(mark)
	r.begun, r.space = false, false
}

// line begins a new line.
func (r *reader) line() {
	if r.begun {
		r.out.WriteByte('\n')
	}
	r.begun, r.space = false, false
}

func attribute(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
