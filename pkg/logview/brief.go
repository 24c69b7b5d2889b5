package logview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/printable"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

const (
	briefText  = 60 // characters of one string
	briefItems = 3  // of a list that is written out
	briefDepth = 2
)

// Brief puts JSON into a few words for a person, in the order of its members
// and at most limit characters: target=#q text=oolong.
func Brief(raw json.RawMessage, limit int) string {
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) || bytes.Equal(raw, []byte("{}")) {
		return ""
	}
	b := brief{decoder: json.NewDecoder(bytes.NewReader(raw)), limit: limit}
	b.decoder.UseNumber()
	text, err := b.value(0)
	if err != nil {
		text = oneLine(string(raw))
	}
	return truncate.Characters(text, limit)
}

type brief struct {
	decoder *json.Decoder
	limit   int
}

func (b *brief) value(depth int) (string, error) {
	token, err := b.decoder.Token()
	if err != nil {
		return "", err
	}
	switch v := token.(type) {
	case json.Delim:
		if v == '[' {
			return b.list(depth)
		}
		return b.object(depth)
	case string:
		return word(truncate.Characters(oneLine(v), briefText)), nil
	case nil:
		return "null", nil
	default:
		return fmt.Sprint(v), nil
	}
}

func (b *brief) object(depth int) (string, error) {
	var phrases []string
	var names []string
	plain := true // its only member is a text
	for b.decoder.More() {
		token, err := b.decoder.Token()
		if err != nil {
			return "", err
		}
		name := fmt.Sprint(token)
		text, err := b.value(depth + 1)
		if err != nil {
			return "", err
		}
		plain = plain && isText(text)
		names = append(names, name)
		phrases = append(phrases, text)
	}
	if _, err := b.decoder.Token(); err != nil {
		return "", err
	}
	switch {
	case len(phrases) == 0:
		return "{}", nil
	case has(names, "length", 1):
		return "‹" + phrases[0] + " characters›", nil
	case has(names, "bytes", 2) && names[1] == "redacted":
		return "‹" + phrases[1] + ", " + phrases[0] + " bytes›", nil
	case depth > 0 && len(phrases) == 1 && plain:
		return phrases[0], nil // locator=#q says as much as locator={selector=#q}
	case depth > briefDepth:
		return "{…}", nil
	}
	var out strings.Builder
	for i, text := range phrases {
		if i > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(word(truncate.Characters(oneLine(names[i]), briefText)) + "=" + text)
		if out.Len() > utf8.UTFMax*b.limit {
			break
		}
	}
	if depth > 0 {
		return "{" + out.String() + "}", nil
	}
	return out.String(), nil
}

// isText reports whether a value is a text, which is understood without its name; a
// number, true and false are not.
func isText(value string) bool {
	return strings.HasPrefix(value, `"`) || !strings.HasPrefix(value, "{") && !strings.HasPrefix(value, "[") && !json.Valid([]byte(value))
}

// has reports whether an object of so many members begins with a name.
func has(names []string, first string, count int) bool {
	return len(names) == count && names[0] == first
}

func (b *brief) list(depth int) (string, error) {
	var phrases []string
	count := 0
	for ; b.decoder.More(); count++ {
		text, err := b.value(depth + 1)
		if err != nil {
			return "", err
		}
		if count < briefItems {
			phrases = append(phrases, text)
		}
	}
	if _, err := b.decoder.Token(); err != nil {
		return "", err
	}
	switch {
	case count > briefItems, depth > briefDepth && count > 0:
		return fmt.Sprintf("[%d items]", count), nil
	default:
		return "[" + strings.Join(phrases, ", ") + "]", nil
	}
}

// word quotes a text that would not be seen to be one.
func word(text string) string {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(`={}[],"`, r) }) {
		return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"`
	}
	return text
}

// oneLine keeps a text of a stranger from making lines of its own.
func oneLine(text string) string { return printable.Escape(strings.Join(strings.Fields(text), " ")) }

// Took formats a duration for a person.
func Took(d time.Duration) string {
	switch {
	case d < 0:
		return "0 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	default:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	}
}

// ago is how long before now something was.
func ago(at, now time.Time) string {
	switch d := now.Sub(at); {
	case d < -time.Minute:
		return "ahead" // the clock was set back since
	case d < 10*time.Second:
		return "just now"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	default:
		return fmt.Sprintf("%d d ago", d/(24*time.Hour))
	}
}
