package inspect

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

const (
	maxText        = 2000 // characters
	maxArguments   = 20   // of one call of the console
	maxStackFrames = 5    // of a stack
)

// callMessage returns the message of a console call.
func callMessage(e runtime.EventConsoleAPICalled) Message {
	m := Message{At: at(e.Timestamp), Level: callLevel(string(e.Type)), Source: "console", Text: redact.TextUpTo(formatArguments(e.Args), maxText)}
	if m.Level == "error" || m.Level == "warning" || e.Type == "trace" {
		m.Stack = stackLines(e.StackTrace)
	}
	if e.StackTrace != nil && len(e.StackTrace.CallFrames) > 0 {
		m.URL, m.Line = redact.URL(e.StackTrace.CallFrames[0].URL), e.StackTrace.CallFrames[0].LineNumber+1
	}
	return m
}

// exceptionMessage returns the message of an uncaught exception.
func exceptionMessage(e runtime.EventExceptionThrown) Message {
	d := e.ExceptionDetails
	text := d.Text
	if d.Exception != nil {
		first, _, _ := strings.Cut(formatValue(d.Exception), "\n    at ")
		text += " " + first
	}
	return Message{
		At: at(e.Timestamp), Level: "error", Source: "exception", Text: redact.TextUpTo(text, maxText),
		URL: redact.URL(d.URL), Line: d.LineNumber + 1, Stack: stackLines(d.StackTrace),
	}
}

// logMessage returns a message of the browser itself: a missing resource, a violated policy.
func logMessage(e *cdplog.Entry) Message {
	level := string(e.Level)
	if level == "verbose" {
		level = "debug"
	}
	m := Message{At: at(e.Timestamp), Level: level, Source: string(e.Source), Text: redact.TextUpTo(e.Text, maxText), URL: redact.URL(e.URL), Stack: stackLines(e.StackTrace)}
	if e.LineNumber > 0 {
		m.Line = e.LineNumber + 1
	}
	return m
}

func at(t runtime.Timestamp) time.Time { return time.UnixMilli(int64(t)).UTC() }

func callLevel(kind string) string {
	switch kind {
	case "error", "assert":
		return "error"
	case "warning", "debug", "info":
		return kind
	}
	return "log"
}

// stackLines returns the innermost frames.
func stackLines(trace *runtime.StackTrace) []string {
	if trace == nil {
		return nil
	}
	var frames []string
	for _, f := range trace.CallFrames[:min(len(trace.CallFrames), maxStackFrames)] {
		name := f.FunctionName
		if name == "" {
			name = "(anonymous)"
		}
		frames = append(frames, fmt.Sprintf("%s %s:%d", truncate.Characters(name, 100), truncate.Characters(redact.URL(f.URL), 200), f.LineNumber+1))
	}
	return frames
}

// placeholder is what the first argument of a call may hold for the next ones.
var placeholder = regexp.MustCompile(`%[sdifoOc]`)

// formatArguments formats the arguments of a call as the console shows them.
func formatArguments(args []*runtime.RemoteObject) string {
	if len(args) == 0 {
		return ""
	}
	rest := args[1:min(len(args), maxArguments)]
	first := formatValue(args[0])
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
			return formatValue(arg)
		})
	}
	texts := []string{first}
	for _, arg := range rest {
		texts = append(texts, formatValue(arg))
	}
	return strings.Join(texts, " ")
}

// formatValue formats one value for people.
func formatValue(o *runtime.RemoteObject) string {
	var text string
	switch {
	case o.UnserializableValue != "":
		return string(o.UnserializableValue)
	case o.Type == "undefined":
		return "undefined"
	case o.Type == "string" && json.Unmarshal(o.Value, &text) == nil:
		return text
	case o.Preview != nil && o.Subtype != "error":
		return formatPreview(o.Preview)
	case o.Description != "":
		return o.Description
	}
	return string(o.Value)
}

// formatPreview formats the first members of an object with their names: secrets are found by
// the names later.
func formatPreview(p *runtime.ObjectPreview) string {
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
		value := describe(entry.Value)
		if entry.Key != nil {
			value = entry.Key.Description + ": " + value
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

// describe returns what stands for an entry of a map or a set, a text in quotes.
func describe(p *runtime.ObjectPreview) string {
	if p.Type == "string" {
		return strconv.Quote(p.Description)
	}
	return p.Description
}
