package transfer

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/test/database"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// clock is a clock that a test turns.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func open(t testing.TB, c *clock) (*Buffer, *bbolt.DB) {
	t.Helper()
	db := database.New(t)
	b, err := Open(db, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return b, db
}

func value(label, text string) Write {
	return Write{Label: label, Format: FormatJSON, Value: json.RawMessage(text), TTL: time.Hour, TabID: 7, URL: "https://a.test/"}
}

func (w Write) in(mode string) Write { w.Mode = mode; return w }

func wantCode(t testing.TB, err error, code fault.Code) *fault.Error {
	t.Helper()
	f := fault.From(err)
	if f == nil || f.Code != code || f.Dispatched != fault.NotDispatched {
		t.Fatalf("want %s, nothing dispatched; got %v", code, err)
	}
	return f
}

func write(t testing.TB, b *Buffer, session string, w Write) Item {
	t.Helper()
	item, err := b.Write(session, w)
	if err != nil {
		t.Fatal(err)
	}
	return item
}

func TestWriteAndRead(t *testing.T) {
	// Ensure that a value is found by id and by label, in its session only, also by the next process.
	c := &clock{at: time.Unix(1e9, 0).UTC()}
	b, db := open(t, c)
	w := value("rows", `[{"a":1},{"a":2}]`)
	w.Source = map[string]json.RawMessage{"tab_id": json.RawMessage(`99`), "column": json.RawMessage(`"A"`)}
	w.Metadata = map[string]json.RawMessage{"record_count": json.RawMessage(`99`), "kind": json.RawMessage(`"x"`)}
	written := write(t, b, "cli", w)
	if written.Value != nil {
		t.Error("the answer of a write holds the value")
	}
	again, err := Open(db, c.now)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []Ref{{Label: "rows"}, {ID: written.ID}, {ID: written.ID, Label: "other"}} {
		item, err := again.Read("cli", ref)
		if err != nil || string(item.Value) != string(w.Value) {
			t.Fatalf("%+v gave %s, %v", ref, item.Value, err)
		}
		item.Value = nil
		if diff := cmp.Diff(written, item); diff != "" {
			t.Errorf("written and read differ:\n%s", diff)
		}
	}
	if string(written.Source["tab_id"]) != "7" || string(written.Source["column"]) != `"A"` || string(written.Metadata["record_count"]) != "2" {
		t.Errorf("source %s, metadata %s", written.Source, written.Metadata)
	}
	f := wantCode(t, func() error { _, err := b.Read("mcp:x", Ref{Label: "rows"}); return err }(), fault.TransferLabelNotFound)
	if labels, _ := f.Evidence["labels"].([]string); len(labels) != 0 {
		t.Errorf("another session learns of %v", labels)
	}
	_, err = b.Read("cli", Ref{})
	wantCode(t, err, fault.TransferLabelRequired)
}

func TestRefusals(t *testing.T) {
	// Ensure that what cannot be kept is refused with its own code and nothing is stored.
	b, _ := open(t, &clock{at: time.Unix(1e9, 0)})
	big := `"` + strings.Repeat("x", MaxItem) + `"`
	plain := func(format, text string) Write { w := value("a", text); w.Format = format; return w }
	long := value("a", `1`)
	long.TTL = MaxTTL + time.Second
	notes := value("a", `1`)
	notes.Metadata = map[string]json.RawMessage{"x": json.RawMessage(`"` + strings.Repeat("x", MaxNotes) + `"`)}
	for name, c := range map[string]struct {
		write Write
		code  fault.Code
	}{
		"no label":      {value(" ", `1`), fault.TransferLabelRequired},
		"long label":    {value(strings.Repeat("x", MaxLabel+1), `1`), fault.TransferPayloadTooLarge},
		"no format":     {plain("", `1`), fault.TransferFormatUnsupported},
		"other format":  {plain("text/html", `"x"`), fault.TransferFormatUnsupported},
		"number text":   {plain(FormatText, `1`), fault.TransferFormatUnsupported},
		"null in texts": {plain(FormatText, `["a",null]`), fault.TransferFormatUnsupported},
		"null text":     {plain(FormatURIs, `null`), fault.TransferFormatUnsupported},
		"other mode":    {value("a", `1`).in("merge"), fault.TransferModeUnsupported},
		"too long":      {long, fault.InvalidInput},
		"too large":     {value("a", big), fault.TransferPayloadTooLarge},
		"many notes":    {notes, fault.TransferPayloadTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.Write("cli", c.write)
			wantCode(t, err, c.code)
		})
	}
	if n, err := b.EndSession("cli"); n != 0 || err != nil {
		t.Errorf("%d items, %v", n, err)
	}
}

