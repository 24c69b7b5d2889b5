package record

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// Writer writes one session.
type Writer struct {
	onError func(error)
	looks   atomic.Int64 // so many began

	mu        sync.Mutex
	file      io.WriteCloser
	redactor  redactor
	startedAt time.Time
	closed    bool
	toolSet   string // the last one, encoded
}

// Open begins a recording in a new file of the folder, which only its user can read;
// failed receives write errors.
func Open(folder string, h Header, onError func(error)) (*Writer, error) {
	if err := paths.MakePrivate(folder); err != nil {
		return nil, err
	}
	name := filepath.Join(folder, "voice-"+time.Now().UTC().Format("20060102-150405.000")+".jsonl")
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fault.Wrap(err, fault.StorageUnavailable, "the session cannot be recorded: %v", err).
			WithNextStep("Make the folder writable, or switch the recording off (voice_record in settings.json, launch --record).")
	}
	return New(file, h, onError)
}

// New begins a recording on a writer, which Close closes.
func New(file io.WriteCloser, h Header, onError func(error)) (*Writer, error) {
	t := &Writer{onError: onError, file: file, startedAt: time.Now()}
	h.Format = Format
	raw, err := t.header(h)
	if err == nil {
		err = t.line(raw)
	}
	if err != nil {
		return nil, errors.Join(fault.Wrap(err, fault.StorageUnavailable, "the session cannot be recorded: %v", err), file.Close())
	}
	return t, nil
}

// header cleans the header, which keeps its order.
func (t *Writer) header(h Header) (json.RawMessage, error) {
	raw, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	if raw, _, err = t.redactor.redact(raw); err != nil {
		return nil, err
	}
	var cleaned Header
	if err := json.Unmarshal(raw, &cleaned); err != nil {
		return nil, err
	}
	return jsonnode.Encode(cleaned)
}

// HeaderOf returns the header for a session.
func HeaderOf(o voice.Options, version string) Header {
	return Header{
		Version: version, Model: o.Setup.Model, Voice: o.Setup.Voice, Turns: o.Setup.Turns, TextOnly: o.Media == nil,
		Greet: o.Greet, Memory: o.Memory, SpendingLimit: o.SpendingLimit, ResumeFrom: o.ResumeFrom,
	}
}

// Attach records all events of the session but those of its provider. The recording
// ends with the session.
func (t *Writer) Attach(o *voice.Options) {
	o.Recorder = t.Record
	o.Tools = recordingToolbox{o.Tools, t}
	ended := o.Ended
	o.Ended = func() {
		t.Close()
		if ended != nil {
			ended()
		}
	}
}

// Record writes an event: it is the recorder of the session and of its provider.
func (t *Writer) Record(from voice.Source, connection int, event any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	if err := t.write(from, connection, event); err != nil {
		t.closed = true
		t.onError(fault.Wrap(err, fault.StorageUnavailable, "the recording of the session broke off: %v", err))
	}
}

func (t *Writer) write(from voice.Source, connection int, event any) error {
	raw, err := json.Marshal(event)
	if err != nil && from == voice.FromService {
		raw, err = []byte(`{"type":"unreadable"}`), nil // it is not JSON: the session ignores it too
	}
	if err != nil {
		return err
	}
	cleaned, kind, err := t.redactor.redact(raw)
	if err != nil && from == voice.FromService {
		cleaned, err = []byte(`{"type":"unreadable"}`), nil
	}
	if err != nil || from == voice.FromService && slices.Contains(omittedEvents, kind) {
		return err
	}
	if from == voice.FromService {
		if cleaned, err = t.relative(cleaned); err != nil {
			return err
		}
	}
	line, err := jsonnode.Encode(Line{time.Since(t.startedAt).Milliseconds(), from, connection, cleaned})
	if err != nil {
		return err
	}
	return t.line(line)
}

// line writes one line to the file at once: some recordings are of a crash.
func (t *Writer) line(text []byte) error {
	_, err := t.file.Write(append(text, '\n'))
	return err
}

// relative makes the time at which a session expires relative to the beginning, and
// leaves out what the service merely repeats.
func (t *Writer) relative(event json.RawMessage) (json.RawMessage, error) {
	value, err := jsonnode.Decode(event)
	if err != nil {
		return nil, err
	}
	session, ok := value.(map[string]any)["session"].(map[string]any)
	if !ok {
		return event, nil
	}
	delete(session, "instructions")
	delete(session, "tools")
	if at, ok := session["expires_at"].(json.Number); ok {
		if seconds, err := at.Int64(); err == nil {
			session["expires_at"] = seconds - t.startedAt.Unix()
		}
	}
	return jsonnode.Encode(value)
}

// Close ends the recording.
func (t *Writer) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	if err := t.file.Close(); err != nil {
		t.onError(fault.Wrap(err, fault.StorageUnavailable, "the recording of the session broke off: %v", err))
	}
}

// recordingToolbox records the offered tools, their outcomes and the looks at the page.
type recordingToolbox struct {
	voice.Toolbox
	writer *Writer
}

func (b recordingToolbox) ToolSet(ctx context.Context) (voice.ToolSet, error) {
	s, err := b.Toolbox.ToolSet(ctx)
	if err == nil {
		event := ToolSet{Type: "surface", Instructions: s.Instructions, Tools: []string{}}
		for _, f := range s.Functions {
			event.Tools = append(event.Tools, f.Name)
		}
		b.writer.recordToolSet(event)
	}
	return s, err
}

func (b recordingToolbox) Run(ctx context.Context, c voice.ToolCall) voice.Outcome {
	o := b.Toolbox.Run(ctx, c)
	event := Outcome{Type: "outcome", CallID: c.CallID, Name: o.Name, OK: o.OK, Code: o.Code, Picture: o.Image != ""}
	event.Output, event.Page = o.Output, o.Page
	b.writer.Record(voice.FromTools, 0, event)
	return o
}

// LabelArgument returns what a call is about, for people.
func (b recordingToolbox) LabelArgument(c voice.ToolCall) string {
	if labeller, ok := b.Toolbox.(voice.Labeller); ok {
		return labeller.LabelArgument(c)
	}
	return ""
}

// Look records the end of a look at the page.
func (b recordingToolbox) Look(ctx context.Context, outcomes []voice.Outcome) (*voice.Image, error) {
	looker, ok := b.Toolbox.(voice.Looker)
	if !ok {
		return nil, nil
	}
	event := Look{Type: "look", Number: b.writer.looks.Add(1)}
	image, err := looker.Look(ctx, outcomes)
	if image != nil {
		event.Picture, event.Caption = true, image.Caption
	}
	b.writer.Record(voice.FromTools, 0, event)
	return image, err
}

// recordToolSet writes a tool set if it differs from the last.
func (t *Writer) recordToolSet(s ToolSet) {
	raw, err := json.Marshal(s)
	t.mu.Lock()
	same := err == nil && t.toolSet == string(raw)
	t.toolSet = string(raw)
	t.mu.Unlock()
	if !same {
		t.Record(voice.FromTools, 0, s)
	}
}
