package inspect

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/ring"
)

// keptMessages bounds a console recording.
const keptMessages = 1000

// sourceDocument marks the entry that stands where the tab got a new document.
const sourceDocument = "document"

// Message is one entry of the console.
type Message struct {
	Seq    uint64    `json:"seq"`
	At     time.Time `json:"at"`
	Level  string    `json:"level"`  // debug, log, info, warning or error
	Source string    `json:"source"` // console, exception, document, or what in the browser speaks
	Text   string    `json:"text"`
	URL    string    `json:"url,omitzero"`
	Line   int64     `json:"line,omitzero"` // from 1
	Stack  []string  `json:"stack,omitzero"`
}

// console is the recording of one tab's console.
type console struct {
	recording[Message]
	// foreign are the contexts of extensions' content scripts: what those say is
	// not the page's.
	foreign map[runtime.ExecutionContextID]bool
}

func newConsole() *console {
	return &console{recording: recording[Message]{ring: ring.New[Message](keptMessages, keptBytes)}, foreign: map[runtime.ExecutionContextID]bool{}}
}

type consoleQuestion struct {
	question
	Levels       []string `json:"levels"`
	TextContains string   `json:"text_contains"`
}

// console answers browser.console.
func (i *Inspector) console(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	q, err := primitive.Arguments[consoleQuestion](c)
	if err != nil {
		return nil, err
	}
	r := of(i, &i.consoles, c.TabID, newConsole)
	d := i.Browser.Debugger(c.TabID).On(c.Origin)
	started := false
	if !q.Stop {
		if started, err = r.start(ctx, d, r.event, func(ctx context.Context) error { return enableConsole(ctx, d) }); err != nil {
			return nil, err
		}
	}
	a := r.read(q.question, q.matches, func(m Message, seq uint64) Message { m.Seq = seq; return m })
	a.Started = started
	if q.Stop && a.Recording {
		if err := disableConsole(ctx, d); err != nil {
			return nil, err
		}
		r.end()
		a.Recording = false
	}
	return primitive.Output(a)
}

func (q consoleQuestion) matches(m Message) bool {
	return (len(q.Levels) == 0 || slices.Contains(q.Levels, m.Level)) &&
		(q.TextContains == "" || strings.Contains(strings.ToLower(m.Text), strings.ToLower(q.TextContains)))
}

// enableConsole has the browser tell what was said already, and what will be.
func enableConsole(ctx context.Context, d *browser.Debugger) error {
	if _, err := cdp.Call(ctx, d, runtime.Enable, struct{}{}); err != nil {
		return err
	}
	_, err := cdp.Call(ctx, d, cdplog.Enable, struct{}{})
	return err
}

func disableConsole(ctx context.Context, d *browser.Debugger) error {
	if _, err := cdp.Call(ctx, d, cdplog.Disable, struct{}{}); err != nil {
		return err
	}
	_, err := cdp.Call(ctx, d, runtime.Disable, struct{}{})
	return err
}

// event takes one event of the debugger; those that are of no interest or that
// cannot be read are passed over.
func (r *console) event(method string, params json.RawMessage) {
	switch method {
	case "Runtime.consoleAPICalled":
		var e runtime.EventConsoleAPICalled
		if jsonv2.Unmarshal(params, &e) == nil && !r.foreign[e.ExecutionContextID] {
			r.add(messageOfCall(e))
		}
	case "Runtime.exceptionThrown":
		var e runtime.EventExceptionThrown
		if jsonv2.Unmarshal(params, &e) == nil && e.ExceptionDetails != nil && !r.foreign[e.ExceptionDetails.ExecutionContextID] {
			r.add(messageOfException(e))
		}
	case "Log.entryAdded":
		var e cdplog.EventEntryAdded
		if jsonv2.Unmarshal(params, &e) == nil && e.Entry != nil {
			r.add(messageOfEntry(e.Entry))
		}
	case "Runtime.executionContextCreated":
		var e runtime.EventExecutionContextCreated
		if jsonv2.Unmarshal(params, &e) == nil && e.Context != nil && isolated(e.Context) {
			r.foreign[e.Context.ID] = true
		}
	case "Runtime.executionContextsCleared":
		clear(r.foreign)
		r.add(Message{At: time.Now().UTC(), Level: "info", Source: sourceDocument, Text: "The tab shows another document from here on."})
	}
}

func isolated(c *runtime.ExecutionContextDescription) bool {
	var aux struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(c.AuxData, &aux) == nil && aux.Type == "isolated"
}

func (r *console) add(m Message) {
	size := len(m.Text) + len(m.URL) + 100
	for _, line := range m.Stack {
		size += len(line)
	}
	r.ring.Add(m, size)
}
