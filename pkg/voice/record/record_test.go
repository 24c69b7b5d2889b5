package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/voice"
)

const head = `{"voice_recording":1,"version":"1","model":"m","text_only":true}` + "\n"

func TestBadRecordings(t *testing.T) {
	// Ensure that a file which is not a recording, a later version's, a cut one and a line that makes no sense are refused with the line and what is wrong with it.
	line := func(text string) string { return head + text + "\n" }
	for name, c := range map[string]struct{ text, want string }{
		"empty":            {"", "line 1 of the recording: the file is empty"},
		"something else":   {"hello\n", "line 1 of the recording: this is not a recording"},
		"a later version":  {`{"voice_recording":2}` + "\n", "has format 2; this version reads 1"},
		"an odd header":    {`{"voice_recording":1,"no_such":1}` + "\n", "no_such"},
		"cut off":          {head + `{"ms":0,"from":"us`, "line 2 of the recording: it is cut off"},
		"no JSON":          {line(`{"ms":}`), "line 2 of the recording"},
		"an odd member":    {line(`{"ms":0,"from":"user","who":1,"event":{"type":"interrupt"}}`), "who"},
		"nobody":           {line(`{"ms":0,"from":"cat","event":{"type":"x"}}`), `from is "cat"`},
		"no connection":    {line(`{"ms":0,"from":"host","event":{"type":"x"}}`), "on connection 0"},
		"a connection":     {line(`{"ms":0,"from":"user","connection":1,"event":{"type":"x"}}`), "on connection 1"},
		"back in time":     {line(`{"ms":5,"from":"user","event":{"type":"x"}}` + "\n" + `{"ms":4,"from":"user","event":{"type":"x"}}`), "line 3 of the recording: its time, 4 ms"},
		"an event of none": {line(`{"ms":0,"from":"user","event":{"x":1}}`), "not an object with a type"},
		"a list":           {line(`{"ms":0,"from":"user","event":[]}`), "not an object with a type"},
		"a long line":      {line(strings.Repeat("x", maxLine+1)), "line 2 of the recording: it is longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(strings.NewReader(c.text))
			if f := fault.From(err); !fault.Is(err, fault.InvalidInput) || !strings.Contains(f.Message, c.want) || f.NextStep == "" {
				t.Errorf("%v, not %q", err, c.want)
			}
		})
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none")); !fault.Is(err, fault.StorageUnavailable) {
		t.Errorf("a missing file gave %v", err)
	}
}

// memoryFile is a file in memory that may be full.
type memoryFile struct {
	bytes.Buffer
	full   bool
	closed bool
}

func (r *memoryFile) Write(text []byte) (int, error) {
	if r.full {
		return 0, errors.New("the disk is full")
	}
	return r.Buffer.Write(text)
}

// Close notes it.
func (r *memoryFile) Close() error {
	r.closed = true
	return nil
}

func begin(t *testing.T, h Header) (*Writer, *memoryFile, *[]error) {
	t.Helper()
	file, failures := &memoryFile{}, &[]error{}
	writer, err := New(file, h, func(err error) { *failures = append(*failures, err) })
	if err != nil {
		t.Fatal(err)
	}
	return writer, file, failures
}