func TestAppend(t *testing.T) {
	// Ensure that lists of one format grow under one id, keep what stands in them as it is, and that all else, also too much, leaves them as they were.
	b, _ := open(t, &clock{at: time.Unix(1e9, 0)})
	open := value("l", `[1]`).in(ModeAppend)
	open.Redaction.LogPayload = true
	first := write(t, b, "cli", open)
	second := write(t, b, "cli", value("l", `[2,3]`).in(ModeAppend))
	if first.ID != second.ID || string(second.Metadata["record_count"]) != "3" || second.Redaction.LogPayload {
		t.Errorf("first %+v, then %+v", first, second)
	}
	text := value("l", `["x"]`).in(ModeAppend)
	text.Format = FormatText
	for _, w := range []Write{value("l", `4`).in(ModeAppend), value("l", `null`).in(ModeAppend), text} {
		_, err := b.Write("cli", w)
		wantCode(t, err, fault.TransferAppendIncompatible)
	}
	write(t, b, "cli", value("markup", `["<b>&"]`))
	write(t, b, "cli", value("markup", `["<i>"]`).in(ModeAppend))
	if item, err := b.Read("cli", Ref{Label: "markup"}); err != nil || string(item.Value) != `["<b>&","<i>"]` {
		t.Errorf("the markup is %s, %v", item.Value, err)
	}
	half := `["` + strings.Repeat("x", MaxItem/2+10) + `"]`
	write(t, b, "cli", value("big", half))
	_, err := b.Write("cli", value("big", half).in(ModeAppend))
	wantCode(t, err, fault.TransferPayloadTooLarge)
	notes := func(name string, size int) Write {
		w := value("l", `[4]`).in(ModeAppend)
		w.Metadata = map[string]json.RawMessage{name: json.RawMessage(`"` + strings.Repeat("x", size-len(name)-len(`{"":""}`)) + `"`)}
		return w
	}
	full := notes("a", MaxNotes)
	full.Mode, full.Value = ModeReplace, json.RawMessage(`[1,2]`)
	write(t, b, "cli", full)
	write(t, b, "cli", value("l", `[3]`).in(ModeAppend))
	_, err = b.Write("cli", notes("b", 20))
	wantCode(t, err, fault.TransferPayloadTooLarge)
	if item, err := b.Read("cli", Ref{Label: "l"}); err != nil || string(item.Value) != `[1,2,3]` || len(item.Metadata) != 2 {
		t.Errorf("%s, %v", item.Value, err)
	}
	if item, err := b.Read("cli", Ref{Label: "big"}); err != nil || string(item.Value) != half {
		t.Errorf("%d bytes, %v", len(item.Value), err)
	}
}

func TestExpiry(t *testing.T) {
	// Ensure that a value is there until its time is over, is then said to have expired, and makes room.
	c := &clock{at: time.Unix(1e9, 0)}
	b, _ := open(t, c)
	write(t, b, "cli", value("a", `1`))
	c.at = c.at.Add(time.Hour - time.Nanosecond)
	if _, err := b.Read("cli", Ref{Label: "a"}); err != nil {
		t.Fatal(err)
	}
	c.at = c.at.Add(time.Nanosecond)
	_, err := b.Read("cli", Ref{Label: "a"})
	wantCode(t, err, fault.TransferExpired)
	_, err = b.Read("cli", Ref{Label: "a"})
	wantCode(t, err, fault.TransferLabelNotFound)
	for i := range MaxItems {
		write(t, b, fmt.Sprint("s", i%3), value(fmt.Sprint(i), `1`))
	}
	_, err = b.Write("cli", value("one more", `1`))
	wantCode(t, err, fault.TransferLimitReached)
	write(t, b, "s0", value("0", `2`)) // in the place of another
	c.at = c.at.Add(time.Hour)
	write(t, b, "cli", value("one more", `1`))
}

