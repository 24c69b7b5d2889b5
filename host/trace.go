package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/wholefile"
)

// traceReason is in the log beside the calls that a trace makes.
const traceReason = "A trace of a stored action was asked for at a terminal."

// traced are the looks at the page that a trace keeps, by the name of their file.
var traced = []struct{ file, primitive, args string }{
	{"snapshot.json", "page.snapshot", `{"apart":true,"max_chars":64000}`},
	{"page.png", "browser.screenshot", `{"hide_secrets":true,"format":"png"}`},
	{"console.json", "browser.console", `{}`},
	{"network.json", "browser.network", `{}`},
}

// watched are those of them that know only what came after their first call.
var watched = []string{"browser.console", "browser.network"}

// trace is the file trace.json.
type trace struct {
	Trust      string         `json:"trust"` // untrusted: it holds words of the page and of the map
	Action     string         `json:"action"`
	CallID     string         `json:"call_id"`
	At         time.Time      `json:"at"`
	OK         bool           `json:"ok"`
	DurationMS float64        `json:"duration_ms"`
	URL        string         `json:"url,omitzero"`
	Arguments  map[string]any `json:"arguments"` // texts and numbers as their length
	Steps      any            `json:"steps,omitzero"`
	Checked    any            `json:"postcondition,omitzero"`
	Error      *fault.Error   `json:"error,omitzero"`
	Map        *mapPlace      `json:"map,omitzero"`
	Files      []string       `json:"files"`
	Missing    []missingFile  `json:"missing"` // what could not be had
}

type missingFile struct {
	File    string     `json:"file"`
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

// tracer writes the folder of one call.
type tracer struct {
	client *control.Client
	params control.CallParams
	folder string
	hidden redact.Hidden
	trace  trace
}

// traceCall runs an action and leaves a folder about it.
func (a *app) traceCall(ctx context.Context, f callFlags, action string, input json.RawMessage, folder string) error {
	if err := checkTraceFolder(folder); err != nil {
		return err
	}
	call, err := siteCall("call", action, input)
	if err != nil {
		return err
	}
	client, err := a.client(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fault.Wrap(err, fault.InvalidArguments, "the folder %s cannot be made: %v; nothing was run", folder, err)
	}
	t := &tracer{client: client, params: f.params(dispatch.SiteTool, call), folder: folder}
	for _, name := range watched {
		t.look(ctx, name, `{"limit":1}`) // one that cannot watch says so afterwards
	}
	at := time.Now().UTC()
	e, err := callThrough(ctx, client, t.params)
	if err != nil {
		return err
	}
	t.trace = trace{
		Trust: pagedata.Untrusted, Action: action, CallID: e.CallID, At: at, OK: e.OK, DurationMS: e.Meta.DurationMS, Steps: e.Meta.Steps, Checked: e.Meta.Postcondition, Error: e.Error,
		Arguments: redact.Measure(input, func(string, string) bool { return true }), Files: []string{}, Missing: []missingFile{},
	}
	if e.Meta.Tab != nil {
		t.trace.URL, t.params.Target = redact.URL(e.Meta.Tab.URL), control.TargetParams{TabID: e.Meta.Tab.TabID}
	}
	var tool *actionmap.Tool
	if e.Meta.Map != "" {
		t.trace.Map, tool = placeInMap(client.Status.StorageRoot, e.Meta.Map, action, e.Error)
	}
	t.hidden = redact.Hide(tool.SecretTexts(input))
	if err := t.write(ctx); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "trace: %s\n", folder)
	return a.printEnvelope(e)
}

// checkTraceFolder refuses a folder that holds something already.
func checkTraceFolder(folder string) error {
	entries, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && len(entries) == 0:
		return nil
	case err == nil:
		err = fault.New(fault.InvalidArguments, "the folder %s is not empty; nothing was run", folder)
	default:
		err = fault.Wrap(err, fault.InvalidArguments, "the folder %s cannot be used: %v; nothing was run", folder, err)
	}
	return fault.From(err).WithNextStep("Name a folder that is empty or not there yet.")
}

// look makes one call of a primitive that only reads or shows, in the tab of the action.
func (t *tracer) look(ctx context.Context, name, args string) (dispatch.Envelope, error) {
	arguments, err := withReport(name, json.RawMessage(args), traceReason)
	if err != nil {
		return dispatch.Envelope{}, err
	}
	p := t.params
	p.Name, p.Arguments, p.TimeoutMS = name, arguments, 0
	p.Session.Mode = policy.ModeAsk
	return callThrough(ctx, t.client, p)
}

// write writes the files: trace.json last, which lists them.
func (t *tracer) write(ctx context.Context) error {
	for _, each := range traced {
		e, err := t.look(ctx, each.primitive, each.args)
		text := t.clean(e.Output)
		if err == nil && e.OK && strings.HasSuffix(each.file, ".png") {
			text, err = pictureOf(e)
		}
		if err == nil && !e.OK {
			err = e.Error
		}
		if err != nil {
			f := fault.From(err)
			t.trace.Missing = append(t.trace.Missing, missingFile{each.file, f.Code, f.Message})
			continue
		}
		if err := t.file(each.file, text); err != nil {
			return err
		}
	}
	raw, err := primitive.Output(t.trace)
	if err != nil {
		return err
	}
	return t.file("trace.json", t.clean(raw))
}

// clean returns JSON without secrets.
func (t *tracer) clean(raw json.RawMessage) []byte {
	return []byte(pretty(redact.JSON(t.hidden.JSON(raw))) + "\n")
}

func (t *tracer) file(name string, text []byte) error {
	if err := wholefile.Create(filepath.Join(t.folder, name), text, 0o600); err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the trace cannot be written: %v", err)
	}
	t.trace.Files = append(t.trace.Files, name)
	return nil
}

// pictureOf returns the bytes of an answer's picture.
func pictureOf(e dispatch.Envelope) ([]byte, error) {
	_, encoded, ok := strings.Cut(e.Picture(), ";base64,")
	picture, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil {
		return nil, fault.New(fault.InvalidResult, "the answer holds no picture")
	}
	return picture, nil
}
