package model

import (
	"crypto/rand"
	"encoding/json"
	"strings"
)

// maxAnswer bounds the characters of an answer: no model's output limit lets more come.
const maxAnswer = 1 << 20

// answer collects what a model sends.
type answer struct {
	onText func(text string) // nil takes none
	filter *textCalls        // nil where the model has a format for tool calls
	given  bool              // text was given on
	// unmarked is an answer that is nothing but calls without the mark; it was not given on.
	unmarked string
	size     int
	pieces   []*piece
	usage    Usage
	stop     StopReason // empty until the model says why it ended
}

// piece is one part of the answer; its number is the service's.
type piece struct {
	kind     string
	number   int
	id, name string
	text     strings.Builder
}

// add appends to the part of the kind and number, which begins with its first text.
func (a *answer) add(kind string, number int, text string) error {
	if text == "" {
		return nil
	}
	if a.size += len(text); a.size > maxAnswer {
		return errEndless
	}
	p := a.find(kind, number)
	if kind == TextContent || kind == ThinkingContent { // a new one after another kind
		if last := len(a.pieces) - 1; last < 0 || a.pieces[last].kind != kind {
			p = nil
		} else {
			p = a.pieces[last]
		}
	}
	if p == nil {
		p = &piece{kind: kind, number: number}
		a.pieces = append(a.pieces, p)
	}
	p.text.WriteString(text)
	if kind == TextContent && a.filter != nil {
		a.given = a.filter.take(text) || a.given
		return nil
	}
	if kind == TextContent {
		a.given = true
		if a.onText != nil {
			a.onText(text)
		}
	}
	return nil
}

func (a *answer) find(kind string, number int) *piece {
	for _, p := range a.pieces {
		if p.kind == kind && p.number == number {
			return p
		}
	}
	return nil
}

// call begins a tool call, or adds to what is known of it.
func (a *answer) call(number int, id, name string) error {
	p := a.find(ToolCallContent, number)
	if p == nil {
		p = &piece{kind: ToolCallContent, number: number}
		a.pieces = append(a.pieces, p)
	}
	if p.id == "" {
		p.id = id
	}
	if p.name == "" {
		p.name = name
	}
	if a.size += len(id) + len(name) + 64; a.size > maxAnswer {
		return errEndless
	}
	return nil
}

// content returns the content of the message.
func (a *answer) content() []Content {
	content := []Content{}
	ids := map[string]bool{}
	for _, p := range a.pieces {
		text := p.text.String()
		switch p.kind {
		case TextContent:
			content = append(content, Content{Type: TextContent, Text: text})
		case ThinkingContent:
			content = append(content, Content{Type: ThinkingContent, Thinking: text})
		case ToolCallContent:
			if p.id == "" || ids[p.id] { // results name it
				p.id = newCallID()
			}
			ids[p.id] = true
			content = append(content, Content{Type: ToolCallContent, ID: p.id, Name: p.name, Arguments: argumentsOf(text)})
		}
	}
	return content
}

func newCallID() string { return "call_" + rand.Text()[:16] }

// argumentsOf returns what a model wrote as arguments: the object, or a string with what is none.
func argumentsOf(text string) json.RawMessage {
	if strings.TrimSpace(text) == "" {
		return json.RawMessage("{}")
	}
	quoted, _ := json.Marshal(strings.ToValidUTF8(text, "�")) // a string always has a JSON form
	return jsonOr(json.RawMessage(text), quoted)
}

// empty reports whether the model said nothing and called nothing.
func (a *answer) empty() bool {
	for _, p := range a.pieces {
		if p.kind == ToolCallContent || p.kind == TextContent && strings.TrimSpace(p.text.String()) != "" {
			return false
		}
	}
	return true
}

func (a *answer) calls() bool {
	for _, p := range a.pieces {
		if p.kind == ToolCallContent {
			return true
		}
	}
	return false
}

// stream is the answer of a service as its SDK gives it, event by event.
type stream[E any] interface {
	Next() bool
	Current() E
	Err() error
	Close() error
}

// each calls take with every event of the stream, and closes the stream.
func each[E any](s stream[E], take func(E) error) error {
	defer s.Close()
	for s.Next() {
		if err := take(s.Current()); err != nil {
			return err
		}
	}
	return s.Err()
}
