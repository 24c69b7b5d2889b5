package launch

import (
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	maxLastWords = 4 << 10 // bytes of its stderr that are kept
	shownWords   = 400     // characters of them in a message
)

// lastWords keeps the end of what the browser writes to its stderr: where it
// ends before it is ready, nothing else tells why.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (w *lastWords) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, text...)
	if more := len(w.text) - maxLastWords; more > 0 {
		w.text = append([]byte(nil), w.text[more:]...)
	}
	return len(text), nil
}

// String gives the words in one line.
func (w *lastWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(strings.Fields(strings.ToValidUTF8(string(w.text), "")), " ")
}

// explain says of a start that failed as the browser had ended what the browser
// said itself; other errors stay as they are. It is asked after Close, when all
// has been said.
func (b *Browser) explain(err error, o Options) *fault.Error {
	if b.pipe == nil || !fault.Is(err, fault.BrowserNotConnected) {
		return fault.From(err)
	}
	f := fault.Wrap(err, fault.BrowserNotConnected, "the browser %s ended before it was ready", o.Program)
	if words := []rune(b.words.String()); len(words) > 0 {
		last := string(words[max(0, len(words)-shownWords):])
		f = fault.Wrap(err, fault.BrowserNotConnected, "the browser %s ended before it was ready; it said: %s", o.Program, last)
	}
	switch {
	case !o.Headless && noDisplay():
		return f.WithNextStep("There is no display to open a window on: add --headless, or set DISPLAY.")
	case !b.temporary:
		return f.WithNextStep("Close the browser that uses the folder " + b.UserDataDir + ": it can serve one at a time.")
	}
	return f.WithNextStep("Start " + o.Program + " by itself to see what it lacks, or name another one with --browser.")
}

// noDisplay tells whether a window has nowhere to open.
func noDisplay() bool {
	return runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == ""
}