func TestTotal(t *testing.T) {
	// Ensure that all values together stay below the limit, and that replacing counts as what it is.
	b, _ := open(t, &clock{at: time.Unix(1e9, 0)})
	full := `"` + strings.Repeat("x", MaxItem-2) + `"`
	for i := range MaxTotal / MaxItem {
		write(t, b, "cli", value(fmt.Sprint(i), full))
	}
	_, err := b.Write("mcp:x", value("more", `1`))
	wantCode(t, err, fault.TransferLimitReached)
	write(t, b, "cli", value("1", full))
	if err := b.Clear("cli", Ref{Label: "1"}); err != nil {
		t.Fatal(err)
	}
	write(t, b, "mcp:x", value("more", `1`))
	wantCode(t, b.Clear("cli", Ref{Label: "1"}), fault.TransferLabelNotFound)
}

func TestRender(t *testing.T) {
	// Ensure that values become the text that was asked for, and that nothing is left out silently.
	at := func(i int) *int { return &i }
	people := Item{Label: "p", Format: FormatJSON, Value: json.RawMessage(`[{"name":"Ada","n":{"x":[1,"two"]}},{"name":"{{n}}"}]`)}
	lines := Item{Label: "l", Format: FormatText, Value: json.RawMessage(`["a","b"]`)}
	word := Item{Label: "w", Format: FormatJSON, Value: json.RawMessage(`"it \"is\""`)}
	for _, c := range []struct {
		render Render
		item   Item
		want   string
		code   fault.Code
	}{
		{Render{}, word, `it "is"`, ""},
		{Render{Format: FormatJSON}, word, `"it \"is\""`, ""},
		{Render{}, lines, "a\nb", ""},
		{Render{Index: at(1)}, lines, "b", ""},
		{Render{}, people, string(people.Value), ""},
		{Render{Index: at(0), Template: "{{name}}: {{ n.x.1 }}!"}, people, "Ada: two!", ""},
		{Render{Index: at(1), Template: "<{{name}}>"}, people, "<{{n}}>", ""},
		{Render{Template: "[{{value}}]"}, lines, "[a\nb]", ""},
		{Render{Template: `{"w":{{value}}}`, Format: FormatJSON}, word, `{"w":"it \"is\""}`, ""},
		{Render{Template: "{{0.name}} {x} }}"}, people, "Ada {x} }}", ""},
		{Render{Index: at(2)}, people, "", fault.TransferItemSelectorInvalid},
		{Render{Index: at(-1)}, people, "", fault.TransferItemSelectorInvalid},
		{Render{Index: at(0)}, word, "", fault.TransferItemSelectorInvalid},
		{Render{Format: "text/html"}, word, "", fault.TransferFormatUnsupported},
		{Render{Index: at(0), Template: "{{name}} {{nope}}"}, people, "", fault.InvalidInput},
	} {
		got, err := c.render.Text(c.item)
		if c.code != "" {
			wantCode(t, err, c.code)
		} else if err != nil || got != c.want {
			t.Errorf("%+v of %s gave %q, %v; want %q", c.render, c.item.Label, got, err, c.want)
		}
	}
}

func TestRenderIsBounded(t *testing.T) {
	// Ensure that a template neither multiplies a value without a bound nor has it decoded for each of its slots.
	const slots = 10_000
	for _, item := range []Item{
		{Format: FormatText, Value: json.RawMessage(`"` + strings.Repeat("x", 2*MaxText/slots) + `"`)},
		{Format: FormatText, Value: json.RawMessage(`"` + strings.Repeat("x", MaxItem-2) + `"`)},
	} {
		_, err := Render{Template: strings.Repeat("{{value}}", slots)}.Text(item)
		wantCode(t, err, fault.TransferPayloadTooLarge)
	}
	many := Item{Format: FormatJSON, Value: json.RawMessage(`[1` + strings.Repeat(",0", 100_000) + `]`)}
	mallocs := testing.AllocsPerRun(1, func() {
		if text, err := (Render{Template: strings.Repeat("{{0}}", 20)}).Text(many); err != nil || text != strings.Repeat("1", 20) {
			t.Errorf("%q, %v", text, err)
		}
	})
	if mallocs > 300_000 {
		t.Errorf("%v allocations", mallocs)
	}
}

