package logview

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/actionsjson/actions-host/pkg/journal"
)

func written(t *testing.T, session string) string {
	t.Helper()
	var out strings.Builder
	if err := NewReport(of(session), now).WriteHTML(&out, time.UTC); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestReport(t *testing.T) {
	// Ensure that the reports of a coding agent and of a voice agent are what they should be.
	golden(t, "report-mcp.html", written(t, "mcp:4f2a90c1"))
	golden(t, "report-voice.html", written(t, "voice:b1"))
}

func TestReportIsSelfContained(t *testing.T) {
	// Ensure that no text of a page becomes an element, an attribute or an address, that the file asks nobody for anything, and that its policy allows its own styles and nothing else.
	for _, session := range []string{"mcp:4f2a90c1", "voice:b1"} {
		text := written(t, session)
		if !strings.Contains(text, "alert(1)") {
			t.Fatal("the hostile text is not in the report, so that nothing was tested")
		}
		policy, style := "", ""
		tokens := html.NewTokenizer(strings.NewReader(text))
		for inStyle := false; ; {
			kind := tokens.Next()
			if kind == html.ErrorToken {
				if tokens.Err() != io.EOF {
					t.Fatal(tokens.Err())
				}
				break
			}
			token := tokens.Token()
			if inStyle && kind == html.TextToken {
				style = token.Data
			}
			inStyle = kind == html.StartTagToken && token.Data == "style"
			switch token.Data {
			case "script", "img", "link", "iframe", "object", "base", "form", "input":
				if kind != html.TextToken {
					t.Errorf("an element %s: %s", token.Data, token)
				}
			}
			for _, a := range token.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "src" || a.Key == "href" && !strings.HasPrefix(a.Val, "#r") {
					t.Errorf("an attribute %s=%q", a.Key, a.Val)
				}
				if a.Key == "content" && strings.HasPrefix(a.Val, "default-src") {
					policy = a.Val
				}
			}
		}
		sum := sha256.Sum256([]byte(style))
		if want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"; policy != want {
			t.Errorf("the policy is %q, the styles need %q", policy, want)
		}
		for _, outside := range []string{"url(", "@import", "http-equiv=\"refresh\""} {
			if strings.Contains(style, outside) || strings.Contains(text, outside) {
				t.Errorf("the report holds %s", outside)
			}
		}
	}
}

func TestReportTree(t *testing.T) {
	// Ensure that steps stand below their action with the names of its map, skipped ones too, that a question, its answer and what it stopped are told, and that a call without an end says so.
	r := NewReport(of("mcp:4f2a90c1"), now)
	byTitle := map[string][]*Item{}
	for _, i := range r.Items {
		byTitle[i.Title] = append(byTitle[i.Title], i)
	}
	var steps []string
	for _, s := range byTitle["teahouse.order"][0].Steps {
		steps = append(steps, s.Step+" "+s.Title+" "+string(s.Status))
	}
	if got := strings.Join(steps, ", "); got != "field locator.element_info done, note text.insert skipped, type text.insert done" {
		t.Errorf("steps %s", got)
	}
	clicks := byTitle["locator.click"]
	if len(clicks) != 4 || clicks[0].Status != StatusFailed || clicks[0].Exception == nil || clicks[1].Status != StatusAsked || clicks[1].Fault == nil || clicks[2].Status != StatusAllowed || clicks[3].Status != StatusDone || clicks[3].Place != "https://shop.example.com" {
		t.Errorf("clicks %+v", clicks)
	}
	if i := byTitle["locator.fill"][0]; i.Status != StatusInterrupted || i.Fault == nil {
		t.Errorf("interrupted %+v", i)
	}
	if i := byTitle["browser.screenshot"][0]; i.Picture == nil || i.Picture.Size() != "960 by 568 pixels, 47.9 KB" {
		t.Errorf("picture %+v", i.Picture)
	}
	if failed := r.Failed(); len(failed) != 3 {
		t.Errorf("%d items went wrong", len(failed))
	}
	if i := NewReport(of("voice:b1"), now).Items; i[len(i)-1].Status != StatusRunning {
		t.Errorf("the last item %+v", i[len(i)-1])
	}
	// Steps whose action's own records are gone stand below a call of no name.
	if lost := NewReport(of("mcp:4f2a90c1")[4:6], now); len(lost.Items) != 1 || len(lost.Items[0].Steps) != 1 {
		t.Errorf("%+v", lost.Items)
	}
}

