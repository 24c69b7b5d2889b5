package logview

import (
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/journal"
)

// shown returns all lines of records.
func shown(l *Lines, records []journal.Record) string {
	var all []Line
	for _, r := range records {
		all = append(all, l.Record(r)...)
	}
	return text(append(all, l.End()...))
}

func TestLines(t *testing.T) {
	// Ensure that the log reads as it should: a dump with relative times, one line a call, and following with each start.
	golden(t, "dump.golden", shown(&Lines{Now: now, In: time.UTC}, sample()))
	golden(t, "follow.golden", shown(&Lines{Live: true, In: time.UTC, Width: 120}, sample()))
}

func TestHostileLines(t *testing.T) {
	// Ensure that no text of a page makes a line of its own, and that lines fit where they can.
	for line := range strings.Lines(shown(&Lines{Now: now, In: time.UTC, Width: 130}, sample())) {
		if strings.Contains(line, "99  12:00:00") || len([]rune(line)) > 131 {
			t.Errorf("a line of %d characters: %s", len([]rune(line)), line)
		}
	}
}

func TestCutRecords(t *testing.T) {
	// Ensure that a call is not said to have ended well where its record does not tell, and that the record of a refusal is not taken for another event.
	for _, c := range []struct{ kind, data, want, not string }{
		{journal.TypeOutcome, `{"truncated":true,"bytes":140000,"head":""}`, "· page.info", "✓"},
		{journal.TypeOutcome, `{"truncated":true,"bytes":140000,"head":"{\"ok\":true,"}`, "✓ page.info", "✗"},
		{journal.TypePolicy, `{"truncated":true,"bytes":140000,"head":""}`, "✗ page.info", "page event"},
	} {
		got := shown(&Lines{In: time.UTC}, []journal.Record{{Seq: 1, At: now, SessionID: "cli", Type: c.kind, CallID: "c", Name: "page.info", Data: []byte(c.data)}})
		if !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("%s gives %s", c.data, got)
		}
	}
}

func TestUnreadableRecords(t *testing.T) {
	// Ensure that records with data of any form are shown and make nothing panic.
	for _, data := range []string{``, `null`, `[]`, `"x"`, `{"ok":1}`, `{"allow":"x"}`, `{"error":[]}`, `{"arguments":"x","steps":{}}`, `{"truncated":true,"bytes":9,"head":"{\"ok\":false,"}`, `{`} {
		for _, kind := range append(journal.Types(), "unheard_of") {
			records := []journal.Record{{Seq: 1, At: now, SessionID: "cli", Type: kind, CallID: "c", ParentID: "p", Name: "actions.site", Data: []byte(data)}}
			if kind != journal.TypePolicy && shown(&Lines{In: time.UTC}, records) == "" {
				t.Errorf("a record of type %s with %s is not shown", kind, data)
			}
			var html strings.Builder
			if err := NewReport(records, now).WriteHTML(&html, time.UTC); err != nil {
				t.Errorf("%s with %s: %v", kind, data, err)
			}
			var sessions Sessions
			sessions.Record(records[0])
		}
	}
}

func TestTruncatedOutcome(t *testing.T) {
	// Ensure that an outcome too large for its record still says whether it ended well.
	r := journal.Record{Seq: 1, At: now, SessionID: "cli", Type: journal.TypeOutcome, CallID: "c", Name: "page.snapshot",
		Data: []byte(`{"truncated":true,"bytes":90000,"head":"{\"ok\":false,\"duration_ms\":1250.5,\"output\":{\"a\":"}`)}
	if line := shown(&Lines{In: time.UTC}, []journal.Record{r}); !strings.Contains(line, "✗ page.snapshot") || !strings.Contains(line, "1.3 s") {
		t.Errorf("shown as %s", line)
	}
}

func TestUnknownOutcome(t *testing.T) {
	// Ensure that a report does not take a call for done whose record had no room for how it ended.
	report := NewReport([]journal.Record{{Seq: 1, At: now, SessionID: "cli", Type: journal.TypeOutcome, CallID: "c", Name: "page.snapshot", Data: []byte(`{"truncated":true,"bytes":140000,"head":""}`)}}, now)
	var page strings.Builder
	if err := report.WriteHTML(&page, time.UTC); err != nil {
		t.Fatal(err)
	}
	if i := report.Items[0]; i.Status != StatusUnknown || i.Mark() != "·" || strings.Contains(page.String(), "Nothing failed") || !strings.Contains(page.String(), "How it ended is not known: 1.") {
		t.Errorf("%+v in %s", i, page.String())
	}
}

