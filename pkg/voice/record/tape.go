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
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// Tape writes one session.
type Tape struct {
	failed func(error)

	mu      sync.Mutex
	file    io.WriteCloser
	cleaner cleaner
	began   time.Time
	over    bool
	surface string // the last one, encoded
}

// Open begins a recording in a new file of the folder, which only its user can
// read; failed takes why it could not be written on.
func Open(folder string, h Header, failed func(error)) (*Tape, error) {
	if err := paths.MakePrivate(folder); err != nil {
		return nil, err
	}
	name := filepath.Join(folder, "voice-"+time.Now().UTC().Format("20060102-150405.000")+".jsonl")
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fault.Wrap(err, fault.StorageUnavailable, "the session cannot be recorded: %v", err).
			WithNextStep("Make the folder writable, or switch the recording off (voice_record in settings.json, launch --record).")
	}
	return New(file, h, failed)
}

// New begins a recording on a writer, which Close closes.
func New(file io.WriteCloser, h Header, failed func(error)) (*Tape, error) {
	t := &Tape{failed: failed, file: file, began: time.Now()}
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
func (t *Tape) header(h Header) (json.RawMessage, error) {
	raw, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	if raw, _, err = t.cleaner.clean(raw); err != nil {
		return nil, err
	}
	var cleaned Header
	if err := json.Unmarshal(raw, &cleaned); err != nil {
		return nil, err
	}
	return encode(cleaned)
}

// HeaderOf says with what a session begins.
func HeaderOf(o voice.Options, version string) Header {
	return Header{
		Version: version, Model: o.Setup.Model, Voice: o.Setup.Voice, Turns: o.Setup.Turns, TextOnly: o.Media == nil,
		Greet: o.Greet, Memory: o.Memory, SpendingLimit: o.SpendingLimit, From: o.From,
	}
}

// Attach makes the session tell the tape all but what its provider tells. The
// session's end ends the recording.
func (t *Tape) Attach(o *voice.Options) {
	o.Tap = t.Hear
	o.Tools = toolbox{o.Tools, t}
	ended := o.Ended
	o.Ended = func() {
		t.Close()
		if ended != nil {
			ended()
		}
	}
}

// Hear writes an event: it is the session's tap, and its provider's.
func (t *Tape) Hear(from voice.Source, connection int, event any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return
	}
	if err := t.write(from, connection, event); err != nil {
		t.over = true
		t.failed(fault.Wrap(err, fault.StorageUnavailable, "the recording of the session broke off: %v", err))
	}
}

func (t *Tape) write(from voice.Source, connection int, event any) error {
	raw, err := json.Marshal(event)
	if err != nil && from == voice.FromService {
		raw, err = []byte(`{"type":"unreadable"}`), nil // it is no JSON: the session hears no more of it
	}
	if err != nil {
		return err
	}
	cleaned, kind, err := t.cleaner.clean(raw)
	if err != nil && from == voice.FromService {
		cleaned, err = []byte(`{"type":"unreadable"}`), nil
	}
	if err != nil || from == voice.FromService && slices.Contains(omitted, kind) {
		return err
	}
	if from == voice.FromService {
		if cleaned, err = t.relative(cleaned); err != nil {
			return err
		}
	}
	line, err := encode(Line{time.Since(t.began).Milliseconds(), from, connection, cleaned})
	if err != nil {
		return err
	}
	return t.line(line)
}

// line writes one line to the file at once: a crash is what some recordings are
// about.
func (t *Tape) line(text []byte) error {
	_, err := t.file.Write(append(text, '\n'))
	return err
}

// relative makes the time at which a session ends one since the beginning, and
// leaves out what the service merely repeats.
func (t *Tape) relative(event json.RawMessage) (json.RawMessage, error) {
	value, err := decode(event)
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
			session["expires_at"] = seconds - t.began.Unix()
		}
	}
	return encode(value)
}

// Close ends the recording.
func (t *Tape) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	if err := t.file.Close(); err != nil {
		t.failed(fault.Wrap(err, fault.StorageUnavailable, "the recording of the session broke off: %v", err))
	}
}

// toolbox tells what tools are offered and what they give.
type toolbox struct {
	voice.Toolbox
	tape *Tape
}

func (b toolbox) Surface(ctx context.Context) (voice.Surface, error) {
	s, err := b.Toolbox.Surface(ctx)
	if err == nil {
		told := Surface{Type: "surface", Instructions: s.Instructions, Tools: []string{}}
		for _, f := range s.Functions {
			told.Tools = append(told.Tools, f.Name)
		}
		b.tape.offered(told)
	}
	return s, err
}

func (b toolbox) Run(ctx context.Context, c voice.ToolCall) voice.Outcome {
	o := b.Toolbox.Run(ctx, c)
	told := Outcome{Type: "outcome", CallID: c.CallID, Name: o.Name, OK: o.OK, Code: o.Code, Picture: o.Image != ""}
	if len(o.Output) > 0 {
		told.Output = json.RawMessage(voice.Bounded(o.Output))
	}
	b.tape.Hear(voice.FromTools, 0, told)
	return o
}

// offered writes a tool surface, if it is another one than the last.
func (t *Tape) offered(s Surface) {
	raw, err := json.Marshal(s)
	t.mu.Lock()
	same := err == nil && t.surface == string(raw)
	t.surface = string(raw)
	t.mu.Unlock()
	if !same {
		t.Hear(voice.FromTools, 0, s)
	}
}
