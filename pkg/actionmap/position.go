package actionmap

import "github.com/actionsjson/actions-host/pkg/jsonnode"

// Locate sets line and column of each finding from its pointer into the checked
// text. A pointer to a missing node gets the position of its nearest existing
// ancestor. Findings that already have a line keep it.
func Locate(text []byte, findings []Finding) {
	if len(findings) == 0 {
		return
	}
	var pointers []string
	for _, f := range findings {
		if f.Line == 0 {
			pointers = append(pointers, f.Pointer)
		}
	}
	positions := jsonnode.Positions(text, pointers)
	for i := range findings {
		if f := &findings[i]; f.Line == 0 {
			at := positions[f.Pointer]
			f.Line, f.Column = at.Line, at.Column
		}
	}
}
