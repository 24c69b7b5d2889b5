package inspect

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// maxMessages bounds a console recording.
const maxMessages = 1000

// sourceDocument marks the entry at which the tab got a new document.
const sourceDocument = "document"

// sourceRecording marks the entry at which lines are missing.
const sourceRecording = "recording"

// Message is one entry of the console.
type Message struct {
	Seq    uint64    `json:"seq"`
	At     time.Time `json:"at"`
	Level  string    `json:"level"`  // debug, log, info, warning or error
	Source string    `json:"source"` // console, exception, document, or a component of the browser
	Text   string    `json:"text"`
	URL    string    `json:"url,omitzero"`
	Line   int64     `json:"line,omitzero"` // from 1
	Stack  []string  `json:"stack,omitzero"`

	Frame *Place `json:"frame,omitzero"` // that it is from, if not the tab's own document

	origin string // of the document that it is from
}

// executionContext is one of a page, or of an extension's content script or pane, whose
// messages are not the page's.
type executionContext struct {
	foreign       bool
	origin, frame string
	uniqueID      string // the browser's id of the context
}

// contextKey names a context: each session numbers its own.
type contextKey struct {
	session string
	id      runtime.ExecutionContextID
}

// console is the recording of one tab's console.
type console struct {
	recording[Message]
	contexts map[contextKey]executionContext
	// mainContexts are the speakers of the documents at which sessions begin.
	mainContexts map[string]executionContext
}

func newConsole() *console {
	return &console{recording: recordingOf[Message](maxMessages), contexts: map[contextKey]executionContext{}, mainContexts: map[string]executionContext{}}
}

type consoleArguments struct {
	arguments
	Levels       []string `json:"levels"`
	TextContains string   `json:"text_contains"`
}

// console answers browser.console.
func (i *Inspector) console(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	q, err := primitive.Arguments[consoleArguments](c)
	if err != nil {
		return nil, err
	}
	r := recordingFor(i, &i.consoles, c.TabID, newConsole)
	d := i.Browser.Debugger(c.TabID).ForOrigin(c.Origin)
	started, err := r.switchTo(ctx, d, c.Origin, q.Stop, r.source())
	if err != nil {
		return nil, err
	}
	allowed := c.PermittedOrigins(c.Permit)
	a := r.read(q.arguments, func(m Message) bool {
		return m.Source == sourceDocument || m.Source == sourceRecording || allowed(m.origin)
	}, q.matches, func(m Message, seq uint64) Message { m.Seq = seq; return m })
	a.Started = started
	return primitive.Output(a)
}

func (q consoleArguments) matches(m Message) bool {
	return (len(q.Levels) == 0 || slices.Contains(q.Levels, m.Level)) &&
		(q.TextContains == "" || strings.Contains(strings.ToLower(m.Text), strings.ToLower(q.TextContains)))
}

// source returns the source of console messages, earlier ones included.
func (r *console) source() source {
	nothing := struct{}{}
	enable := []browser.Command{{Method: runtime.CommandEnable, Params: nothing}, {Method: cdplog.CommandEnable, Params: nothing}}
	return source{
		event: r.handleEvent, sessionDetached: r.forgetSession,
		reset: func() {
			clear(r.contexts)
			clear(r.mainContexts)
		},
		domain: browser.Domain{
			Name: "console", Enable: enable,
			Disable: []browser.Command{{Method: cdplog.CommandDisable, Params: nothing}, {Method: runtime.CommandDisable, Params: nothing}},
			// Without the earlier messages, which would be too many again.
			Resume: append([]browser.Command{{Method: runtime.CommandDiscardConsoleEntries, Params: nothing}, {Method: cdplog.CommandClear, Params: nothing}}, enable...),
		},
	}
}

