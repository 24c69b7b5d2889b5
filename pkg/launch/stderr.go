package launch

import (
	"context"
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	maxStderrBytes = 16 << 10 // bytes of its stderr that are kept
	maxShownChars  = 400      // characters of them in a message

	lastOutputTimeout = time.Second
)

// stderrTail keeps the end of the browser's stderr: if the browser ends by itself, nothing else
// shows why.
type stderrTail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (w *stderrTail) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, text...)
	if more := len(w.text) - maxStderrBytes; more > 0 {
		w.text = append([]byte(nil), w.text[more:]...)
	}
	return len(text), nil
}

// String returns as much text as a message has room for, in one line: the browser's fatal error
// if there is one, otherwise the end.
func (w *stderrTail) String() string {
	w.mu.Lock()
	text := strings.ToValidUTF8(string(w.text), "")
	w.mu.Unlock()
	_, reason, fatal := strings.Cut(text, ":FATAL:")
	if fatal {
		text = reason
	}
	words := []rune(strings.Join(strings.Fields(text), " "))
	if len(words) > maxShownChars {
		if fatal {
			words = words[:maxShownChars]
		} else {
			words = words[len(words)-maxShownChars:]
		}
	}
	return string(words)
}

// suffix returns what is kept as the end of an error's message; empty if nothing is.
func (w *stderrTail) suffix() string {
	if words := w.String(); words != "" {
		return "; it said: " + words
	}
	return ""
}

// stderrSuffix returns the suffix for the error of a connection that the browser has closed. It
// waits a moment for the browser's end, when its output is complete.
func (b *Browser) stderrSuffix() string {
	select {
	case <-b.exited:
	case <-time.After(lastOutputTimeout):
	}
	return b.stderr.suffix()
}

// startError adds the browser's own output to the error of a start that failed because the
// browser ended, and names one that was cut short; other errors stay as they are. It is called
// after Close, when the output is complete.
func (b *Browser) startError(err error, o Options) *fault.Error {
	switch {
	case errors.Is(err, context.Canceled):
		return fault.Wrap(err, fault.Cancelled, "the start of the browser was cancelled")
	case errors.Is(err, context.DeadlineExceeded):
		return fault.Wrap(err, fault.Timeout, "the browser did not get ready within %s", startTimeout)
	case !errors.Is(err, errLost):
		return fault.From(err)
	}
	f := fault.Wrap(err, fault.BrowserNotConnected, "the browser %s ended before it was ready%s", o.Program, b.stderr.suffix())
	switch {
	case !o.Headless && noDisplay():
		return f.WithNextStep("There is no display to open a window on: add --headless, or set DISPLAY.")
	case !b.temporary:
		return f.WithNextStep("Close the browser that uses the folder " + b.UserDataDir + ": it can serve one at a time.")
	}
	return f.WithNextStep("Start " + o.Program + " by itself to see what it lacks, or name another one with --browser.")
}

// noDisplay reports whether there is no display for a window.
func noDisplay() bool {
	return runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == ""
}