func TestSessionTable(t *testing.T) {
	// Ensure that sessions come with what was asked of them and how it went, and that the table reads as it should.
	var sessions Sessions
	for _, r := range sample() {
		sessions.Record(r)
	}
	s := sessions.List[0]
	if s.Kind != "mcp" || s.Client != "Claude Code 2.1" || s.Name != "Order tea" || s.Calls != 7 || s.Running != 0 || s.Steps != 2 || s.Failures != 2 || s.Refusals != 1 || s.Approvals != 1 || s.DurationMS != 67_000 {
		t.Errorf("counted %+v", s)
	}
	if got := strings.Join(s.Origins, " "); got != "https://shop.example.com" {
		t.Errorf("sites %s", got)
	}
	if voice := sessions.List[1]; voice.Running != 1 || voice.Calls != 1 {
		t.Errorf("counted %+v", voice)
	}
	golden(t, "sessions.golden", text(SessionTable(sessions.List, now, time.UTC)))
	golden(t, "nosessions.golden", text(SessionTable(nil, now, time.UTC)))
}

func TestText(t *testing.T) {
	// Ensure that the text is never longer than may be, ends with the newest records, and says what is left out.
	records := sample()
	whole := Text(records, now, time.UTC, 1<<20)
	for limit := range len(whole) + 100 {
		got := Text(records, now, time.UTC, limit)
		if len(got) > limit {
			t.Fatalf("%d bytes where %d are allowed", len(got), limit)
		}
		if rest, left := strings.CutPrefix(got, "… "); left {
			_, rest, _ = strings.Cut(rest, "\n")
			if !strings.HasSuffix(whole, rest) {
				t.Fatalf("%d bytes are not the end of the text: %s", limit, got)
			}
		} else if got != "" && got != whole {
			t.Fatalf("%d bytes say nothing of what is left out: %s", limit, got)
		}
	}
	golden(t, "text.golden", Text(records, now, time.UTC, 900))
}

func TestBrief(t *testing.T) {
	// Ensure that JSON becomes few words in the order of its members.
	for given, want := range map[string]string{
		``: "", `{}`: "", `null`: "", `[]`: "[]", `"a b"`: `"a b"`, `{"locator":{"selector":"#q"},"text":{"length":6}}`: "locator=#q text=‹6 characters›",
		`{"z":1,"a":true,"n":null}`: "z=1 a=true n=null", `{"rows":[1,2,3,4]}`: "rows=[4 items]", `{"a":{"b":{"c":{"d":{"e":1,"f":2}}}}}`: "a={b={c={…}}}",
		`{"a":{"text":{"trim":true}},"b":{"selector":".teas li"}}`: `a={text={trim=true}} b=".teas li"`,
		`{"p":{"bytes":12,"redacted":"image"}}`:                    "p=‹image, 12 bytes›", "{\"t\":\"a\\nb\"}": `t="a b"`, `{"broken`: `{"broken`,
	} {
		if got := Brief([]byte(given), 200); got != want {
			t.Errorf("%s became %q, not %q", given, got, want)
		}
	}
	if got := Brief([]byte(`{"text":"abcdefgh"}`), 8); got != "text=ab…" {
		t.Errorf("cut to %q", got)
	}
}

func FuzzBrief(f *testing.F) {
	f.Add(`{"a":[{"b":"c"}],"d":{"length":3}}`, 20)
	f.Add(`[[[[[[1]]]]]]`, 3)
	f.Fuzz(func(t *testing.T, given string, limit int) {
		// Ensure that it is one line of at most so many characters.
		limit = max(1, limit%500)
		got := Brief([]byte(given), limit)
		if strings.ContainsAny(got, "\n\r\t") || len([]rune(got)) > limit {
			t.Fatalf("%q with %d became %q", given, limit, got)
		}
	})
}
