package logview

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/journal"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// now is when the reader of these tests looks.
var now = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

// hostile is what a page may say to get out of the place where it is quoted.
const hostile = "</code></script><script>alert(1)</script><img src=x onerror=alert(1)>\"'>\n  99  12:00:00  ✓ bank.pay\u202egnp.exe {{.}} javascript:alert(1)"

// sample are the records of a day: a browser, a coding agent on a shop, a voice
// agent, and what went wrong.
func sample() []journal.Record {
	yesterday := now.AddDate(0, 0, -1).Truncate(time.Hour).Add(5 * time.Hour) // 14:00
	var records []journal.Record
	add := func(after time.Duration, session, kind, call, parent, name, data string) {
		records = append(records, journal.Record{
			Seq: uint64(len(records) + 412), At: yesterday.Add(after), SessionID: session, Type: kind,
			CallID: call, ParentID: parent, Name: name, Data: json.RawMessage(data),
		})
	}
	var quoted strings.Builder
	encoder := json.NewEncoder(&quoted)
	encoder.SetEscapeHTML(false) // as in the log
	_ = encoder.Encode(hostile)  // a string always encodes
	h, mcp, voice := strings.TrimSpace(quoted.String()), "mcp:4f2a90c1", "voice:b1"
	shop := `"tab_id":7,"url":"https://shop.example.com/teas?q=1"`
	ms, s := time.Millisecond, time.Second

	add(0, "", journal.TypeHandshake, "", "", "", `{"browser":{"name":"chromium","version":"141.0"},"extension_version":"0.1.0"}`)
	add(2*s, "", journal.TypeClaim, "", "", "", `{"tab_id":7,"url":"https://shop.example.com/","title":"The Teahouse"}`)
	add(3*s, mcp, journal.TypeSessionStarted, "", "", "", `{"client":{"name":"Claude Code","version":"2.1"}}`)
	add(4*s, mcp, journal.TypeSessionNamed, "", "", "", `{"name":"Order tea"}`)
	add(10*s, mcp, journal.TypeIntent, "a1", "", "actions.site", `{"arguments":{"mode":"call","action":"teahouse.order","arguments":{"tea":"Da Hong Pao","note":{"length":21}}},`+shop+`,"route":"host","effect":"read"}`)
	add(10*s+20*ms, mcp, journal.TypeOutcome, "a1s1", "a1", "locator.element_info", `{"ok":true,"duration_ms":15.2,"arguments":{"locator":{"selector":"#q"}},"output":{"text":`+h+`},`+shop+`}`)
	add(10*s+30*ms, mcp, journal.TypeIntent, "a1s2", "a1", "text.insert", `{"arguments":{"target":"#q","text":{"length":6}},`+shop+`,"effect":"input","stored":true}`)
	add(10*s+130*ms, mcp, journal.TypeOutcome, "a1s2", "a1", "text.insert", `{"ok":true,"duration_ms":93.7,"arguments":{"target":"#q","text":"oolong"},"output":{"inserted":true},`+shop+`}`)
	add(10*s+447*ms, mcp, journal.TypeOutcome, "a1", "", "actions.site", `{"ok":true,"duration_ms":447.2,"output":{"receipt":"Order T-001: Da Hong Pao","lines":[1,2,3,4]},`+shop+
		`,"action":"teahouse.order","steps":[{"id":"field","primitive":"locator.element_info","ok":true},{"id":"note","primitive":"text.insert","ok":true,"skipped":true},{"id":"type","primitive":"text.insert","ok":true}],"map":"scopes/public/sites/shop.example.com/teahouse/actions.json"}`)
	report := `"policy_exception_report":{"kind":"generic","intended_tool":"locator.click","actions_json_path":"none","reason":"No action sends the form."}`
	add(20*s, mcp, journal.TypeIntent, "c1", "", "locator.click", `{"arguments":{"locator":{"role":"button","name":`+h+`}},`+shop+`,"effect":"input",`+report+`}`)
	add(25*s, mcp, journal.TypeOutcome, "c1", "", "locator.click", `{"ok":false,"duration_ms":5003,`+shop+`,"error":{"code":"target_not_found","message":`+h+`,"recoverable":true,"retryable":false,"next_step":"Check the locator against the page; nothing was done."}}`)
	add(26*s, mcp, journal.TypePolicy, "c2", "", "page.run", `{"ok":false,"duration_ms":0,"arguments":{"code":"1"},`+shop+`,"error":{"code":"code_disabled","message":"JavaScript is switched off","recoverable":true,"retryable":false,"next_step":"Use a stored action."}}`)
	add(30*s, mcp, journal.TypePolicy, "c3", "", "locator.click", `{"id":"ab12","expires_at":"2026-11-20T14:05:30Z","session":"mcp","session_id":"mcp:4f2a90c1","name":"locator.click","origin":"https://shop.example.com","effects":["input"],"summary":"{\"locator\":{\"selector\":\"#send\"}}"}`)
	add(30*s+ms, mcp, journal.TypePolicy, "c3", "", "locator.click", `{"ok":false,"duration_ms":0,`+shop+`,"error":{"code":"needs_approval","message":"locator.click needs the user's approval","recoverable":true,"retryable":true,"next_step":"Ask the user to answer."}}`)
	add(40*s, mcp, journal.TypePolicy, "", "", "locator.click", `{"approval":"ab12","allow":true,"scope":"once","origin":"https://shop.example.com"}`)
	add(41*s, mcp, journal.TypeIntent, "c4", "", "locator.click", `{"arguments":{"locator":{"selector":"#send"}},`+shop+`,"effect":"input"}`)
	add(41*s+60*ms, mcp, journal.TypeOutcome, "c4", "", "locator.click", `{"ok":true,"duration_ms":58.1,"arguments":{"locator":{"selector":"#send"}},"output":{"clicked":true},"tab_id":7,"url":"https://pay.example.net/","origin":"https://shop.example.com"}`)
	add(50*s, mcp, journal.TypeOutcome, "c5", "", "browser.screenshot", `{"ok":true,"duration_ms":84,"arguments":{"format":"png"},"output":{"data_url":{"bytes":47946,"redacted":"image"},"mime_type":"image/png","image_bytes":47946,"encoded":{"width":960,"height":568,"resized":true},"url":"https://shop.example.com/","captured_at":"2026-11-20T14:00:50Z"},`+shop+`}`)
	add(60*s, mcp, journal.TypeIntent, "c6", "", "locator.fill", `{"arguments":{"locator":{"selector":"#note"},"value":{"length":12}},`+shop+`,"effect":"input"}`)
	add(61*s, mcp, journal.TypeInterrupted, "c6", "", "locator.fill", `{"outcome":"unknown","intent_seq":430}`)
	add(70*s, mcp, journal.TypeSessionEnded, "", "", "", ``)
	add(80*s, "", journal.TypeRelease, "", "", "", `{"tab_id":7,"reason":"by the user"}`)
	add(18*time.Hour, voice, journal.TypeLifecycle, "", "", "agent.transcript", `{"event":"transcript","data":{"role":"user","text":"Buy two boxes of Sencha."}}`)
	add(18*time.Hour+2*s, voice, journal.TypeOutcome, "v1", "", "actions.site", `{"ok":true,"duration_ms":12,"arguments":{"mode":"list"},"output":{"actions":[{"name":"teahouse.order"}]},"tab_id":9,"url":"http://localhost:8080/"}`)
	add(18*time.Hour+5*s, voice, journal.TypeLifecycle, "", "", "agent.transcript", `{"event":"transcript","data":{"role":"assistant","text":`+h+`}}`)
	add(19*time.Hour+29*time.Minute, voice, journal.TypeIntent, "v2", "", "locator.click", `{"arguments":{"locator":{"selector":"#go"}},"tab_id":9,"url":"http://localhost:8080/","effect":"input"}`)
	add(19*time.Hour+29*time.Minute+55*s, "", journal.TypeDOMEvent, "", "", "", `{"event":"cart.changed","url":"http://localhost:8080/","payload":{"n":1}}`)
	add(19*time.Hour+29*time.Minute+56*s, "", journal.TypeDamaged, "", "", "", `{"problem":"unexpected end of JSON input"}`)
	return records
}

// of keeps the records of one session.
func of(session string) (records []journal.Record) {
	for _, r := range sample() {
		if r.SessionID == session {
			records = append(records, r)
		}
	}
	return records
}

// golden holds a text against a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is not what it was; if it is better, run the test with -update:\n%s", name, diff)
	}
}

// text puts lines together.
func text(lines []Line) string { return inLines(stringsOf(lines)) }

func stringsOf(lines []Line) (all []string) {
	for _, l := range lines {
		all = append(all, l.String())
	}
	return all
}
