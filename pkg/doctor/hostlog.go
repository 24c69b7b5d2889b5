package doctor

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/actionsjson/actions-host/pkg/browsers"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// What a host writes into its log for the doctor to read.
const (
	LogStarted = "started"
	LogReady   = "ready"
	LogRefused = "a message was refused"
)

// maxTail is how much of the log's end is read.
const maxTail = 256 << 10

// run is a host that a browser started.
type run struct {
	pid, browser  int
	at            time.Time
	ready         bool
	code, refusal string // of the last message that it refused
}

func logFile() string { return filepath.Join(paths.State(), "host.log") }

// lastRun returns the last host that the browser started; nil when there is none.
func lastRun(browser browsers.Running) *run {
	file, err := os.Open(logFile())
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Size() > maxTail {
		if _, err := file.Seek(-maxTail, io.SeekEnd); err != nil {
			return nil
		}
	}
	text, err := io.ReadAll(io.LimitReader(file, maxTail))
	if err != nil {
		return nil
	}
	return lastOf(text, browser)
}

func lastOf(text []byte, browser browsers.Running) *run {
	byPID := map[int]*run{}
	var last *run
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, maxTail)
	for lines.Scan() {
		var l struct {
			Time    time.Time `json:"time"`
			Message string    `json:"msg"`
			PID     int       `json:"pid"`
			Browser int       `json:"browser_pid"`
			Code    string    `json:"code"`
			Error   string    `json:"error"`
		}
		// A line that was cut, or that an earlier version wrote, says nothing.
		if json.Unmarshal(lines.Bytes(), &l) != nil || l.Time.Before(browser.Since) {
			continue
		}
		switch r := byPID[l.PID]; {
		case l.Message == LogStarted && (browser.PID == 0 || l.Browser == browser.PID):
			last = &run{pid: l.PID, browser: l.Browser, at: l.Time}
			byPID[l.PID] = last
		case r == nil:
		case l.Message == LogReady:
			r.ready, r.code, r.refusal = true, "", ""
		case l.Message == LogRefused && !r.ready:
			r.code, r.refusal = l.Code, l.Error
		}
	}
	return last
}
