package webfetch

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxMatches   = 20
	contextChars = 100 // shown before and after a match
)

// match is a place of the text that was looked for.
type match struct {
	Offset int    `json:"offset"`
	Text   string `json:"text"` // with the words around it
}

// addMatches adds the places from the offset on where the text has what is looked for, in any case.
func (o *output) addMatches(whole string, args fetchArguments) {
	text := []rune(whole)
	offsets := findAll(text, args.Find)
	count := len(offsets)
	o.MatchCount, o.Matches = &count, []match{}
	wanted, budget := utf8.RuneCountInString(args.Find), cmp.Or(args.MaxChars, defaultMaxChars)
	for _, at := range offsets {
		if at < args.Offset {
			continue
		}
		found := match{at, around(text, at, at+wanted)}
		budget -= utf8.RuneCountInString(found.Text)
		if len(o.Matches) == maxMatches || len(o.Matches) > 0 && budget < 0 {
			args.Offset = at
			o.Next = &nextCall{fetchName, args}
			return
		}
		o.Matches = append(o.Matches, found)
	}
}

// findAll returns where a text has another one, in characters.
func findAll(text []rune, wanted string) (offsets []int) {
	folded, wanted := fold(text), fold([]rune(wanted))
	for at := 0; ; {
		next := strings.Index(folded, wanted)
		if next < 0 {
			return offsets
		}
		at += utf8.RuneCountInString(folded[:next])
		offsets = append(offsets, at)
		at += utf8.RuneCountInString(wanted)
		folded = folded[next+len(wanted):]
	}
}

// fold returns a text in lower case, with a space for each white space. No character is added or lost.
func fold(text []rune) string {
	folded := make([]rune, len(text))
	for i, r := range text {
		switch {
		case unicode.IsSpace(r):
			folded[i] = ' '
		default:
			folded[i] = unicode.ToLower(r)
		}
	}
	return string(folded)
}

// around returns a part of the text with the words around it.
func around(text []rune, start, end int) string {
	from, to := max(0, start-contextChars), min(len(text), end+contextChars)
	for from > 0 && from < start && !unicode.IsSpace(text[from-1]) {
		from++
	}
	for to < len(text) && to > end && !unicode.IsSpace(text[to]) {
		to--
	}
	return strings.TrimSpace(string(text[from:to]))
}
