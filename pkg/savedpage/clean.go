// Package savedpage makes cases of a claimed page: its copy for a file, without what others must
// not read, and the file of cases beside the map.
//
// Rules of this package:
//   - The page script leaves scripts, values of fields and what was typed behind (page.copy);
//     here goes what is known by its form or its name: keys, tokens, passwords, card and account
//     numbers, e-mail addresses, telephone numbers of links.
//   - In doubt it goes: a test needs the shape of a page more than its words. What was taken out
//     is counted by kind, and its place shows a mark.
//   - A name in a greeting is known by nothing: whoever saves a page has to read it.
//   - The input of a case comes from its author or from the action's schema, never from the page
//     or the log.
//   - No file is written anew without its last version beside it.
package savedpage

import (
	"bytes"
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/redact"
)

// maxDepth bounds frames within frames.
const maxDepth = 8

// Kinds of what is taken out.
const (
	Secrets   = "secret_texts"
	Mails     = "mail_addresses"
	Addresses = "secrets_of_addresses"
	Opaque    = "tokens"
)

var (
	mails = regexp.MustCompile(`(?i)[a-z0-9._%+\-]+(?:@|%40)[a-z0-9](?:[a-z0-9\-]*[a-z0-9])?(?:\.[a-z0-9\-]+)*\.[a-z]{2,}`)
	// opaque texts are long, without a space, and mix letters with digits, as tokens do.
	opaque  = regexp.MustCompile(`[A-Za-z0-9+/_=\-]{20,}`)
	digits  = regexp.MustCompile(`\d`)
	letters = regexp.MustCompile(`[A-Za-z]`)
	// named are the attributes that only name an element, or say what it is.
	named = regexp.MustCompile(`^(?:id|class|name|for|type|role|rel|lang|dir|style|shadowrootmode|aria-(?:labelledby|describedby|controls|owns))$`)
)

// addressed are the attributes that hold an address.
var addressed = map[string]bool{"href": true, "src": true, "action": true, "formaction": true, "poster": true, "cite": true, "background": true, "data": true}

// Clean returns the page without them, and how often each kind was met. The fault is
// invalid_input for what is no HTML.
func Clean(text string) ([]byte, map[string]int, error) {
	c := &cleaner{taken: map[string]int{}}
	out, err := c.document(text, 0)
	return out, c.taken, err
}

type cleaner struct{ taken map[string]int }

func (c *cleaner) document(text string, depth int) ([]byte, error) {
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidInput, "the page's copy cannot be read: %v", err)
	}
	if err := c.node(root, depth); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := html.Render(&out, root); err != nil {
		return nil, fault.Wrap(err, fault.InvalidInput, "the page's copy cannot be written: %v", err)
	}
	return out.Bytes(), nil
}

// node cleans a node and all below it. Scripts were left behind; none is kept that came
// another way.
func (c *cleaner) node(n *html.Node, depth int) error {
	var next *html.Node
	for child := n.FirstChild; child != nil; child = next {
		next = child.NextSibling
		switch {
		case child.Type == html.CommentNode, child.Type == html.ElementNode && (child.Data == "script" || child.Data == "noscript"):
			n.RemoveChild(child)
			continue
		case child.Type == html.TextNode && n.Data == "style":
			if redact.HoldsKey(child.Data) || mails.MatchString(child.Data) {
				child.Data = ""
				c.taken[Secrets]++
			}
		case child.Type == html.TextNode:
			child.Data = c.text(child.Data)
		}
		if err := c.node(child, depth); err != nil {
			return err
		}
	}
	return c.attributes(n, depth)
}

func (c *cleaner) attributes(n *html.Node, depth int) error {
	kept := n.Attr[:0]
	describes := map[string]any{}
	for _, a := range n.Attr {
		describes[a.Key] = a.Val
	}
	secret := redact.DescribesSecret(describes)
	for _, a := range n.Attr {
		switch {
		case strings.HasPrefix(a.Key, "on"), a.Key == "nonce", a.Key == "integrity":
			continue
		case a.Key == "srcdoc":
			if depth >= maxDepth {
				continue
			}
			inner, err := c.document(a.Val, depth+1)
			if err != nil {
				return err
			}
			a.Val = string(inner)
		case a.Key == "value" && n.Data == "input" && !authored(describes["type"]):
			continue
		case (a.Key == "value" || a.Key == "content") && secret, strings.HasPrefix(a.Key, "data-") && redact.SecretName(strings.TrimPrefix(a.Key, "data-")):
			c.taken[Opaque]++
			continue
		case addressed[a.Key]:
			a.Val = c.address(a.Val)
		case named.MatchString(a.Key):
			if redact.HoldsKey(a.Val) {
				c.taken[Secrets]++
				continue
			}
		default:
			a.Val = c.text(a.Val)
		}
		kept = append(kept, a)
	}
	n.Attr = kept
	return nil
}

// authored reports whether an input's value is its author's: the label of a button, the name
// of a choice.
func authored(kind any) bool {
	text, _ := kind.(string)
	switch strings.ToLower(text) {
	case "button", "submit", "reset", "checkbox", "radio":
		return true
	}
	return false
}

// text returns a text without secrets and mail addresses.
func (c *cleaner) text(text string) string {
	plain, ok := redact.String(text).(string)
	if !ok { // it stood for binary data
		plain = redact.Mark
	}
	if plain != text {
		c.taken[Secrets]++
	}
	plain = c.mails(plain)
	return opaque.ReplaceAllStringFunc(plain, func(word string) string {
		if len(digits.FindAllString(word, 4)) < 4 || !letters.MatchString(word) {
			return word
		}
		c.taken[Opaque]++
		return redact.Mark
	})
}

func (c *cleaner) mails(text string) string {
	if !strings.Contains(text, "@") && !strings.Contains(text, "%40") {
		return text
	}
	return mails.ReplaceAllStringFunc(text, func(string) string {
		c.taken[Mails]++
		return redact.Mark
	})
}

// address returns an address without what it tells of a person.
func (c *cleaner) address(text string) string {
	switch scheme, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), ":"); scheme {
	case "mailto", "tel", "sms":
		c.taken[Mails]++
		return scheme + ":"
	case "javascript", "vbscript", "data", "blob", "file":
		return "#"
	}
	if strings.HasPrefix(text, "#") && !strings.Contains(text, "=") {
		return c.text(text) // a place on the page
	}
	plain := redact.URL(text)
	if plain != text {
		c.taken[Addresses]++
	}
	return c.mails(plain)
}
