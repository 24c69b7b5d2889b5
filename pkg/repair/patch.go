package repair

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// Change is a value that a patch writes.
type Change struct {
	Pointer string          // of the value in the map
	Value   json.RawMessage // the new one
}

// span is where a value stands.
type span struct{ start, end int }

// Patch returns the text with the values in place of those at the pointers. All else stays as it
// is, byte for byte; the new values are laid out as the old ones were.
func Patch(text []byte, changes []Change) ([]byte, error) {
	spans := map[string]span{}
	for _, c := range changes {
		spans[c.Pointer] = span{}
	}
	if err := find(text, spans); err != nil {
		return nil, fault.Wrap(err, fault.InvalidMap, "the map cannot be read: %v", err)
	}
	ordered := slices.Clone(changes)
	slices.SortFunc(ordered, func(a, b Change) int { return spans[b.Pointer].start - spans[a.Pointer].start })
	out, before := slices.Clone(text), len(text)
	for _, c := range ordered {
		at := spans[c.Pointer]
		if at.end == 0 || at.end > before {
			return nil, fault.New(fault.InvalidMap, "the map has no value of its own at %s", c.Pointer)
		}
		value, err := laidOut(text[at.start:at.end], c.Value)
		if err != nil {
			return nil, fault.Wrap(err, fault.InvalidMap, "the new value at %s is not valid: %v", c.Pointer, err)
		}
		out, before = slices.Replace(out, at.start, at.end, value...), at.start
	}
	return out, nil
}

// find sets where the values at the pointers stand.
func find(text []byte, spans map[string]span) error {
	in := jsontext.NewDecoder(bytes.NewReader(text))
	return findIn(in, text, spans)
}

func findIn(in *jsontext.Decoder, text []byte, spans map[string]span) error {
	start := int(in.InputOffset())
	kind := in.PeekKind()
	if _, err := in.ReadToken(); err != nil {
		return err
	}
	var err error
	pointer := string(in.StackPointer())
	start += len(text[start:]) - len(bytes.TrimLeft(text[start:], " \t\r\n,:"))
	switch kind {
	case jsontext.KindBeginObject:
		for in.PeekKind() != jsontext.KindEndObject {
			if _, err := in.ReadToken(); err != nil {
				return err
			}
			if err := findIn(in, text, spans); err != nil {
				return err
			}
		}
		_, err = in.ReadToken()
	case jsontext.KindBeginArray:
		for in.PeekKind() != jsontext.KindEndArray {
			if err := findIn(in, text, spans); err != nil {
				return err
			}
		}
		_, err = in.ReadToken()
	}
	if _, wanted := spans[pointer]; wanted && err == nil {
		spans[pointer] = span{start, int(in.InputOffset())}
	}
	return err
}

// laidOut returns a value in the layout of the one that it replaces.
func laidOut(old []byte, value json.RawMessage) ([]byte, error) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, value); err != nil {
		return nil, err
	}
	if newline := bytes.IndexByte(old, '\n'); newline >= 0 {
		margin := leading(old[bytes.LastIndexByte(old, '\n')+1:]) // of its closing bracket
		step := strings.TrimPrefix(leading(old[newline+1:]), margin)
		if step == "" {
			step = "  "
		}
		var out bytes.Buffer
		err := json.Indent(&out, compact.Bytes(), margin, step)
		if bytes.Contains(old, []byte("\r\n")) {
			return bytes.ReplaceAll(out.Bytes(), []byte("\n"), []byte("\r\n")), err
		}
		return out.Bytes(), err
	}
	if !bytes.Contains(old, []byte(`": `)) {
		return compact.Bytes(), nil
	}
	return spaced(compact.Bytes(), bytes.HasPrefix(old, []byte("{ "))), nil
}

// leading returns the white space at the start of a line.
func leading(line []byte) string {
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// spaced writes compact JSON on one line with a space after each colon and comma, and, where
// the map does so, inside its brackets.
func spaced(compact []byte, inside bool) []byte {
	var out []byte
	quoted := false
	for i, c := range compact {
		if c == '"' && !escaped(compact, i) {
			quoted = !quoted
		}
		closing := !quoted && c == '}' && compact[i-1] != '{'
		if inside && closing {
			out = append(out, ' ')
		}
		out = append(out, c)
		switch {
		case quoted:
		case c == ':' || c == ',':
			out = append(out, ' ')
		case inside && c == '{' && compact[i+1] != '}':
			out = append(out, ' ')
		}
	}
	return out
}

// escaped reports whether an odd number of backslashes stands before a place.
func escaped(text []byte, at int) bool {
	n := 0
	for n < at && text[at-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// Diff returns the changes for a person, with the lines of the file where they stand.
func Diff(text []byte, changes []Change) string {
	var pointers []string
	for _, c := range changes {
		pointers = append(pointers, c.Pointer)
	}
	at, root := jsonnode.Positions(text, pointers), jsonnode.Node{Raw: text}
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "@@ line %d, %s\n- %s\n+ %s\n", at[c.Pointer].Line, c.Pointer, oneLine(root.Find(c.Pointer).Raw), oneLine(c.Value))
	}
	return b.String()
}

func oneLine(value json.RawMessage) string {
	var compact bytes.Buffer
	if json.Compact(&compact, value) != nil {
		return string(value)
	}
	return string(spaced(compact.Bytes(), false))
}
