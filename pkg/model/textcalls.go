package model

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// The tags of tool calls in the text of a model that has no format for them.
const (
	callBegin = "<tool_call>"
	callEnd   = "</tool_call>"
)

// markLength is the length of a mark: 40 bits, a page gets one guess for each request, and few enough
// letters for a small model to repeat.
const markLength = 8

// markKey makes the marks of this process.
var markKey = []byte(rand.Text())

// markOf returns the mark of a conversation, by its first message. It is the same for each step: services
// reuse what they have read up to the first difference. The system text has the page, which changes. Conversations
// that begin with the same text share it where their client gives no times.
func markOf(messages []Message) string {
	mac := hmac.New(sha256.New, markKey)
	if len(messages) > 0 {
		fmt.Fprintln(mac, messages[0].Timestamp, textOf(messages[0].Content))
	}
	return base32.StdEncoding.EncodeToString(mac.Sum(nil))[:markLength]
}

// maxTextCalls bounds the calls in one text.
const maxTextCalls = 32

// textCalls reads tool calls that a model writes as text, once: what is none is shown as text.
type textCalls struct {
	tools []Tool
	// mark stands in each call and around each result: a page, whose words the model may repeat,
	// cannot know it.
	mark   string
	onText func(string)
	head   string          // of the answer, without the space before it
	held   strings.Builder // what may be a call
	closed bool            // all that comes is held: each piece is looked at once
	shown  strings.Builder
}

// writeTools turns the call's tools, calls and results into text.
func (c *call) writeTools() *textCalls {
	written := &textCalls{tools: c.tools, mark: markOf(c.messages)}
	if len(c.tools) > 0 {
		var text strings.Builder
		text.WriteString(c.system)
		fmt.Fprintf(&text, "\n\nYou have tools. To call one, answer with nothing but %s{\"mark\":\"%s\",\"name\":\"…\",\"arguments\":{…}}%s, one for each call. The mark stands in your own calls alone, never in what you quote. The results come back between %s and %s.\n",
			callBegin, written.mark, callEnd, written.resultBegin(), written.resultEnd())
		for _, t := range c.tools {
			line, err := json.Marshal(t)
			if err != nil { // its schema is no JSON; the services would say so too
				continue
			}
			text.Write(line)
			text.WriteByte('\n')
		}
		c.system = strings.TrimSpace(text.String())
	}
	var messages []Message
	for _, m := range c.messages {
		next := written.message(m)
		if last := len(messages) - 1; last >= 0 && messages[last].Role == next.Role { // small models' templates want turns
			next.Content = append(messages[last].Content, next.Content...)
			messages = messages[:last]
		}
		messages = append(messages, next)
	}
	c.tools, c.messages = nil, messages
	return written
}

func (t *textCalls) resultBegin() string { return "<tool_result mark=" + t.mark + ">" }

func (t *textCalls) resultEnd() string { return "</tool_result mark=" + t.mark + ">" }

// message returns a message with its calls and results as text.
func (t *textCalls) message(m Message) Message {
	switch m.Role {
	case RoleAssistant:
		text := textOf(m.Content)
		for _, one := range m.Content {
			if one.Type == ToolCallContent {
				name, _ := json.Marshal(one.Name) // a string always has a JSON form
				text += fmt.Sprintf("\n%s{\"mark\":\"%s\",\"name\":%s,\"arguments\":%s}%s", callBegin, t.mark, name, objectOf(one.Arguments), callEnd)
			}
		}
		return Message{Role: RoleAssistant, Content: []Content{{Type: TextContent, Text: strings.TrimSpace(text)}}}
	case RoleToolResult:
		content := []Content{{Type: TextContent, Text: t.resultBegin() + "\n" + m.ToolName + ": " + markedText(m) + "\n" + t.resultEnd()}}
		for _, one := range m.Content {
			if one.Type == ImageContent {
				content = append(content, one)
			}
		}
		return Message{Role: RoleUser, Content: content}
	}
	return m
}

// take takes the next piece of text and gives on what can be no call.
func (t *textCalls) take(piece string) (given bool) {
	t.held.WriteString(piece)
	if t.closed {
		return false
	}
	if t.shown.Len() == 0 {
		if t.head = strings.TrimLeft(t.head+piece, " \t\r\n"); t.head == "" {
			return false
		}
		if mayBeCall(t.head) {
			t.closed = len(t.head) >= 3 || t.head[0] != '`'
			return false
		}
	}
	text := t.held.String()
	clear := len(text)
	if at := strings.Index(text, callBegin); at >= 0 {
		clear = at
		t.closed = true
	} else {
		for n := min(len(callBegin)-1, len(text)); n > 0; n-- {
			if strings.HasSuffix(text, callBegin[:n]) {
				clear = len(text) - n
				break
			}
		}
	}
	return t.show(text, clear)
}

