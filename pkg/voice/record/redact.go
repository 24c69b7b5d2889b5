package record

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/voice"
)

const (
	picture = "[picture]"
	piece   = "…"
)

// typedMembers are the members of tools' arguments, and of the output of some tools, that
// hold text which went, or may go, into a page.
var typedMembers = []string{"text", "html", "value", "values", "prompt_text", "arguments", "body", "headers", "answer"}

// userTextTools are the prefixes of tools whose output is text of the user.
var userTextTools = []string{"clipboard.", "transfer.", "user."}

// minTyped is how many characters a typed text needs to be redacted elsewhere: shorter
// ones occur in many words.
const minTyped = 3

// omittedEvents are events of the service that hold nothing but sound or pieces of
// arguments.
var omittedEvents = []string{"response.output_audio.delta", "response.function_call_arguments.delta"}

// redactor removes what no recording may hold. It learns what tools typed and
// recognizes it later.
type redactor struct {
	learned []string // longest first
}

// redact returns the event as it may be written, and its type.
func (c *redactor) redact(event json.RawMessage) (cleaned json.RawMessage, kind string, err error) {
	value, err := jsonnode.Decode(event)
	if err != nil {
		return nil, "", err
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, "", fmt.Errorf("the event is not an object")
	}
	kind, _ = object["type"].(string) // without one it has none
	cleaned, err = jsonnode.Encode(c.object(object))
	return cleaned, kind, err
}

// Normalize returns an event of a replayed session in the form in which the recording holds
// it.
func Normalize(event json.RawMessage) (json.RawMessage, error) {
	cleaned, _, err := new(redactor).redact(event)
	return cleaned, err
}

func (c *redactor) value(value any) any {
	switch v := value.(type) {
	case string:
		return c.text(v)
	case []any:
		for i := range v {
			v[i] = c.value(v[i])
		}
	case map[string]any:
		return c.object(v)
	}
	return value
}

func (c *redactor) object(object map[string]any) any {
	c.learn(object)
	secret := redact.DescribesSecret(object)
	for name, member := range object {
		text, isText := member.(string)
		switch {
		case name == "tools":
			object[name] = toolNames(member)
		case (name == "audio" || name == "sdp") && isText:
			delete(object, name)
		case name == "image_url" || name == "data_url":
			object[name] = picture
		case name == "delta" && isText:
			object[name] = piece
		case name == "arguments" && isText:
			object[name] = c.arguments(text)
		case name == "usage" && onlyNumbers(member): // counts of tokens are not secrets
		case redact.SecretName(name) || secret && name == "value":
			object[name] = redact.Mark
		default:
			object[name] = c.value(member)
		}
	}
	return object
}

// learn stores the user's text in the output of a tool.
func (c *redactor) learn(object map[string]any) {
	name, _ := object["name"].(string) // of an outcome
	if !slices.ContainsFunc(userTextTools, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
		return
	}
	for _, part := range []string{"output", "page"} { // of the answer of the call path
		answer, _ := object[part].(map[string]any)
		inner, _ := answer["output"].(map[string]any)
		if _, chosen := inner["option_index"]; !chosen { // an option is the model's own text
			c.hideTyped(inner)
		}
	}
}

// arguments hides what a tool call types; arguments that are not a JSON object are
// hidden as a whole.
func (c *redactor) arguments(text string) string {
	value, err := jsonnode.Decode([]byte(text))
	object, ok := value.(map[string]any)
	if err != nil || !ok {
		return "[no JSON object]"
	}
	c.hideTyped(object)
	raw, err := jsonnode.Encode(c.value(object))
	if err != nil {
		return redact.Mark
	}
	return string(raw)
}

func (c *redactor) hideTyped(object map[string]any) {
	for _, name := range typedMembers {
		if member, ok := object[name]; ok {
			object[name] = c.placeholders(member)
		}
	}
}

func (c *redactor) placeholders(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = c.placeholders(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = c.placeholders(v[name])
		}
	case string:
		return c.placeholder(v)
	case json.Number:
		return c.placeholder(v.String())
	}
	return value
}

var isPlaceholder = regexp.MustCompile(`^\[typed \d+\]$`)

func (c *redactor) placeholder(text string) string {
	if isPlaceholder.MatchString(text) {
		return text
	}
	if utf8.RuneCountInString(text) >= minTyped && !slices.Contains(c.learned, text) {
		c.learned = append(c.learned, text)
		slices.SortFunc(c.learned, func(a, b string) int { return len(b) - len(a) })
	}
	return placeholderFor(text)
}

func placeholderFor(text string) string {
	return fmt.Sprintf("[typed %d]", utf8.RuneCountInString(text))
}

// resultMessage matches a tool's result in a text message to the model.
var resultMessage = regexp.MustCompile(`(?s)^(Result of the tool [^:]+: )(\{.*\})$`)

// text cleans a text; JSON within it member by member.
func (c *redactor) text(text string) string {
	if binary(text) {
		return picture
	}
	if message, _, ok := strings.Cut(text, voice.CalledWith); ok {
		return c.text(message) + voice.CalledWith + redact.Mark
	}
	if before, page, after, ok := pagedata.Split(text); ok {
		return c.text(before) + "<page_data>" + c.text(page) + "</page_data>" + c.text(after)
	}
	if groups := resultMessage.FindStringSubmatch(text); groups != nil {
		return groups[1] + c.text(groups[2])
	}
	if len(text) > 1 && (text[0] == '{' || text[0] == '[') {
		if value, rest, err := jsonnode.DecodeFirst([]byte(text)); err == nil {
			if raw, err := jsonnode.Encode(c.value(value)); err == nil {
				return string(raw) + c.plain(string(rest))
			}
		}
	}
	return c.plain(text)
}

// plain cleans a text without what is in its JSON.
func (c *redactor) plain(text string) string {
	text = redactFully(text)
	for _, secret := range c.learned {
		text = strings.ReplaceAll(text, secret, placeholderFor(secret))
	}
	return text
}

// redactFully hides the secrets that rules find, until they find no more: the rest of one
// may look like another.
func redactFully(text string) string {
	for range 8 {
		next := redact.Text(text)
		if next == text {
			return text
		}
		text = next
	}
	return redact.Mark
}

func binary(text string) bool {
	return strings.HasPrefix(text, "data:") && strings.Contains(text, ";base64,")
}

// toolNames returns the names of a list of tools.
func toolNames(tools any) any {
	list, ok := tools.([]any)
	if !ok {
		return tools
	}
	for i, tool := range list {
		if object, ok := tool.(map[string]any); ok {
			list[i] = object["name"]
		}
	}
	return list
}

func onlyNumbers(value any) bool {
	switch v := value.(type) {
	case json.Number, bool, nil:
		return true
	case map[string]any:
		for _, member := range v {
			if !onlyNumbers(member) {
				return false
			}
		}
		return true
	}
	return false
}
