package main

import (
	"bytes"
	"io"
	"os"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/logview"
	"github.com/actionsjson/actions-host/pkg/printable"
)

// terminal writes to a person's terminal. Titles, addresses, page text and maps
// come from strangers: a control character in them could move the cursor, set
// the window's title or turn the reading direction, and so fake what the program
// says. Each one is written as \uXXXX, which inside JSON is the same text.
type terminal struct {
	out  io.Writer
	rest []byte // the start of a character whose end comes with the next write
	// failed is the error of the first write that failed; what comes after it is not written.
	failed error
}

func (t *terminal) Write(p []byte) (int, error) {
	text := append(t.rest, p...)
	safe := make([]byte, 0, len(text))
	for {
		// Most text is plain, and much of it is a whole log.
		n := plain(text)
		safe, text = append(safe, text[:n]...), text[n:]
		if !utf8.FullRune(text) {
			break
		}
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 || commands(r) {
			safe = printable.AppendEscape(safe, r)
		} else {
			safe = append(safe, text[:size]...)
		}
		text = text[size:]
	}
	t.rest = append([]byte(nil), text...)
	if err := t.write(safe); err != nil {
		return 0, err
	}
	return len(p), nil
}

// write writes a text that is safe already.
func (t *terminal) write(safe []byte) error {
	if t.failed == nil {
		_, t.failed = t.out.Write(safe)
	}
	return t.failed
}

// plain returns how many bytes at the start of a text are characters of ASCII that no
// terminal takes for a command.
func plain(text []byte) (n int) {
	for n < len(text) && (text[n] >= ' ' && text[n] <= '~' || text[n] == '\n' || text[n] == '\t') {
		n++
	}
	return n
}

// commands reports whether a terminal may take the character for a command, or a
// person for what it is not.
func commands(r rune) bool {
	return r != '\n' && r != '\t' && printable.Hidden(r)
}

// colours are the terminal's own of the styles: they fit its background.
var colours = map[logview.Style]string{
	logview.Faint: "\x1b[2m", logview.Strong: "\x1b[1m", logview.Good: "\x1b[32m", logview.Bad: "\x1b[31m", logview.Attention: "\x1b[36m",
}

const plainColour = "\x1b[0m"

// painter writes lines, in colours where a person sees them.
type painter struct {
	out      *terminal
	terminal bool
	coloured bool
	width    int // 0: not a terminal, or one that does not tell
}

// painter of the standard output. NO_COLOR is the word of https://no-color.org.
func (a *app) painter() painter {
	out, ok := a.stdout.(*terminal)
	if !ok {
		out = &terminal{out: a.stdout}
	}
	p := painter{out: out}
	if file, ok := out.out.(*os.File); ok {
		p.terminal, p.width = console(file)
		p.coloured = p.terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	}
	return p
}

// lines writes lines; only what stands between the colours is a stranger's text.
func (p painter) lines(lines []logview.Line) error {
	var text bytes.Buffer
	safe := &terminal{out: &text}
	for _, line := range lines {
		for _, span := range line {
			code := colours[span.Style]
			if !p.coloured || code == "" {
				io.WriteString(safe, span.Text)
				continue
			}
			text.WriteString(code)
			io.WriteString(safe, span.Text)
			text.WriteString(plainColour)
		}
		text.WriteByte('\n')
	}
	return p.out.write(text.Bytes())
}
