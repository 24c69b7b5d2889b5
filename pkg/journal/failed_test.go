package journal

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// callsOf is a log of calls that went well and calls that did not, one running
// into the other.
func callsOf(t *testing.T, j *Journal) (start time.Time) {
	t.Helper()
	start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	at := start
	add := func(kind, session, call, parent, name, data string) {
		t.Helper()
		at = at.Add(time.Second)
		commit(t, j, Record{At: at, Type: kind, SessionID: session, CallID: call, ParentID: parent, Name: name, Data: json.RawMessage(data)})
	}
	const shop, other = `"tab_id":1,"url":"https://shop.example.com/"`, `"tab_id":2,"url":"https://other.test/"`
	// A stored action whose second step failed, beside calls that went well.
	add(TypeIntent, "cli", "a", "", "actions.site", `{"arguments":{"mode":"call","action":"tea.order"},`+shop+`}`)
	add(TypeIntent, "mcp:b", "b", "", "locator.click", `{`+other+`}`)
	add(TypeIntent, "cli", "a1", "a", "locator.fill", `{`+shop+`}`)
	add(TypeOutcome, "cli", "a1", "a", "locator.fill", `{"ok":true,`+shop+`}`)
	add(TypeOutcome, "mcp:b", "b", "", "locator.click", `{"ok":true,`+other+`}`)
	add(TypeIntent, "cli", "a2", "a", "transfer.insert", `{`+shop+`}`)
	add(TypeOutcome, "cli", "a2x", "a2", "text.insert", `{"ok":false,"error":{"code":"x"}}`)
	add(TypeOutcome, "cli", "a2", "a", "transfer.insert", `{"ok":false,"error":{"code":"x"}}`)
	add(TypeOutcome, "cli", "a", "", "actions.site", `{"ok":false,"duration_ms":8000,"action":"tea.order","error":{"code":"x"},"steps":[{"primitive":"locator.fill","ok":true},{"primitive":"transfer.insert","ok":false}],`+shop+`}`)
	// An action that put up with a step that failed.
	add(TypeIntent, "cli", "c", "", "actions.site", `{"arguments":{"mode":"call","action":"tea.look"},`+shop+`}`)
	add(TypeOutcome, "cli", "c1", "c", "locator.click", `{"ok":false,"error":{"code":"x"},`+shop+`}`)
	add(TypeOutcome, "cli", "c", "", "actions.site", `{"ok":true,"action":"tea.look",`+shop+`}`)
	// A read that failed, a refusal, a question with its call, and their like in long.
	add(TypeOutcome, "mcp:b", "r", "", "locator.text_content", `{"ok":false,"duration_ms":1,"error":{"code":"x"},`+other+`}`)
	add(TypePolicy, "mcp:b", "p", "", "browser.run_javascript", `{"ok":false,"duration_ms":0,"error":{"code":"code_disabled"},`+other+`}`)
	add(TypePolicy, "cli", "q", "", "pointer.click", `{"id":"abc","expires_at":"2026-11-20T13:00:00Z","origin":"https://shop.example.com"}`)
	add(TypePolicy, "cli", "q", "", "pointer.click", `{"ok":false,"duration_ms":0,"error":{"code":"needs_approval"},`+shop+`}`)
	add(TypeIntent, "cli", "l", "", "pointer.click", `{`+shop+`}`)
	add(TypeOutcome, "cli", "l", "", "pointer.click", `{"truncated":true,"bytes":70000,"head":"{\"ok\":false,\"duration_ms\":3"}`)
	// One that the host's end interrupted.
	add(TypeIntent, "mcp:d", "i", "", "actions.site", `{"arguments":{"mode":"call","action":"tea.pay"},`+other+`}`)
	add(TypeIntent, "mcp:d", "i1", "i", "locator.click", `{`+other+`}`)
	at = at.Add(time.Hour)
	add(TypeInterrupted, "mcp:d", "i", "", "actions.site", `{"outcome":"unknown","intent_seq":19}`)
	add(TypeInterrupted, "mcp:d", "i1", "i", "locator.click", `{"outcome":"unknown","intent_seq":20}`)
	return start
}

