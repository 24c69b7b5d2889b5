package doctor

import (
	"fmt"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/browsers"
)

func line(at time.Time, pid int, message, more string) string {
	return fmt.Sprintf(`{"time":%q,"level":"INFO","msg":%q,"pid":%d%s}`+"\n", at.Format(time.RFC3339Nano), message, pid, more)
}

func TestLastRun(t *testing.T) {
	// Ensure that of the host's log the last run of this very browser is told, with what was refused before it was ready.
	begun := time.Now()
	of := func(pid int) string { return fmt.Sprintf(`,"browser_pid":%d`, pid) }
	at := func(s int) time.Time { return begun.Add(time.Duration(s) * time.Second) }
	refused := `,"code":"version_skew","error":"update the extension"`
	browser := browsers.Running{PID: 10, Since: begun}
	for name, row := range map[string]struct {
		text string
		want *run
	}{
		"nothing":                {"", nil},
		"an earlier version":     {"time=2026-01-01 level=INFO msg=ready pid=1\n", nil},
		"another browser's":      {line(at(1), 20, LogStarted, of(11)) + line(at(2), 20, LogReady, ""), nil},
		"before this browser":    {line(at(-1), 20, LogStarted, of(10)), nil},
		"started":                {line(at(1), 20, LogStarted, of(10)), &run{pid: 20}},
		"ready":                  {line(at(1), 20, LogStarted, of(10)) + line(at(2), 20, LogReady, ""), &run{pid: 20, ready: true}},
		"refused":                {line(at(1), 20, LogStarted, of(10)) + line(at(2), 20, LogRefused, refused), &run{pid: 20, code: "version_skew", refusal: "update the extension"}},
		"refused, then ready":    {line(at(1), 20, LogStarted, of(10)) + line(at(2), 20, LogRefused, refused) + line(at(3), 20, LogReady, ""), &run{pid: 20, ready: true}},
		"ready, later a mishap":  {line(at(1), 20, LogStarted, of(10)) + line(at(2), 20, LogReady, "") + line(at(3), 20, LogRefused, refused), &run{pid: 20, ready: true}},
		"refused, then again":    {line(at(1), 20, LogStarted, of(10)) + line(at(2), 20, LogRefused, refused) + line(at(3), 21, LogStarted, of(10)), &run{pid: 21}},
		"refused by another run": {line(at(1), 20, LogStarted, of(10)) + line(at(2), 30, LogRefused, refused), &run{pid: 20}},
		"cut off":                {line(at(1), 20, LogStarted, of(10)) + `{"time":"`, &run{pid: 20}},
	} {
		got := lastOf([]byte(row.text), browser)
		if (got == nil) != (row.want == nil) {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		if got != nil && (got.pid != row.want.pid || got.ready != row.want.ready || got.code != row.want.code || got.refusal != row.want.refusal) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := lastOf([]byte(line(at(1), 20, LogStarted, of(10))), browsers.Running{}); got == nil {
		t.Error("a browser whose process is not known has no run")
	}
}

func FuzzLastRun(f *testing.F) {
	// Ensure that a log of any content is read without a panic, and that a run comes from a line that says so.
	f.Add([]byte(line(time.Now(), 20, LogStarted, `,"browser_pid":10`)))
	f.Add([]byte("{\n{}\nnull\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if got := lastOf(text, browsers.Running{PID: 10}); got != nil && got.browser != 10 {
			t.Errorf("%q gave %+v", text, got)
		}
	})
}
