// Package trace leaves a folder about one call of a stored action, as it runs or afterwards from
// the log, from which somebody, or a program, can mend its map.
//
// Rules of this package:
//   - The folder is empty or not there yet, and only its owner can read what is written.
//   - No secret is written: the arguments are lengths, those that are secret are hidden
//     wherever they stand, and the page is pictured without its secret fields.
//   - It only looks. What cannot be had is listed with the reason and fails nothing.
//   - Words of the page and of the map are data, and marked as such.
package trace

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/wholefile"
)

// looks are what a trace keeps of the page, by the name of their file.
var looks = []struct{ file, primitive, args string }{
	{"snapshot.json", "page.snapshot", `{"apart":true,"max_chars":64000}`},
	{"page.png", "browser.screenshot", `{"hide_secrets":true,"format":"png"}`},
	{"console.json", "browser.console", `{}`},
	{"network.json", "browser.network", `{}`},
}

// watched are those of them that know only what came after their first call.
var watched = []string{"browser.console", "browser.network"}

// Look makes one call of a primitive that only reads or shows, in the tab of the action.
type Look func(ctx context.Context, name string, args json.RawMessage) (dispatch.Envelope, error)

// Run is a call that has ended.
type Run struct {
	Action      string
	Arguments   json.RawMessage // an object; nil where the call is one of the log
	At          time.Time
	StorageRoot string           // the folder of the maps
	Records     []journal.Record // of the call and its steps, where the log tells of it
	dispatch.Envelope
}

// content is the file trace.json.
type content struct {
	Trust      string         `json:"trust"` // untrusted
	Action     string         `json:"action"`
	CallID     string         `json:"call_id"`
	At         time.Time      `json:"at"`
	LookedAt   time.Time      `json:"looked_at"` // when the page was looked at
	OK         bool           `json:"ok"`
	DurationMS float64        `json:"duration_ms"`
	URL        string         `json:"url,omitzero"`
	Arguments  map[string]any `json:"arguments,omitzero"` // texts and numbers as their length
	Steps      any            `json:"steps,omitzero"`
	Checked    any            `json:"postcondition,omitzero"`
	Error      *fault.Error   `json:"error,omitzero"`
	Map        *mapPlace      `json:"map,omitzero"`
	Files      []string       `json:"files"`
	Missing    []missing      `json:"missing"`
}

// mapPlace is the member of the map that failed, or the action.
type mapPlace struct {
	Path string `json:"path"` // in the storage folder
	File string `json:"file"`
	actionmap.Place
}

// missing is a file that could not be had.
type missing struct {
	File    string     `json:"file"`
	Code    fault.Code `json:"code"`
	Message string     `json:"message"`
}

// CheckFolder refuses a folder that holds something already; the fault is invalid_arguments.
func CheckFolder(folder string) error {
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

// MakeFolder makes the folder, which is empty or not there yet; the fault is invalid_arguments.
func MakeFolder(folder string) error {
	if err := CheckFolder(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fault.Wrap(err, fault.InvalidArguments, "the folder %s cannot be made: %v; nothing was run", folder, err)
	}
	return nil
}

// Begin makes the folder before the call, and starts to watch what is known from then on only.
func Begin(ctx context.Context, folder string, look Look) error {
	if err := MakeFolder(folder); err != nil {
		return err
	}
	for _, name := range watched {
		_, _ = look(ctx, name, json.RawMessage(`{"limit":1}`)) // one that cannot watch fails again afterwards
	}
	return nil
}

// Write writes the folder after the call: trace.json last, which lists the other files.
func Write(ctx context.Context, folder string, run Run, look Look) error {
	c := content{
		Trust: pagedata.Untrusted, Action: run.Action, CallID: run.CallID, At: run.At, LookedAt: time.Now().UTC(), OK: run.OK, DurationMS: run.Meta.DurationMS,
		Steps: run.Meta.Steps, Checked: run.Meta.Postcondition, Error: run.Error, Files: []string{}, Missing: []missing{},
	}
	if run.Arguments != nil {
		c.Arguments = redact.Measure(run.Arguments, func(string, string) bool { return true })
	}
	if run.Meta.Tab != nil {
		c.URL = redact.URL(run.Meta.Tab.URL)
	}
	var tool *actionmap.Tool
	if run.Meta.Map != "" {
		c.Map, tool = placeOf(run)
	}
	hidden := redact.Hide(tool.SecretTexts(run.Arguments))
	if run.Records != nil {
		raw, err := primitive.Output(run.Records)
		if err != nil {
			return err
		}
		if err := write(folder, "log.json", clean(raw, hidden)); err != nil {
			return err
		}
		c.Files = append(c.Files, "log.json")
	}
	for _, l := range looks {
		text, err := lookAt(ctx, look, l.primitive, l.args, hidden)
		if err != nil {
			f := fault.From(err)
			c.Missing = append(c.Missing, missing{l.file, f.Code, f.Message})
			continue
		}
		if err := write(folder, l.file, text); err != nil {
			return err
		}
		c.Files = append(c.Files, l.file)
	}
	raw, err := primitive.Output(c)
	if err != nil {
		return err
	}
	return write(folder, "trace.json", clean(raw, hidden))
}

// placeOf returns the member of the map that failed, or the action, and the action's tool. A
// file that cannot be read any more is named all the same.
func placeOf(run Run) (*mapPlace, *actionmap.Tool) {
	at := &mapPlace{Path: run.Meta.Map, File: filepath.Join(run.StorageRoot, filepath.FromSlash(run.Meta.Map))}
	text, err := os.ReadFile(at.File)
	if err != nil {
		return at, nil
	}
	var tool *actionmap.Tool
	at.Place, tool = actionmap.PlaceOf(text, run.Action, run.Error)
	return at, tool
}

// lookAt returns what a look gives, as a file holds it.
func lookAt(ctx context.Context, look Look, name, args string, hidden redact.Hidden) ([]byte, error) {
	e, err := look(ctx, name, json.RawMessage(args))
	switch {
	case err != nil:
		return nil, err
	case !e.OK:
		return nil, e.Error
	case e.Picture() != "":
		return pictureOf(e)
	}
	return clean(e.Output, hidden), nil
}

// clean returns JSON without secrets.
func clean(raw json.RawMessage, hidden redact.Hidden) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, redact.JSON(hidden.JSON(raw)), "", "  "); err != nil {
		return []byte("null\n") // not reachable: redact gives JSON
	}
	b.WriteByte('\n')
	return b.Bytes()
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

func write(folder, name string, text []byte) error {
	if err := wholefile.Create(filepath.Join(folder, name), text, 0o600); err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the trace cannot be written: %v", err)
	}
	return nil
}
