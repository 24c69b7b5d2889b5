package inspect

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/pkg/shorten"
)

const (
	maxArguments = 20 // of one call of the console
	maxFrames    = 5  // of a stack
)

// messageOfCall is a call of console.log and its like.
func messageOfCall(e runtime.EventConsoleAPICalled) Message {
	m := Message{At: at(e.Timestamp), Level: levelOfCall(string(e.Type)), Source: "console", Text: safeText(said(e.Args), maxText)}
	if m.Level == "error" || m.Level == "warning" || e.Type == "trace" {
		m.Stack = stackOf(e.StackTrace)
	}
	if e.StackTrace != nil && len(e.StackTrace.CallFrames) > 0 {
		m.URL, m.Line = safeURL(e.StackTrace.CallFrames[0].URL), e.StackTrace.CallFrames[0].LineNumber+1
	}
	return m
}

// messageOfException is an exception that nobody caught.
func messageOfException(e runtime.EventExceptionThrown) Message {
	d := e.ExceptionDetails
	text := d.Text
	if d.Exception != nil {
		first, _, _ := strings.Cut(textOf(d.Exception), "\n    at ")
		text += " " + first
	}
	return Message{
		At: at(e.Timestamp), Level: "error", Source: "exception", Text: safeText(text, maxText),
		URL: safeURL(d.URL), Line: d.LineNumber + 1, Stack: stackOf(d.StackTrace),
	}
}

// messageOfEntry is what the browser itself says: a resource that is missing, a
// policy that was violated.
func messageOfEntry(e *cdplog.Entry) Message {
	level := string(e.Level)
	if level == "verbose" {
		level = "debug"
	}
	m := Message{At: at(e.Timestamp), Level: level, Source: string(e.Source), Text: safeText(e.Text, maxText), URL: safeURL(e.URL), Stack: stackOf(e.StackTrace)}
	if e.LineNumber > 0 {
		m.Line = e.LineNumber + 1
	}
	return m
}

func at(t runtime.Timestamp) time.Time { return time.UnixMilli(int64(t)).UTC() }

func levelOfCall(kind string) string {
	switch kind {
	case "error", "assert":
		return "error"
	case "warning", "debug", "info":
		return kind
	}
	return "log"
}

// stackOf gives the innermost frames.
func stackOf(trace *runtime.StackTrace) []string {
	if trace == nil {
		return nil
	}
	var frames []string
	for _, f := range trace.CallFrames[:min(len(trace.CallFrames), maxFrames)] {
		name := f.FunctionName
		if name == "" {
			name = "(anonymous)"
		}
		frames = append(frames, fmt.Sprintf("%s %s:%d", shorten.Characters(name, 100), shorten.Characters(safeURL(f.URL), 200), f.LineNumber+1))
	}
	return frames
}

// placeholder is what the first argument of a call may hold for the next ones.
var placeholder = regexp.MustCompile(`%[sdifoOc]`)

// said puts the arguments together as the console shows them.
func said(args []*runtime.RemoteObject) string {
	if len(args) == 0 {
		return ""
	}
	rest := args[1:min(len(args), maxArguments)]
	first := textOf(args[0])
	if args[0].Type == "string" {
		first = placeholder.ReplaceAllStringFunc(first, func(mark string) string {
			if len(rest) == 0 {
				return mark
			}
			arg := rest[0]
			rest = rest[1:]
			if mark == "%c" { // only how it looks
				return ""
			}
			return textOf(arg)
		})
	}
	parts := []string{first}
	for _, arg := range rest {
		parts = append(parts, textOf(arg))
	}
	return strings.Join(parts, " ")
}

// textOf is one value as a person would read it.
func textOf(o *runtime.RemoteObject) string {
	var text string
	switch {
	case o.UnserializableValue != "":
		return string(o.UnserializableValue)
	case o.Type == "undefined":
		return "undefined"
	case o.Type == "string" && json.Unmarshal(o.Value, &text) == nil:
		return text
	case o.Preview != nil && o.Subtype != "error":
		return previewOf(o.Preview)
	case o.Description != "":
		return o.Description
	}
	return string(o.Value)
}

// previewOf writes the first members of an object, by which their names stand:
// what a name tells to be secret is then found in the text.
func previewOf(p *runtime.ObjectPreview) string {
	var members []string
	list := p.Subtype == "array"
	for _, member := range p.Properties {
		value := member.Value
		if member.Type == "string" {
			value = fmt.Sprintf("%q", value)
		}
		if !list {
			value = member.Name + ": " + value
		}
		members = append(members, value)
	}
	for _, entry := range p.Entries {
		value := entry.Value.Description
		if entry.Key != nil {
			value = entry.Key.Description + " => " + value
		}
		members = append(members, value)
	}
	if p.Overflow {
		members = append(members, "…")
	}
	inside := strings.Join(members, ", ")
	switch {
	case list:
		return "[" + inside + "]"
	case p.Description == "" || p.Description == "Object":
		return "{" + inside + "}"
	}
	return p.Description + " {" + inside + "}"
}
