package scripts

import (
	"cmp"
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

const (
	replTimeout = 30 * time.Second // where the caller names none

	// replEndDelay is how long the extension may take to end code whose time is over.
	replEndDelay = 6 * time.Second

	maxReplFileChars   = 12 << 20 // of all files, as base64
	maxReplOutput      = 100_200  // characters, with the note about what was cut
	maxReplErrorOutput = 2000     // characters of the output that stand in an error

	browserJSPrimitive = "automation.browserjs"
)

// replState is what the steps of one run share. Steps come one after the other.
type replState struct {
	left      *leaveWatch
	faults    map[int]*fault.Error // by step
	native    bool                 // real input was sent
	modifiers []string             // the keys that the code holds down
}

type replKey struct{}

type replOutput struct {
	Output string     `json:"output"`
	Files  []replFile `json:"files"`
}

type replFile struct {
	FileName      string `json:"fileName"`
	MimeType      string `json:"mimeType"`
	ContentBase64 string `json:"contentBase64"`
}

// repl runs code in the extension's sandbox. What it does in the page and where it goes are
// steps, each of which is decided and logged by itself.
func (h *Handlers) repl(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Code      string `json:"code"`
		TimeoutMS int    `json:"timeout_ms"`
	}](c)
	if err != nil {
		return nil, err
	}
	limit := browser.WithinCall(ctx, cmp.Or(time.Duration(args.TimeoutMS)*time.Millisecond, replTimeout))
	ctx, cancel := context.WithTimeout(ctx, limit+replEndDelay)
	defer cancel()
	state := &replState{faults: map[int]*fault.Error{}, left: h.watchLeaving(c.TabID)}
	defer state.left.stop()
	run := protocol.ReplRun{RunID: c.ID, Code: args.Code, TimeoutMS: max(1, int(limit.Milliseconds()))}
	result, err := h.Browser.RunRepl(context.WithValue(ctx, replKey{}, state), run, h.replStep)
	if err != nil {
		return nil, err
	}
	if err := state.failure(ctx, result); err != nil {
		return nil, err
	}
	out := replOutput{Output: truncate.Characters(result.Output, maxReplOutput), Files: []replFile{}}
	size := 0
	for _, f := range result.Files {
		size += len(f.ContentBase64)
		out.Files = append(out.Files, replFile(f))
	}
	if size > maxReplFileChars {
		return nil, fault.New(fault.PayloadTooLarge, "the files of the code have more than 8 MB together").WithNextStep("Return less at once.")
	}
	return primitive.Output(out)
}

// failure returns the error of a run that did not end well: that of the step which the code
// did not catch, else what it threw. Code that led the tab elsewhere has failed too.
func (s *replState) failure(ctx context.Context, result protocol.ReplResult) error {
	output := truncate.Characters(result.Output, maxReplErrorOutput)
	if left := s.left.at(ctx); left != "" && !s.native {
		return pageLeft(left).With("output", output).With("trust", "untrusted")
	}
	if result.Error == (protocol.ReplError{}) {
		return nil
	}
	if f := s.faults[result.Error.Step]; f != nil {
		return f.With("output", output).With("trust", "untrusted")
	}
	message := truncate.Characters(result.Error.Message, maxExceptionText)
	return fault.New(fault.JavascriptFailed, "the code threw: %s", message).
		With("exception", message).With("output", output).With("trust", "untrusted").WithDispatched(fault.WasDispatched)
}

// replStep runs what the code asks for.
func (h *Handlers) replStep(ctx context.Context, s protocol.ReplStep) (json.RawMessage, error) {
	state, _ := ctx.Value(replKey{}).(*replState)
	var value json.RawMessage
	var err error
	if s.Action == "navigate" {
		value, err = h.replNavigate(ctx, state, s.Arguments)
	} else {
		value, err = h.Path.InternalStep(ctx, browserJSPrimitive, s.Arguments)
	}
	if err != nil {
		state.faults[s.Step] = fault.From(err)
		return nil, err
	}
	return value, nil
}

// replNavigate loads another page in the tab of the code. An address may be relative to the
// page's.
func (h *Handlers) replNavigate(ctx context.Context, state *replState, arguments json.RawMessage) (json.RawMessage, error) {
	var args struct {
		URL string `json:"url"`
	}
	if err := json.Unmarshal(arguments, &args); err != nil {
		return nil, fault.New(fault.InvalidInput, "navigate takes {url}").WithDispatched(fault.NotDispatched)
	}
	tab, _ := h.Tabs.Get(state.left.tabID)
	if base, err := url.Parse(tab.URL); err == nil {
		if whole, err := base.Parse(args.URL); err == nil {
			args.URL = whole.String()
		}
	}
	given, err := primitive.Output(args)
	if err != nil {
		return nil, err
	}
	state.left.rest()
	output, err := h.Path.Step(ctx, "browser.navigate", given)
	if err != nil {
		return nil, err
	}
	var done struct {
		Tab struct {
			TabID int    `json:"tab_id"`
			URL   string `json:"url"`
			Title string `json:"title"`
		} `json:"tab"`
	}
	if err := json.Unmarshal(output, &done); err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "the output of a navigation cannot be read: %v", err)
	}
	return primitive.Output(map[string]any{"finalUrl": done.Tab.URL, "title": done.Tab.Title, "tabId": done.Tab.TabID})
}