func TestReportTurnsNoReadingDirection(t *testing.T) {
	// Ensure that no text of a stranger, whether page, map, model or client, turns the reading direction of the report that quotes it.
	const turned = "paid \u202egnp.exe"
	record := func(seq uint64, kind, name string, data any) journal.Record {
		raw, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		return journal.Record{Seq: seq, At: now, SessionID: "mcp:1", Type: kind, Name: name, CallID: "call_1", Data: raw}
	}
	report := map[string]string{"kind": "generic", "intended_tool": "locator.click", "actions_json_path": turned, "reason": turned}
	records := []journal.Record{
		record(1, journal.TypeSessionStarted, "", map[string]string{"client": turned, "mode": "act"}),
		record(2, journal.TypeIntent, "locator.click", map[string]any{"arguments": map[string]string{"text": turned}, "policy_exception_report": report}),
		record(3, journal.TypeOutcome, "locator.click", map[string]any{"ok": true, "output": map[string]string{"text": turned}}),
		record(4, journal.TypePolicy, "locator.click", map[string]any{"id": "q", "summary": turned, "effects": []string{"input"}, "origin": "https://a.test"}),
		{Seq: 5, At: now, SessionID: "mcp:1", Type: journal.TypeLifecycle, Name: "agent.transcript", Data: json.RawMessage(`{"event":"transcript","data":{"role":"user","text":"paid \u202egnp.exe"}}`)},
	}
	var out strings.Builder
	if err := NewReport(records, now).WriteHTML(&out, time.UTC); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), `\u202egnp.exe`); n < 6 || strings.ContainsRune(out.String(), 0x202e) {
		t.Errorf("quoted %d times:\n%s", n, out.String())
	}
}

func TestToleratedFailures(t *testing.T) {
	// Ensure that a step that failed in an action that ended well is shown where it ran, and not among what went wrong.
	now := time.Now()
	record := func(seq uint64, call, parent, name, data string) journal.Record {
		return journal.Record{Seq: seq, At: now, SessionID: "mcp:1", Type: journal.TypeOutcome, CallID: call, ParentID: parent, Name: name, Data: json.RawMessage(data)}
	}
	r := NewReport([]journal.Record{
		record(1, "b", "a", "locator.text_content", `{"ok":false,"error":{"code":"target_not_found","message":"nothing matches"}}`),
		record(2, "a", "", "actions.site", `{"ok":true,"action":"shop.order"}`),
	}, now)
	if failed := r.Failed(); len(failed) != 0 {
		t.Errorf("went wrong: %+v", failed)
	}
	if len(r.Items) != 1 || len(r.Items[0].Steps) != 1 || r.Items[0].Steps[0].Status != StatusFailed {
		t.Errorf("items %+v", r.Items)
	}
}

func TestStepsOfAGroup(t *testing.T) {
	// Ensure that the calls of a group are named after its steps, those of which two steps may be the cause are not,
	// and that what ran after the group keeps its name.
	now := time.Now()
	record := func(seq uint64, call, parent, name, data string) journal.Record {
		return journal.Record{Seq: seq, At: now, SessionID: "mcp:1", Type: journal.TypeOutcome, CallID: call, ParentID: parent, Name: name, Data: json.RawMessage(data)}
	}
	var records []journal.Record
	for i, name := range []string{"locator.click", "locator.fill", "locator.click", "locator.fill", "locator.click", "page.info"} {
		records = append(records, record(uint64(i+1), string(rune('b'+i)), "a", name, `{"ok":true}`))
	}
	records = append(records, record(9, "a", "", "actions.site", `{"ok":true,"action":"shop.order","steps":[
		{"id":"some","ok":true},{"id":"each","ok":true,"items":2,"steps":[{"id":"choose","primitive":"locator.click","ok":true,"items":2},
			{"id":"name","primitive":"locator.fill","ok":true,"items":2},{"id":"send","primitive":"locator.click","ok":true,"items":1}]},
		{"id":"none","skipped":true,"ok":true},{"id":"after","primitive":"page.info","ok":true}]}`))
	r := NewReport(records, now)
	var got []string
	for _, s := range r.Items[0].Steps {
		got = append(got, s.Title+" "+s.Step)
	}
	want := "locator.click |locator.fill name|locator.click |locator.fill name|locator.click |none none|page.info after"
	if strings.Join(got, "|") != want {
		t.Errorf("%q", got)
	}
}