func TestFailedCalls(t *testing.T) {
	// Ensure that failed calls are given whole and in a row, with their intents, steps and parts of steps, that what went well, a failure that an action put up with and an open question are not, and that the other filters are asked of their ends.
	j := openTest(t, Options{Retention: Retention{MaxAge: -1}})
	start := callsOf(t, j)
	const order, read, refused, long, pay = "1 3 4 6 7 8 9", "13", "14", "17 18", "19 20 21"
	for name, c := range map[string]struct {
		filter Filter
		want   []string
	}{
		"all":              {Filter{}, []string{order, read, refused, long, pay}},
		"session":          {Filter{Session: "mcp:b"}, []string{read, refused}},
		"nobody":           {Filter{Session: "nobody"}, nil},
		"action":           {Filter{Name: "tea.*"}, []string{order, pay}},
		"name":             {Filter{Name: "pointer.click"}, []string{long}},
		"failed step":      {Filter{Name: "transfer.insert"}, []string{order}},
		"step that was ok": {Filter{Name: "locator.fill"}, nil},
		"site":             {Filter{Origin: "shop.example.com"}, []string{order}},
		"site of intent":   {Filter{Origin: "other.test"}, []string{read, refused, pay}},
		"tab":              {Filter{TabID: 1}, []string{order}},
		"call":             {Filter{CallID: "r"}, []string{read}},
		"refusals":         {Filter{Types: []string{TypePolicy}}, []string{refused}},
		"since":            {Filter{Since: start.Add(time.Minute)}, []string{pay}},
		"until":            {Filter{Until: start.Add(10 * time.Second)}, []string{order}},
		"site and since":   {Filter{Origin: "other.test", Since: start.Add(time.Minute)}, []string{pay}},
	} {
		c.filter.Failed = true
		var got []string
		for from := uint64(1); from != 0; {
			page, err := j.Scan(t.Context(), c.filter, from, 1)
			if err != nil {
				t.Fatal(err)
			}
			if text := seqs(page.Records); text != "" {
				got = append(got, text)
			}
			from = page.Next
		}
		if strings.Join(got, "; ") != strings.Join(c.want, "; ") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for count, want := range map[int]uint64{1: 21, 2: 18, 4: 13, 9: 9} {
		if from, err := j.Start(t.Context(), Filter{Failed: true}, count); err != nil || from != want {
			t.Errorf("the newest %d begin at %d, not %d: %v", count, from, want, err)
		}
	}
	page, err := j.Scan(t.Context(), Filter{Failed: true}, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range page.Records {
		if whole, err := j.Read(r.Seq, 1); err != nil || whole[0].Prev != r.Prev || whole[0].Hash != r.Hash {
			t.Errorf("record %d is not as it stands in the log: %v", i, err)
		}
	}
}

func TestLongFailedCall(t *testing.T) {
	// Ensure that of a call with very many steps the last ones are given, with its intent and its end.
	j := openTest(t, Options{})
	records := []Record{{Type: TypeIntent, CallID: "a", Name: "actions.site"}}
	for i := range 2 * groupRecords {
		records = append(records, Record{Type: TypeOutcome, CallID: fmt.Sprint("s", i), ParentID: "a", Data: json.RawMessage(`{"ok":true}`)})
	}
	records = append(records, Record{Type: TypeOutcome, CallID: "a", Name: "actions.site", Data: json.RawMessage(`{"ok":false,"error":{"code":"x"}}`)})
	commit(t, j, records...)
	page, err := j.Scan(t.Context(), Filter{Failed: true}, 1, 0)
	if n := len(page.Records); err != nil || n != groupRecords+2 || page.Records[0].Seq != 1 || page.Records[n-1].Seq != uint64(len(records)) || page.Records[1].Seq != groupRecords+2 {
		t.Errorf("%d records: %s, %v", n, seqs(page.Records), err)
	}
}

func TestFailedCallOverSleep(t *testing.T) {
	// Ensure that a call is given whole also where the machine slept in it, or its clock was set forward, which its duration does not have.
	j := openTest(t, Options{Retention: Retention{MaxAge: -1}})
	start := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, r := range []Record{
		{At: start, Type: TypeIntent, CallID: "a", Name: "actions.site"},
		{At: start.Add(time.Second), Type: TypeIntent, CallID: "a1", ParentID: "a", Name: "locator.click"},
		{At: start.Add(2 * time.Second), Type: TypeOutcome, CallID: "r", Name: "page.info", Data: json.RawMessage(`{"ok":true}`)},
		{At: start.Add(time.Hour), Type: TypeOutcome, CallID: "a1", ParentID: "a", Name: "locator.click", Data: json.RawMessage(`{"ok":false,"error":{"code":"x"}}`)},
		{At: start.Add(time.Hour), Type: TypeOutcome, CallID: "a", Name: "actions.site", Data: json.RawMessage(`{"ok":false,"duration_ms":5000,"has_intent":true,"error":{"code":"x"}}`)},
	} {
		commit(t, j, r)
	}
	page, err := j.Scan(t.Context(), Filter{Failed: true}, 1, 0)
	if err != nil || seqs(page.Records) != "1 2 4 5" {
		t.Errorf("the records %s, %v", seqs(page.Records), err)
	}
}

func seqs(records []Record) string {
	var all []string
	for _, r := range records {
		all = append(all, fmt.Sprint(r.Seq))
	}
	return strings.Join(all, " ")
}
