package redact

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// minWithin is from which length, in bytes, a hidden text counts within a longer one: shorter
// ones occur in any.
const minWithin = 4

// Hidden are texts that are known to be secret, such as the password in a call's arguments.
type Hidden []string

// Browsers leave more as it is than Go does: in a form the star, and in encodeURIComponent marks.
var (
	asForm      = strings.NewReplacer("%2A", "*")
	asComponent = strings.NewReplacer("+", "%20", "%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")
)

// Hide returns the texts as they may occur: without the space around them, and in addresses.
func Hide(texts []string) Hidden {
	var h Hidden
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			query := url.QueryEscape(text)
			h = append(h, text, query, url.PathEscape(text), asForm.Replace(query), asComponent.Replace(query))
		}
	}
	slices.SortFunc(h, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(h)
}

// Text returns a text in which a [Mark] stands for the hidden ones, in whatever case.
func (h Hidden) Text(text string) string {
	for _, hidden := range h {
		if strings.EqualFold(strings.TrimSpace(text), hidden) {
			return Mark
		}
		if len(hidden) >= minWithin {
			text = replaceFold(text, hidden)
		}
	}
	return text
}

func replaceFold(text, hidden string) string {
	var b strings.Builder
	for len(text) > 0 {
		if len(text) >= len(hidden) && strings.EqualFold(text[:len(hidden)], hidden) {
			b.WriteString(Mark)
			text = text[len(hidden):]
			continue
		}
		_, size := utf8.DecodeRuneInString(text)
		b.WriteString(text[:size])
		text = text[size:]
	}
	return b.String()
}

// JSON returns a copy of a JSON text without the hidden texts, in members' names too. What is not
// JSON becomes null.
func (h Hidden) JSON(raw json.RawMessage) json.RawMessage {
	if len(h) == 0 {
		return raw
	}
	value, err := jsonnode.Decode(raw)
	if err != nil {
		return json.RawMessage("null")
	}
	return Encode(h.clean(value))
}

func (h Hidden) clean(value any) any {
	switch v := value.(type) {
	case string:
		return h.Text(v)
	case json.Number:
		if slices.Contains(h, v.String()) {
			return Mark
		}
	case []any:
		for i := range v {
			v[i] = h.clean(v[i])
		}
	case map[string]any:
		cleaned := make(map[string]any, len(v))
		for name, member := range v {
			cleaned[h.Text(name)] = h.clean(member)
		}
		return cleaned
	}
	return value
}
