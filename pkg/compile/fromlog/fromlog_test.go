package fromlog_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/compile"
	"github.com/actionsjson/actions-host/pkg/compile/fromlog"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

var update = flag.Bool("update", false, "write the golden files anew")

// recorded reads the records of a run, as log dump --json prints them.
func recorded(t testing.TB, name string) (records []journal.Record) {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r journal.Record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

func TestRuns(t *testing.T) {
	// Ensure that runs which were recorded on real pages give these maps: forms, a page that leaves, frames, shadow roots, rich text, the items of a list.
	names, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(names) < 6 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			run, err := fromlog.Read(primitive.Load(), "mcp:1", fromlog.Range{}, recorded(t, name))
			if err != nil {
				t.Fatal(err)
			}
			a, err := compile.Write(run, compile.Options{Catalogue: primitive.Load()})
			if err != nil || len(a.Findings) > 0 {
				t.Fatalf("%v, %v\n%s", err, a.Findings, a.Text)
			}
			got := append(a.Text, strings.Join(a.Sentences, "\n")+"\n! "+strings.Join(a.Notes, "\n! ")+"\n"...)
			golden := strings.TrimSuffix(name, "jsonl") + "golden"
			if *update {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is another one (%v):\n%s", golden, err, got)
			}
		})
	}
}

func TestParseRange(t *testing.T) {
	// Ensure that a range of calls is read in each of its forms, and anything else is invalid_input.
	for text, want := range map[string]fromlog.Range{"": {}, "3": {First: 3, Last: 3}, "3-8": {First: 3, Last: 8}, "3-": {First: 3}, "-8": {First: 1, Last: 8}} {
		if got, err := fromlog.ParseRange(text); got != want || err != nil {
			t.Errorf("%q gives %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"-", "0", "8-3", "a", "3-8-9", " 3", "99999999"} {
		if _, err := fromlog.ParseRange(text); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%q gives %v", text, err)
		}
	}
}

// call returns the records of one call.
func call(seq uint64, name, args, outcome string) []journal.Record {
	id := fmt.Sprintf("call_%d", seq)
	at := time.Date(2026, 11, 24, 12, 0, int(seq), 0, time.UTC)
	return []journal.Record{
		{Seq: seq, At: at, SessionID: "s", Type: journal.TypeIntent, CallID: id, Name: name, Data: json.RawMessage(`{"arguments":` + args + `,"tab_id":7,"url":"https://tea.example/","route":"debugger","effect":"input"}`)},
		{Seq: seq + 1, At: at, SessionID: "s", Type: journal.TypeOutcome, CallID: id, Name: name, Data: json.RawMessage(outcome)},
	}
}

const done = `{"ok":true,"duration_ms":3,"output":{},"tab_id":7,"url":"https://tea.example/","target":{"tag":"button","role":"button","name":"Send"}}`

func TestGaps(t *testing.T) {
	// Ensure that what failed, was refused, was cut off or is missing from the log falls away, and that each is told; and that the numbers of calls count those too.
	records := call(10, "locator.click", `{"locator":{"ref":"a1"}}`, done)
	records = append(records, call(12, "locator.click", `{"locator":{"ref":"a2"}}`, `{"ok":false,"duration_ms":1,"error":{"code":"target_not_found","message":"m","dispatched":"no"}}`)...)
	records = append(records, call(14, "locator.click", `{"locator":{"ref":"a2"}}`, `{"ok":false,"duration_ms":1,"error":{"code":"outcome_unknown","message":"m","dispatched":"unknown"}}`)...)
	records = append(records,
		journal.Record{Seq: 16, SessionID: "s", Type: journal.TypePolicy, CallID: "call_16", Name: "locator.fill", Data: json.RawMessage(`{"ok":false,"duration_ms":0,"error":{"code":"permission_denied","message":"m"}}`)},
		journal.Record{Seq: 17, SessionID: "s", Type: journal.TypeInterrupted, CallID: "call_17", Name: "locator.press"},
		journal.Record{Seq: 18, Type: journal.TypeRecovered, Data: json.RawMessage(`{}`)})
	records = append(records, call(20, "locator.click", `{"locator":{"ref":"a3"}}`, `{"truncated":true,"bytes":70000,"head":"{"}`)...)
	records = append(records, call(22, "locator.click", `{"locator":{"ref":"a3"}}`, done)...)
	records = append(records, call(24, "locator.click", `{"locator":{"ref":"a3"}}`, done)[0],
		journal.Record{Seq: 2, Type: journal.TypeRecovered, Data: json.RawMessage(`{}`)}) // before the session began
	run, err := fromlog.Read(primitive.Load(), "s", fromlog.Range{}, records)
	if err != nil || len(run.Steps) != 2 || run.Steps[1].Number != 7 {
		t.Fatalf("%v, %+v", err, run)
	}
	want := []string{
		"Call 2 (locator.click) failed with target_not_found and is left out.",
		"Call 3 (locator.click) failed with outcome_unknown and is left out; it may have done something all the same.",
		"Call 4 (locator.fill) was refused and is left out.",
		"Call 5 (locator.press) was cut off by the end of the host: nobody knows what it did. It is left out.",
		"The log has a gap before call 6: what was done there is not in the action.",
		"Call 6 (locator.click) is not whole in the log and is left out.",
		"A call (call_24…) has no end in the log: nobody knows what it did. It is left out.",
	}
	if got := strings.Join(run.Notes, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("notes\n%s", got)
	}
	run, err = fromlog.Read(primitive.Load(), "s", fromlog.Range{First: 7, Last: 7}, records[:len(records)-2])
	if err != nil || len(run.Steps) != 1 || len(run.Notes) != 0 {
		t.Errorf("call 7 alone: %v, %+v", err, run)
	}
	other := call(30, "locator.click", `{"locator":{"ref":"a3"}}`, strings.Replace(done, `"tab_id":7`, `"tab_id":8`, 1))
	if _, err := fromlog.Read(primitive.Load(), "s", fromlog.Range{}, append(records, other...)); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("two tabs give %v", err)
	}
}