// Ensure that any run of calls leaves the buffer as a plain map would be.
func TestModel(t *testing.T) {
	c := &clock{at: time.Unix(1e9, 0)}
	b, _ := open(t, c)
	type kept struct {
		value string
		until time.Time
	}
	rapid.Check(t, func(t *rapid.T) {
		for _, s := range []string{"a", "b"} {
			if _, err := b.EndSession(s); err != nil {
				t.Fatal(err)
			}
		}
		model := map[string]kept{}
		draw := func(t *rapid.T) (session, label string) {
			return rapid.SampledFrom([]string{"a", "b"}).Draw(t, "session"), rapid.SampledFrom([]string{"x", "y"}).Draw(t, "label")
		}
		t.Repeat(map[string]func(*rapid.T){
			"write": func(t *rapid.T) {
				session, label := draw(t)
				n := rapid.IntRange(0, 9).Draw(t, "n")
				mode := rapid.SampledFrom([]string{"", ModeReplace, ModeAppend}).Draw(t, "mode")
				w := value(label, fmt.Sprintf("[%d]", n)).in(mode)
				w.TTL = time.Duration(rapid.IntRange(0, 3).Draw(t, "ttl")) * time.Minute
				if _, err := b.Write(session, w); err != nil {
					t.Fatal(err)
				}
				now := kept{fmt.Sprintf("[%d]", n), c.at.Add(w.TTL)}
				if old, ok := model[session+label]; ok && mode == ModeAppend && c.at.Before(old.until) {
					now.value = strings.TrimSuffix(old.value, "]") + fmt.Sprintf(",%d]", n)
				}
				model[session+label] = now
			},
			"clear": func(t *rapid.T) {
				session, label := draw(t)
				if err := b.Clear(session, Ref{Label: label}); err != nil && !fault.Is(err, fault.TransferLabelNotFound) {
					t.Fatal(err)
				}
				delete(model, session+label)
			},
			"wait": func(t *rapid.T) { c.at = c.at.Add(time.Minute) },
			"": func(t *rapid.T) {
				for _, session := range []string{"a", "b"} {
					for _, label := range []string{"x", "y"} {
						want, ok := model[session+label]
						ok = ok && c.at.Before(want.until)
						item, err := b.Read(session, Ref{Label: label})
						if ok != (err == nil) || ok && string(item.Value) != want.value {
							t.Fatalf("%s/%s is %s, %v; want %+v, %v", session, label, item.Value, err, want, ok)
						}
					}
				}
			},
		})
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("ia"), []byte(`{"id":"transfer_1","label":"a","format":"text/plain","source":{"tab_id":1},"created_at":"2001-09-09T01:46:40Z","expires_at":"2001-09-09T01:46:40Z","size_bytes":3,"redaction":{"log_payload":false},"metadata":{}}`))
	f.Add([]byte("i"), []byte(`{}`))
	// Ensure that whatever stands in the file is a whole item or none, and stays the same when it is stored again.
	f.Fuzz(func(t *testing.T, key, text []byte) {
		item, ok := decode(key, text)
		if !ok {
			return
		}
		stored, err := json.Marshal(item)
		if err != nil {
			return // a year that RFC 3339 has not
		}
		again, ok := decode(key, stored)
		if diff := cmp.Diff(item, again); !ok || diff != "" {
			t.Fatalf("%s became %s: %s", text, stored, diff)
		}
	})
}

func FuzzRender(f *testing.F) {
	f.Add(`[{"a":"b"}]`, "{{0.a}} {{value}}", 0, true)
	f.Add(`"x"`, "{{{{value}}}}", -1, false)
	// Ensure that no value and no template does harm, and that text without slots stays as it is.
	f.Fuzz(func(t *testing.T, value, template string, index int, selects bool) {
		if !json.Valid([]byte(value)) {
			return
		}
		r := Render{Template: template}
		if selects {
			r.Index = &index
		}
		text, err := r.Text(Item{Format: FormatJSON, Value: json.RawMessage(value)})
		if err == nil && template != "" && !strings.Contains(template, "{{") && text != template {
			t.Fatalf("%q became %q", template, text)
		}
	})
}

func BenchmarkWriteRead(b *testing.B) {
	buffer, _ := open(b, &clock{at: time.Unix(1e9, 0)})
	for i := range 100 {
		write(b, buffer, "cli", value(fmt.Sprint(i), `["some text"]`))
	}
	for b.Loop() {
		write(b, buffer, "cli", value("5", `["other text"]`))
		if _, err := buffer.Read("cli", Ref{Label: "5"}); err != nil {
			b.Fatal(err)
		}
	}
}
