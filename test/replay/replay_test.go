package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/voice"
	"github.com/actionsjson/actions-host/pkg/voice/openai"
	"github.com/actionsjson/actions-host/pkg/voice/record"
	"github.com/actionsjson/actions-host/test/fakes/realtime"
)

func TestRecordings(t *testing.T) {
	// Ensure that this version's session does in each kept recording what it did when the recording was made.
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			r, err := record.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			Play(t, r)
		})
	}
}

// reel is a file in memory.
type reel struct{ bytes.Buffer }

// Close closes nothing.
func (*reel) Close() error { return nil }

// shelf is a toolbox whose tool types a secret, takes a picture and changes what
// is offered.
type shelf struct{ used bool }

func (s *shelf) ToolSet(context.Context) (voice.ToolSet, error) {
	functions := []voice.Function{{Name: "text_type", Description: "Type.", Parameters: json.RawMessage(`{"type":"object"}`)}}
	if s.used {
		functions = append(functions, voice.Function{Name: "page_info", Description: "Look.", Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	return voice.ToolSet{Instructions: "Help.", Functions: functions}, nil
}

func (s *shelf) Run(_ context.Context, c voice.ToolCall) voice.Outcome {
	s.used = true
	return voice.Outcome{Name: "text.type", OK: true, Output: json.RawMessage(`{"ok":true,"output":{"typed":"hunter-two","password":"pw-1"}}`), Image: "data:image/png;base64,SECRETPICTURE"}
}

// Look shows what the page has to say, sealed, after each batch.
func (*shelf) Look(context.Context, []voice.Outcome) (*voice.Image, error) {
	return &voice.Image{DataURL: "data:image/png;base64,SECRETPICTURE", Caption: "The page.\n" + pagedata.Seal("- textbox: hunter-two")}, nil
}

const key = "sk-test-0123456789abcdef"

// made records a session with the fake service: a tool, a lost line, an answer.
func made(t *testing.T) (text string) {
	t.Helper()
	service := realtime.New(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	provider, err := openai.New(service.Base, realtime.Key)
	if err != nil {
		t.Fatal(err)
	}
	o := voice.Options{ID: "voice:1", Provider: provider, Tools: &shelf{}, Observer: deaf{}, Setup: voice.Setup{Model: "gpt-realtime-2.1"}, Memory: "Known facts."}
	file := &reel{}
	writer, err := record.New(file, record.HeaderOf(o, "test"), func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	writer.Attach(&o)
	provider.Recorder = writer.Record
	s, err := voice.Start(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	wire := service.Next(ctx)
	s.AddNote("Nobody answered.")
	answered := make(chan error, 1)
	go func() {
		_, err := s.SendAndWait(ctx, "type it; my key is "+key, voice.Queue)
		answered <- err
	}()
	wire.Begin(ctx)
	wire.Finish("completed", realtime.Function{CallID: "c1", Name: "text_type", Arguments: `{"text": "hunter-two"}`})
	wire.Begin(ctx)
	wire.Write("I typed hunter-two.")
	wire.Drop()
	wire = service.Next(ctx)
	wire.Begin(ctx)
	wire.Write("It is typed.")
	wire.Finish("completed")
	if err := <-answered; err != nil {
		t.Fatal(err)
	}
	s.Stop()
	return file.String()
}

func TestRecordThenPlay(t *testing.T) {
	// Ensure that a session that was just recorded plays without a difference, with a note, a tool, another surface and a lost line in it, and that the recording holds no key, no picture and nothing that was typed.
	text := made(t)
	for _, secret := range []string{key, realtime.Key, "SECRETPICTURE", "hunter", "pw-1"} {
		if strings.Contains(text, secret) {
			t.Errorf("the recording holds %s", secret)
		}
	}
	r, err := record.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	Play(t, r)
	if t.Failed() {
		t.Log(text)
	}
}

func TestSlowStart(t *testing.T) {
	// Ensure that a session which took seconds to start when it was recorded plays without a difference.
	r, err := record.Read(strings.NewReader(made(t)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Lines {
		r.Lines[i].MS += 3000
	}
	Play(t, r)
}

func TestDifferences(t *testing.T) {
	// Ensure that a session which sends something else, something more or less than the recorded one, or speaks of another request, is told apart, and in which line.
	text := made(t)
	lines := slices.Collect(strings.Lines(text))
	last := lines[len(lines)-1]
	change := func(old, new string) func() string {
		return func() string { return strings.Replace(text, old, new, 1) }
	}
	without := func(marks ...string) func() string {
		return func() string {
			kept := slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
				return !slices.ContainsFunc(marks, func(mark string) bool { return !strings.Contains(line, mark) })
			})
			return strings.Join(kept, "")
		}
	}
	ids := request.FindAllString(text, -1)
	for name, c := range map[string]struct {
		recording func() string
		want      string
	}{
		"another text":    {change(`{"text":"Known facts."`, `{"text":"Known things."`), "another one than in line 6"},
		"another surface": {change(`"tools":["text_type","page_info"],"truncation"`, `"tools":[],"truncation"`), "(-recorded +sent)"},
		"another request": {func() string {
			i := strings.LastIndex(text, `"event_id":"req_`)
			return text[:i] + strings.Replace(text[i:], ids[len(ids)-1], ids[0], 2)
		}, "event 7 on connection 2"},
		"an event more":      {without(`"from":"host","connection":2`, `"response.create"`), "more than recorded on connection 2"},
		"an event less":      {func() string { return text + strings.Replace(last, `"from":"network"`, `"from":"host"`, 1) }, "has not sent"},
		"a connection more":  {without(`"connection":2,"event":{"type":"opened"}`), "does not have"},
		"a connection less":  {change(`"from":"service","connection":2`, `"from":"service","connection":9`), "connection 9, which the session has not opened"},
		"an act nobody does": {change(`"type":"say"`, `"type":"sing"`), `"sing" is not known`},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := record.Read(strings.NewReader(c.recording()))
			if err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				if err := play(t.Context(), r); err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("the difference is %v", err)
				}
			})
		})
	}
}