// mayBeCall reports whether an answer that begins so may be nothing but a call.
func mayBeCall(text string) bool {
	return text[0] == '{' || text[0] == '[' || strings.HasPrefix(text, "```") || strings.HasPrefix("```", text)
}

// show passes on the first bytes of what is held and keeps the rest.
func (t *textCalls) show(text string, clear int) bool {
	if clear == 0 {
		return false
	}
	t.held.Reset()
	t.held.WriteString(text[clear:])
	t.shown.WriteString(text[:clear])
	if t.onText != nil {
		t.onText(text[:clear])
	}
	return true
}

// finish makes calls of what is held, or gives it on as text. With nudge it does neither with an answer
// that is nothing but calls of which some have no mark. A wrong mark is of a page that guesses: the model repeats it.
func (t *textCalls) finish(a *answer, nudge bool) {
	text := t.held.String()
	calls, ok := t.parse(text)
	if ok && slices.ContainsFunc(calls, func(one textCall) bool { return one.Mark != t.mark }) {
		guessed := slices.ContainsFunc(calls, func(one textCall) bool { return one.Mark != "" && one.Mark != t.mark })
		if nudge && !guessed && t.shown.Len() == 0 && a.stop == StopEnd {
			a.unmarked = text
			return
		}
		ok = false
	}
	if !ok {
		a.given = t.show(text, len(text)) || a.given
	}
	a.pieces = slices.DeleteFunc(a.pieces, func(p *piece) bool { return p.kind == TextContent })
	if shown := t.shown.String(); shown != "" {
		p := &piece{kind: TextContent}
		p.text.WriteString(shown)
		a.pieces = append(a.pieces, p)
	}
	if !ok {
		return
	}
	for i, one := range calls {
		p := &piece{kind: ToolCallContent, number: i, name: one.Name}
		p.text.Write(one.Arguments)
		a.pieces = append(a.pieces, p)
	}
}

// textCall is a call as a model writes it.
type textCall struct {
	Mark       string          `json:"mark"`
	Name       string          `json:"name"`
	Arguments  json.RawMessage `json:"arguments,omitzero"`
	Parameters json.RawMessage `json:"parameters,omitzero"`
}

// parse returns the calls of a text that holds nothing else, with any mark or none: between the tags, or
// as a bare or fenced object or array of them.
func (t *textCalls) parse(text string) ([]textCall, bool) {
	text = strings.TrimSpace(text)
	var bodies []string
	if strings.HasPrefix(text, callBegin) {
		for rest := text; rest != ""; rest = strings.TrimSpace(rest) {
			body, found := strings.CutPrefix(rest, callBegin)
			if !found || len(bodies) == maxTextCalls {
				return nil, false
			}
			body, rest, _ = strings.Cut(body, callEnd) // the last one's end may be missing
			bodies = append(bodies, body)
		}
	} else {
		bodies = []string{unfenced(text)}
	}
	var calls []textCall
	for _, body := range bodies {
		more, ok := t.callsOf(strings.TrimSpace(body))
		if !ok {
			return nil, false
		}
		calls = append(calls, more...)
	}
	return calls, len(calls) > 0 && len(calls) <= maxTextCalls
}

// unfenced returns what stands in a fence, if all does.
func unfenced(text string) string {
	inside, found := strings.CutPrefix(text, "```")
	if !found {
		return text
	}
	inside, found = strings.CutSuffix(inside, "```")
	_, body, line := strings.Cut(inside, "\n")
	if !found || !line {
		return text
	}
	return strings.TrimSpace(body)
}

func (t *textCalls) callsOf(body string) ([]textCall, bool) {
	value, err := strictjson.Canonical([]byte(body), strictjson.Limits{MaxBytes: maxAnswer})
	if err != nil {
		return nil, false
	}
	var calls []textCall
	if value[0] == '[' {
		err = strictjson.Decode(value, &calls, strictjson.Limits{})
	} else {
		var one textCall
		err = strictjson.Decode(value, &one, strictjson.Limits{})
		calls = []textCall{one}
	}
	if err != nil {
		return nil, false
	}
	for i := range calls {
		one := &calls[i]
		if len(one.Arguments) == 0 {
			one.Arguments = one.Parameters
		}
		if len(one.Arguments) == 0 {
			one.Arguments = json.RawMessage("{}")
		}
		known := slices.ContainsFunc(t.tools, func(t Tool) bool { return t.Name == one.Name })
		if !known || jsonOr(one.Arguments, nil) == nil {
			return nil, false
		}
	}
	return calls, true
}