// handleEvent handles one event of a session; others, and those that cannot be decoded, are
// ignored.
func (r *console) handleEvent(session, method string, params json.RawMessage) {
	switch method {
	case "Runtime.consoleAPICalled":
		var e runtime.EventConsoleAPICalled
		if jsonv2.Unmarshal(params, &e) == nil {
			r.add(callMessage(e), r.contexts[contextKey{session, e.ExecutionContextID}])
		}
	case "Runtime.exceptionThrown":
		var e runtime.EventExceptionThrown
		if jsonv2.Unmarshal(params, &e) == nil && e.ExceptionDetails != nil {
			r.add(exceptionMessage(e), r.contexts[contextKey{session, e.ExceptionDetails.ExecutionContextID}])
		}
	case "Log.entryAdded":
		var e cdplog.EventEntryAdded
		if jsonv2.Unmarshal(params, &e) == nil && e.Entry != nil {
			r.add(logMessage(e.Entry), r.onlyContext(session))
		}
	case browser.FloodEvent:
		// Which contexts come and go during the pause is not known: the existing ones are
		// reported again.
		r.forgetSession(session)
		r.add(Message{At: time.Now().UTC(), Level: "warning", Source: sourceRecording,
			Text: fmt.Sprintf("The page said more than can be recorded: lines are missing here, and the recording paused for %s.", browser.FloodDelay)}, executionContext{})
	default:
		r.handleContextEvent(session, method, params)
	}
}

// handleContextEvent handles an event about the contexts of a session, in which its messages
// come.
func (r *console) handleContextEvent(session, method string, params json.RawMessage) {
	switch method {
	case "Runtime.executionContextCreated":
		var e runtime.EventExecutionContextCreated
		if jsonv2.Unmarshal(params, &e) == nil && e.Context != nil {
			r.contextCreated(session, e.Context)
		}
	case "Runtime.executionContextDestroyed":
		var e runtime.EventExecutionContextDestroyed
		if jsonv2.Unmarshal(params, &e) == nil {
			maps.DeleteFunc(r.contexts, func(_ contextKey, s executionContext) bool { return s.uniqueID == e.ExecutionContextUniqueID })
		}
	case "Runtime.executionContextsCleared":
		r.forgetSession(session)
		if session == "" {
			r.add(Message{At: time.Now().UTC(), Level: "info", Source: sourceDocument, Text: "The tab shows another document from here on."}, executionContext{})
		}
	}
}

// forgetSession removes the contexts of a session.
func (r *console) forgetSession(session string) {
	maps.DeleteFunc(r.contexts, func(key contextKey, _ executionContext) bool { return key.session == session })
	delete(r.mainContexts, session)
}

// contextCreated adds a context. The first one of a session that is a page's, where there was
// none, is that of the document at which it begins.
func (r *console) contextCreated(session string, c *runtime.ExecutionContextDescription) {
	var aux struct {
		Type    string `json:"type"`
		FrameID string `json:"frameId"`
	}
	// Without it the context counts as a page's.
	_ = json.Unmarshal(c.AuxData, &aux)
	isolated := aux.Type == "isolated"
	one := executionContext{foreign: isolated || manifest.IsExtensionPage(c.Origin+"/"), frame: aux.FrameID, uniqueID: c.UniqueID}
	if !isolated {
		at := r.frameTree[aux.FrameID]
		one.origin = origin.OfDocument(c.Origin, at.url, r.frameTree[at.parent].origin)
		if _, known := r.mainContexts[session]; !known {
			r.mainContexts[session] = one
		}
	}
	r.contexts[contextKey{session, c.ID}] = one
}

// onlyContext returns the context of a session's main document, if all of its documents are of one
// origin: the browser's own lines do not tell which one they are of.
func (r *console) onlyContext(session string) executionContext {
	document := r.mainContexts[session]
	for key, c := range r.contexts {
		if key.session == session && !c.foreign && c.origin != document.origin {
			return executionContext{}
		}
	}
	return document
}

func (r *console) add(m Message, from executionContext) {
	if from.foreign {
		return
	}
	m.origin, m.Frame = from.origin, r.frameTree.placeOf(from.frame)
	size := len(m.Text) + len(m.URL) + 100
	for _, line := range m.Stack {
		size += len(line)
	}
	if m.Frame != nil {
		m.Frame.Origin = from.origin
		size += len(m.Frame.Origin) + len(m.Frame.URL)
	}
	r.ring.Add(m, size)
}