func TestCutArguments(t *testing.T) {
	// Ensure that a call of whose arguments the log has the head alone is left out, and told: nobody typed that.
	run, err := fromlog.Read(primitive.Load(), "s", fromlog.Range{}, slices.Concat(
		call(10, "locator.click", `{"locator":{"ref":"a1"}}`, done),
		call(12, "locator.click", `{"truncated":true,"bytes":70000,"head":"{"}`, done)))
	if err != nil || len(run.Steps) != 1 || strings.Join(run.Notes, "\n") != "Call 2 (locator.click) is not whole in the log and is left out." {
		t.Errorf("%v, %+v", err, run)
	}
}

func TestStoredAction(t *testing.T) {
	// Ensure that the steps of a stored action which the session called are in the run in its place, and those of other calls are not.
	steps := call(10, "locator.click", `{"locator":{"label":"A"}}`, done)
	for i := range steps {
		steps[i].ParentID = "call_site"
	}
	inner := call(14, "locator.click", `{"locator":{"label":"B"}}`, done)
	for i := range inner {
		inner[i].ParentID = "call_fill"
	}
	records := append(steps,
		journal.Record{Seq: 12, SessionID: "s", Type: journal.TypeOutcome, CallID: "call_site", Name: "actions.site", Data: json.RawMessage(`{"ok":true,"duration_ms":1,"action":"tea.a"}`)})
	records = append(records, inner...)
	records = append(records,
		journal.Record{Seq: 17, SessionID: "s", Type: journal.TypeOutcome, CallID: "call_fill", Name: "locator.fill", Data: json.RawMessage(`{"ok":true,"duration_ms":1,"arguments":{"locator":{"label":"B"},"text":"x"},"url":"https://tea.example/"}`)})
	run, err := fromlog.Read(primitive.Load(), "s", fromlog.Range{}, records)
	if err != nil || len(run.Steps) != 2 || run.Steps[0].Primitive != "locator.click" || run.Steps[0].Number != 1 || run.Steps[1].Primitive != "locator.fill" {
		t.Errorf("%v, %+v", err, run)
	}
}

func FuzzRead(f *testing.F) {
	// Ensure that whatever a log holds gives a run or an error, and a map that breaks no rule.
	c := primitive.Load()
	f.Fuzz(func(t *testing.T, name, args, outcome string) {
		records := append(call(1, "locator.click", `{"locator":{"label":"A"}}`, done), call(3, name, args, outcome)...)
		run, err := fromlog.Read(c, "s", fromlog.Range{}, records)
		if err != nil {
			return
		}
		a, err := compile.Write(run, compile.Options{Catalogue: c})
		if err == nil && !json.Valid(a.Text) {
			t.Errorf("no JSON: %s", a.Text)
		}
	})
}

// BenchmarkFromLog is what somebody waits for who saves 50 calls of a session.
func BenchmarkFromLog(b *testing.B) {
	c := primitive.Load()
	var records []journal.Record
	for i := range uint64(24) {
		records = append(records, call(100*i+1, "page.snapshot", `{}`, `{"ok":true,"output":{"snapshot":"`+strings.Repeat(`- button \"Send\" [ref=abc1]\n`, 200)+`"},"url":"https://tea.example/"}`)[1])
		records = append(records, call(100*i+3, "locator.fill", fmt.Sprintf(`{"locator":{"ref":"a%d"},"text":{"length":9}}`, i),
			fmt.Sprintf(`{"ok":true,"duration_ms":3,"arguments":{"locator":{"ref":"a%[1]d"},"text":"some text %[1]d"},"tab_id":7,"url":"https://tea.example/","target":{"tag":"input","role":"textbox","name":"Field %[1]d","selector":"#f%[1]d"}}`, i))...)
	}
	records = append(records, call(9001, "locator.click", `{"locator":{"ref":"a1"}}`, done)...)
	records = append(records, call(9003, "page.snapshot", `{}`, `{"ok":true,"output":{"snapshot":"- status: some text 3"},"url":"https://tea.example/"}`)...)
	b.ReportAllocs()
	for b.Loop() {
		run, err := fromlog.Read(c, "s", fromlog.Range{}, records)
		if err != nil {
			b.Fatal(err)
		}
		if a, err := compile.Write(run, compile.Options{Catalogue: c}); err != nil || len(a.Inputs) != 24 {
			b.Fatal(err, a.Inputs)
		}
	}
}
