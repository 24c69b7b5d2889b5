package dispatch

import (
	"encoding/json"
	"sync"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/printable"
)

// defaultBudget is how many characters an output may have where its record
// names no other number.
const defaultBudget = 8000

// maxStoredOutputs is how many oversized outputs can still be paged through, maxStoredBytes how
// large all of them together may be; the last one is kept in any case.
const (
	maxStoredOutputs = 16
	maxStoredBytes   = 64 << 20
)

// pageFrame is how many characters a page has beside its text.
const pageFrame = 300

// outputPage is a page of an output that was over its budget. Its text is a piece of
// the output's JSON; all pieces in a row are the whole.
type outputPage struct {
	Truncated  bool      `json:"truncated"`
	TotalChars int       `json:"total_chars"`
	Offset     int       `json:"offset"`
	Text       string    `json:"text"`
	Next       *nextCall `json:"next,omitzero"` // absent on the last page
}

// nextCall holds the literal call that returns the next page.
type nextCall struct {
	Name      string        `json:"name"`
	Arguments nextArguments `json:"arguments"`
}

type nextArguments struct {
	OutputOf     string `json:"output_of"`
	OutputOffset int    `json:"output_offset"`
}

// overflow keeps the last outputs that were too large to return whole, so that
// reading on does not run the call again.
type overflow struct {
	mu    sync.Mutex
	order []string
	texts map[string]storedOutput
	bytes int // of all texts
}

type storedOutput struct {
	session    string
	name       string // of the primitive, which decides whose words the text has
	text       string
	characters int
	budget     int
}

// fit returns the output if it is within the budget, else its first page.
func (o *overflow) fit(session, callID, name string, output json.RawMessage, budget int) json.RawMessage {
	if len(output)*printable.MaxPerByte <= budget || printable.Length(output) <= budget {
		return output
	}
	o.mu.Lock()
	if o.texts == nil {
		o.texts = map[string]storedOutput{}
	}
	o.bytes += len(output)
	for len(o.order) == maxStoredOutputs || len(o.order) > 0 && o.bytes > maxStoredBytes {
		o.bytes -= len(o.texts[o.order[0]].text)
		delete(o.texts, o.order[0])
		o.order = o.order[1:]
	}
	o.order = append(o.order, callID)
	o.texts[callID] = storedOutput{session, name, string(output), utf8.RuneCount(output), budget}
	o.mu.Unlock()
	page, err := o.page(session, name, nextArguments{OutputOf: callID})
	if err != nil {
		return output // not reachable: it was put in just now
	}
	return page
}

// budget returns how many characters the output of a call may have.
func budget(r *primitive.Record, c Call) int {
	own := r.MaxOutputChars
	if own <= 0 {
		own = defaultBudget
	}
	if c.MaxOutputChars > 0 {
		own = min(own, c.MaxOutputChars)
	}
	return own
}

// fitting returns the characters at the beginning, one at least, that have room in a JSON string as
// a model is shown it, and their number.
func fitting(text string, room int) (piece string, characters int) {
	for i, r := range text {
		if room -= printable.Width(r); r == '"' || r == '\\' {
			room-- // escaped in the string
		}
		if room < 0 && characters > 0 {
			return text[:i], characters
		}
		characters++
	}
	return text, characters
}

// from returns the text from its character at the offset on.
func from(text string, offset int) string {
	for i := range text {
		if offset == 0 {
			return text[i:]
		}
		offset--
	}
	return ""
}

// page returns a later page of an output that the same session received from a call of that name.
func (o *overflow) page(session, name string, at nextArguments) (json.RawMessage, error) {
	o.mu.Lock()
	text, ok := o.texts[at.OutputOf]
	o.mu.Unlock()
	if !ok || text.session != session || text.name != name || at.OutputOffset < 0 || at.OutputOffset >= text.characters {
		return nil, fault.New(fault.InvalidInput, "no output of call %q of %s is kept at offset %d", at.OutputOf, name, at.OutputOffset).
			WithNextStep("Only the last few long outputs are kept. Call again without output_of what only reads; where the call did something, read the page instead of repeating it.")
	}
	piece, characters := fitting(from(text.text, at.OutputOffset), max(text.budget-pageFrame, text.budget/2))
	end := at.OutputOffset + characters
	p := outputPage{Truncated: true, TotalChars: text.characters, Offset: at.OutputOffset, Text: piece}
	if end < text.characters {
		p.Next = &nextCall{name, nextArguments{at.OutputOf, end}}
	}
	return primitive.Output(p)
}
