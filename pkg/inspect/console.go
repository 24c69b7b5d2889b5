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

	origin string // of the document that it is from
}

// console is the recording of one tab's console.
type console struct {
	recording[Message]
	// foreign are the contexts of extensions' content scripts: what those say is
	// not the page's.
	foreign map[runtime.ExecutionContextID]bool
	// origins are those of the other contexts; top is that of the tab's own document.
	origins map[runtime.ExecutionContextID]string
	top     string
}

func newConsole() *console {
	return &console{recording: recording[Message]{ring: ring.New[Message](keptMessages, keptBytes)}, foreign: map[runtime.ExecutionContextID]bool{}, origins: map[runtime.ExecutionContextID]string{}}
}

type consoleQuestion struct {
	question
	sees         func(url string) bool
	Levels       []string `json:"levels"`
	TextContains string   `json:"text_contains"`
}

// console answers browser.console.
func (i *Inspector) console(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	q, err := primitive.Arguments[consoleQuestion](c)
	if err != nil {
		return nil, err
	}
	q.sees = c.Session.Sees
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
	// A tab goes from page to page; what another one said is not for everybody.
	return q.sees(m.origin) && (len(q.Levels) == 0 || slices.Contains(q.Levels, m.Level)) &&
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
			r.add(messageOfCall(e), r.origins[e.ExecutionContextID])
		}
	case "Runtime.exceptionThrown":
		var e runtime.EventExceptionThrown
		if jsonv2.Unmarshal(params, &e) == nil && e.ExceptionDetails != nil && !r.foreign[e.ExceptionDetails.ExecutionContextID] {
			r.add(messageOfException(e), r.origins[e.ExceptionDetails.ExecutionContextID])
		}
	case "Log.entryAdded":
		var e cdplog.EventEntryAdded
		if jsonv2.Unmarshal(params, &e) == nil && e.Entry != nil {
			r.add(messageOfEntry(e.Entry), r.top)
		}
	case "Runtime.executionContextCreated":
		var e runtime.EventExecutionContextCreated
		if jsonv2.Unmarshal(params, &e) == nil && e.Context != nil {
			r.meet(e.Context)
		}
	case "Runtime.executionContextsCleared":
		clear(r.foreign)
		clear(r.origins)
		r.top = ""
		r.add(Message{At: time.Now().UTC(), Level: "info", Source: sourceDocument, Text: "The tab shows another document from here on."}, "")
	}
}

func isolated(c *runtime.ExecutionContextDescription) bool {
	var aux struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(c.AuxData, &aux) == nil && aux.Type == "isolated"
}

// meet notes a context. The first one that is a page's, where there was none, is
// that of the tab's own document.
func (r *console) meet(c *runtime.ExecutionContextDescription) {
	if isolated(c) {
		r.foreign[c.ID] = true
		return
	}
	if len(r.origins) == 0 {
		r.top = c.Origin
	}
	r.origins[c.ID] = c.Origin
}

func (r *console) add(m Message, origin string) {
	m.origin = origin
	size := len(m.Text) + len(m.URL) + 100
	for _, line := range m.Stack {
		size += len(line)
	}
	r.ring.Add(m, size)
}