func TestNothingSecretIsWritten(t *testing.T) {
	// Ensure that keys, sound, pictures, passwords, what a tool typed or read, and pieces of turns are in no line, whoever says them and however they are wrapped, and that what remains is read again.
	const key = "sk-proj-abcdefghijklmnopqrstuvwxyz012345"
	writer, file, failures := begin(t, Header{Model: "m", Memory: "Facts with " + key, ResumeFrom: &voice.SessionSnapshot{
		Conversation: []voice.Message{{Role: "system", Text: "Result of the tool text.type: {\"ok\":true}" + voice.CalledWith + `{"text":"from-before"}`}},
	}})
	for _, e := range []struct {
		from  voice.Source
		on    int
		event string
	}{
		{voice.FromNetwork, 1, `{"type":"call","session":{"tools":[{"name":"a","description":"SURFACE"}]},"sdp":"v=0 SOUND"}`},
		{voice.FromService, 1, `{"type":"session.updated","session":{"id":"s","instructions":"ECHOED","tools":[{"name":"ECHOED"}],"client_secret":{"value":"ek_SECRET"}}}`},
		{voice.FromService, 1, `{"type":"response.output_audio.delta","delta":"U09VTkQ="}`},
		{voice.FromService, 1, `{"type":"response.function_call_arguments.delta","delta":"{\"text\":\"hunt"}`},
		{voice.FromService, 1, `{"type":"response.output_audio_transcript.delta","delta":"PIECE"}`},
		{voice.FromService, 1, `{"type":"response.done","response":{"output":[{"type":"function_call","call_id":"c","name":"locator_fill","arguments":"{\"locator\":{\"text\":\"Name\"},\"text\":\"hunter \\\"two\\\"\"}"},
			{"type":"function_call","call_id":"d","name":"actions_site","arguments":"{\"action\":\"log.in\",\"arguments\":{\"user\":\"ada-l\",\"pin\":314159}}"},
			{"type":"function_call","call_id":"e","name":"x","arguments":"{\"text\":\"unclosed-secret"}],"usage":{"input_tokens":7,"input_token_details":{"text_tokens":7}}}}`},
		{voice.FromTools, 0, `{"type":"outcome","call_id":"c","name":"locator.fill","output":{"ok":true,"output":{"after":"hunter \"two\" 314159","data_url":"data:image/png;base64,PICTURE"}}}`},
		{voice.FromTools, 0, `{"type":"outcome","call_id":"f","name":"clipboard.read","output":{"ok":true,"output":{"text":"the-clipboard"}}}`},
		{voice.FromHost, 1, `{"type":"conversation.item.create","item":{"type":"function_call_output","call_id":"f","output":"{\"ok\":true,\"output\":{\"text\":\"the-clipboard\",\"password\":\"pw-1\"}}"}}`},
		{voice.FromHost, 1, `{"type":"conversation.item.create","item":{"content":[{"type":"input_image","image_url":"data:image/png;base64,PICTURE"},{"type":"input_text","text":"{\"field\":\"Password\",\"value\":\"pw-2\"}"}]}}`},
		{voice.FromHost, 1, `{"type":"conversation.item.create","item":{"output":"{\"name\":\"password\",\"value\":\"pw-3\"}} as ada-l"}}`},
		{voice.FromHost, 1, `{"type":"conversation.item.create","item":{"content":[{"type":"input_text","text":"Result of the tool locator.fill: {\"ok\":true}\nIt was called with {\"text\":\"cut of"}]}}`},
		{voice.FromTools, 0, `{"type":"outcome","call_id":"g","name":"user.clarify","output":{"ok":true,"output":{"answered":true,"answer":"sesame-1"}}}`},
		{voice.FromTools, 0, `{"type":"outcome","call_id":"h","name":"user.clarify","output":{"ok":true,"output":{"answered":true,"answer":"Gyokuro","option_index":1}}}`},
		{voice.FromHost, 1, `{"type":"conversation.item.create","item":{"type":"function_call_output","call_id":"g","output":"{\"ok\":true,\"output\":{\"answered\":true,\"answer\":\"sesame-1\"}}"}}`},
		{voice.FromUser, 0, `{"type":"say","text":"my key is ` + key + ` and ada-l"}`},
		{voice.FromService, 1, `no JSON SECRET`},
	} {
		writer.Record(e.from, e.on, json.RawMessage(e.event))
	}
	writer.Close()
	text := file.String()
	for _, secret := range []string{key, "SURFACE", "SOUND", "U09V", "ECHOED", "ek_", "hunt", "PIECE", "ada-l", "314159", "unclosed", "PICTURE", "clipboard\"", "the-clip", "pw-", "cut of", "from-before", "SECRET", "sesame"} {
		if strings.Contains(strings.ReplaceAll(text, `"clipboard.read"`, ""), secret) {
			t.Errorf("the recording holds %q", secret)
		}
	}
	if !strings.Contains(text, "Gyokuro") {
		t.Error("the option that the user chose, the model's own text, is lost")
	}
	if !strings.Contains(text, `"input_token_details":{"text_tokens":7}`) {
		t.Error("the usage is lost")
	}
	r, err := Read(strings.NewReader(text))
	if err != nil || len(r.Lines) != 15 || r.Header.Format != Format || len(*failures) > 0 {
		t.Errorf("%d lines, %v, %v", len(r.Lines), err, *failures)
	}
	for i, line := range r.Lines {
		if again, err := Normalize(line.Event); err != nil || !bytes.Equal(again, line.Event) {
			t.Errorf("line %d is written differently the second time:\n%s\n%s (%v)", i+2, line.Event, again, err)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// nopTools is a toolbox that does nothing.
type nopTools struct{}

func (nopTools) ToolSet(context.Context) (voice.ToolSet, error) {
	return voice.ToolSet{Functions: []voice.Function{{Name: "a"}}}, nil
}
func (nopTools) Run(context.Context, voice.ToolCall) voice.Outcome { return voice.Outcome{Name: "a"} }

func TestWriter(t *testing.T) {
	// Ensure that a surface is written when it is another one only, that the session's end closes the file and calls what was there before, that a full disk is told once, and that one that cannot begin gives an error.
	writer, file, failures := begin(t, Header{})
	ended := false
	o := voice.Options{Tools: nopTools{}, Ended: func() { ended = true }}
	writer.Attach(&o)
	for range 3 {
		if _, err := o.Tools.ToolSet(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	o.Tools.Run(t.Context(), voice.ToolCall{CallID: "c"})
	if n := strings.Count(file.String(), "\n"); n != 3 {
		t.Errorf("%d lines: %s", n, file)
	}
	file.full = true
	o.Recorder.Record(voice.FromUser, 0, voice.UserAction{Type: "interrupt"})
	o.Recorder.Record(voice.FromUser, 0, voice.UserAction{Type: "interrupt"})
	if len(*failures) != 1 || !fault.Is((*failures)[0], fault.StorageUnavailable) {
		t.Errorf("told %v", *failures)
	}
	if o.Ended(); !ended || !file.closed {
		t.Errorf("ended %t, closed %t", ended, file.closed)
	}
	if _, err := New(&memoryFile{full: true}, Header{}, nil); !fault.Is(err, fault.StorageUnavailable) {
		t.Errorf("on a full disk: %v", err)
	}
}

func TestOpen(t *testing.T) {
	// Ensure that each recording is a file of its own that only its user can read, and that a place which is no folder is an error that says what to do.
	folder := filepath.Join(t.TempDir(), "recordings")
	writer, err := Open(folder, Header{Model: "m"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	writer.Close()
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	if info, err := files[0].Info(); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
	if r, err := ReadFile(filepath.Join(folder, files[0].Name())); err != nil || r.Header.Model != "m" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := Open(filepath.Join(folder, files[0].Name()), Header{}, nil); fault.From(err) == nil || fault.From(err).NextStep == "" {
		t.Errorf("in a file: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	// Ensure that no file breaks the reader, and that what it takes is written again as a recording that it takes as the same.
	f.Add(head)
	f.Add(head + `{"ms":0,"from":"user","event":{"type":"interrupt"}}` + "\n")
	f.Add(head + `{"ms":1,"from":"host","connection":1,"event":{"type":"response.create"}}` + "\n{")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		var again bytes.Buffer
		encoder := json.NewEncoder(&again)
		for _, line := range append([]any{r.Header}, lines(r)...) {
			if err := encoder.Encode(line); err != nil {
				t.Fatal(err)
			}
		}
		second, err := Read(&again)
		if err != nil || len(second.Lines) != len(r.Lines) {
			t.Fatalf("%d lines, then %d: %v", len(r.Lines), len(second.Lines), err)
		}
	})
}

func lines(r Recording) (all []any) {
	for _, line := range r.Lines {
		all = append(all, line)
	}
	return all
}

func FuzzClean(f *testing.F) {
	// Ensure that no event breaks the cleaner, and that one which was cleaned is written the same the second time, as a replay compares by it.
	f.Add(`{"type":"response.done","response":{"output":[{"arguments":"{\"text\":\"abc\"}"}]}}`)
	f.Add(`{"type":"x","text":"{\"password\":\"p\"}","tools":[{"name":"a"}],"usage":{"a":1}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var c redactor
		once, _, err := c.redact(json.RawMessage(text))
		if err != nil {
			return
		}
		if again, err := Normalize(once); err != nil || !bytes.Equal(once, again) {
			t.Fatalf("%s\n%s\n%v", once, again, err)
		}
	})
}
