package compile

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// minTyped is the length, in characters, from which a typed text is looked for in what came
// after it: shorter ones occur by chance.
const minTyped = 3

// typed is a text that was typed, and the expression that stands for it.
type typed struct{ text, expr string }

// know keeps a text that was typed, so that it is found where the page repeats it.
func (w *writer) know(text, expr string) {
	if text = strings.TrimSpace(text); utf8.RuneCountInString(text) < minTyped {
		return
	}
	w.typed = append(w.typed, typed{text, expr})
	slices.SortStableFunc(w.typed, func(a, b typed) int { return len(b.text) - len(a.text) })
}

// exprOf returns the expression for a text that was typed before as it is; empty for another.
func (w *writer) exprOf(text string) string {
	for _, t := range w.typed {
		if t.text == strings.TrimSpace(text) {
			return t.expr
		}
	}
	return ""
}

// mentions reports whether the text has one that was typed, in any case.
func (w *writer) mentions(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(w.typed, func(t typed) bool { return strings.Contains(text, strings.ToLower(t.text)) })
}

// plain returns the text without what was typed, for names that people read.
func (w *writer) plain(text string) string {
	for _, t := range w.typed {
		for at := indexFold(text, t.text); at >= 0; at = indexFold(text, t.text) {
			text = text[:at] + " " + text[at+len(t.text):]
		}
	}
	return strings.Join(strings.Fields(text), " ")
}

// indexFold is strings.Index in any case, for texts whose length does not depend on it.
func indexFold(text, sought string) int {
	lower, low := strings.ToLower(text), strings.ToLower(sought)
	if len(lower) != len(text) || len(low) != len(sought) {
		return strings.Index(text, sought)
	}
	return strings.Index(lower, low)
}

// piece is a stretch of a text: as it is, or with the expression that stands for it. As a form it
// stands only where fits accepts what is before and after it.
type piece struct {
	text, expr string
	fits       func(before, form, after string) bool
}

// split finds the typed texts in a text.
func (w *writer) split(text string, forms func(typed) []piece) []piece {
	pieces := []piece{{text: text}}
	for _, t := range w.typed {
		for _, form := range forms(t) {
			pieces = splitBy(pieces, form)
		}
	}
	return pieces
}

func splitBy(pieces []piece, form piece) (out []piece) {
	prefix := ""
	for _, p := range pieces {
		for p.expr == "" {
			before, after, found := form.cut(prefix, p.text)
			if !found {
				break
			}
			if before != "" {
				out = append(out, piece{text: before})
			}
			out, p.text = append(out, piece{text: form.text, expr: form.expr}), after
			prefix += before + form.text
		}
		if prefix += p.text; p.expr != "" || p.text != "" {
			out = append(out, p)
		}
	}
	return out
}

// cut is strings.Cut by the text of the form. The prefix is what is before the text.
func (form piece) cut(prefix, text string) (before, after string, found bool) {
	for at := 0; form.text != "" && at < len(text); {
		i := strings.Index(text[at:], form.text)
		if i < 0 {
			break
		}
		before, after = text[:at+i], text[at+i+len(form.text):]
		if form.fits(prefix+before, form.text, after) {
			return before, after, true
		}
		_, size := utf8.DecodeRuneInString(form.text)
		at += i + size
	}
	return text, "", false
}

// isWords reports whether the form stands for whole words: who typed Lis did not mean the end of
// Lisbon by it.
func isWords(before, form, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	first, _ := utf8.DecodeRuneInString(form)
	end, _ := utf8.DecodeLastRuneInString(form)
	return !(isWord(last) && isWord(first)) && !(isWord(end) && isWord(next))
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func asIs(t typed) []piece { return []piece{{t.text, t.expr, isWords}} }

// What an address begins with, an escape before a place in it, and both sides of a place in the
// name of a parameter.
var (
	authority  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:[/\\]*[^/\\?#]*`)
	escape     = regexp.MustCompile(`%[0-9A-Fa-f]{2}$`)
	beforeName = regexp.MustCompile(`[?&][^=&#]*$`)
	afterName  = regexp.MustCompile(`^[^&#]*=`)
)

// isAddressWord reports whether the form stands for whole words of the path, of a value or of the
// fragment. What an input replaces must not choose the host, nor which parameter it is.
func isAddressWord(before, form, after string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	next, _ := utf8.DecodeRuneInString(after)
	return len(authority.FindString(before+form+after)) <= len(before) &&
		(!isWord(last) || escape.MatchString(before)) && !isWord(next) &&
		!(beforeName.MatchString(before) && afterName.MatchString(after))
}

func inAddress(t typed) []piece {
	encoded := "$encodeUrlComponent(" + t.expr + ")"
	var forms []piece
	for _, text := range []string{url.QueryEscape(t.text), url.PathEscape(t.text), strings.ReplaceAll(url.QueryEscape(t.text), "+", "%20"), t.text} {
		forms = append(forms, piece{text, encoded, isAddressWord})
	}
	return forms
}

// value returns the text as a map holds it: as it is, or as an expression where it has what
// was typed. It reports whether all that was typed is out of it.
func (w *writer) value(text string, forms func(typed) []piece) (any, bool) {
	pieces := w.split(text, forms)
	clean := true
	for _, p := range pieces {
		clean = clean && (p.expr != "" || !w.mentions(p.text))
	}
	if len(pieces) == 1 && pieces[0].expr == "" {
		return constant(text), clean
	}
	return slot(join(pieces)), clean
}

// constant returns a text as a map holds it, in which nothing is an expression.
func constant(text string) any {
	if strings.Contains(text, "{%") || strings.Contains(text, "%}") {
		return slot(quote(text))
	}
	return text
}

func join(pieces []piece) string {
	var all []string
	for _, p := range pieces {
		if p.expr != "" {
			all = append(all, p.expr)
		} else {
			all = append(all, quote(p.text))
		}
	}
	return strings.Join(all, " & ")
}

func slot(expr string) string { return "{% " + expr + " %}" }

// quote writes a text as a literal of an expression, in which the end of a slot cannot stand.
func quote(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // strings always encode
	return strings.ReplaceAll(strings.TrimSpace(b.String()), "%}", `%" & "}`)
}

// slug makes a name of words: small letters, digits and _.
func slug(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
		if b.Len() >= 40 {
			break
		}
	}
	return strings.Trim(b.String(), "_")
}

// literals are no names in an expression: input.true is true.
var literals = []string{"true", "false", "null"}

// free returns the name, or the other where it is none, with a number where it is taken.
func free(taken map[string]bool, name, other string) string {
	if name == "" || name[0] < 'a' || slices.Contains(literals, name) {
		name = strings.Trim(other+"_"+name, "_")
	}
	for n, whole := 2, name; ; n++ {
		if !taken[name] {
			taken[name] = true
			return name
		}
		name = fmt.Sprintf("%s_%d", whole, n)
	}
}
