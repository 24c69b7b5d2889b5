package maptest

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// Append returns the text of a file of cases with further ones at its end; what stands in it
// stays as it is written. Without a text it begins one. The fault is invalid_input for a file
// with mistakes, and install_conflict for a case whose name is taken.
func Append(text []byte, cases ...Case) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{\n  \"version\": 1,\n  \"cases\": []\n}\n")
	} else if known, problems := Parse(text); len(problems) > 0 {
		return nil, fault.New(fault.InvalidInput, "the file of cases has mistakes, so nothing is added to it: line %d: %s", problems[0].Line, problems[0].Message)
	} else {
		for _, c := range cases {
			if slices.ContainsFunc(known.Cases, func(k Case) bool { return k.Name == c.Name }) {
				return nil, fault.New(fault.InstallConflict, "there is a case %q already, which was left alone", c.Name).WithNextStep("Give the new one another name with --name.")
			}
		}
	}
	at, first := endOfCases(text)
	if at < 0 {
		return nil, fault.New(fault.InvalidInput, "the file has no list of cases") // not reachable: it was parsed
	}
	var added bytes.Buffer
	for i, c := range cases {
		raw, err := jsonnode.Encode(c)
		if err != nil {
			return nil, fault.Wrap(err, fault.InternalError, "the case cannot be written: %v", err)
		}
		if i > 0 || !first {
			added.WriteByte(',')
		}
		added.WriteString("\n    ")
		if err := json.Indent(&added, raw, "    ", "  "); err != nil {
			return nil, fault.Wrap(err, fault.InternalError, "the case cannot be written: %v", err)
		}
	}
	before := bytes.TrimRight(text[:at], " \t\r\n")
	out := slices.Concat(before, added.Bytes(), []byte("\n  "), text[at:])
	if _, problems := Parse(out); len(problems) > 0 {
		return nil, fault.New(fault.InvalidInput, "the case does not fit the format: %s %s", problems[0].Pointer, problems[0].Message)
	}
	return out, nil
}

// endOfCases returns the offset of the bracket that ends the list of cases, and whether the
// list is empty.
func endOfCases(text []byte) (at int, empty bool) {
	in := jsontext.NewDecoder(bytes.NewBuffer(text))
	for empty = true; ; {
		token, err := in.ReadToken()
		switch {
		case err != nil:
			return -1, false
		case in.StackDepth() == 1 && in.StackPointer() == "/cases" && token.Kind() == jsontext.KindEndArray:
			return int(in.InputOffset()) - 1, empty
		case in.StackDepth() > 2:
			empty = false
		}
	}
}
