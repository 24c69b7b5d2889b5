package registry

import (
	"cmp"

	"github.com/actionsjson/actions-host/pkg/truncate"
)

// stackTrace is a stack as the browser reports it, with what led to it by way of timers and
// promises.
type stackTrace struct {
	Description string `json:"description"`
	CallFrames  []struct {
		FunctionName string `json:"functionName"`
		URL          string `json:"url"`
		LineNumber   int    `json:"lineNumber"`
		ColumnNumber int    `json:"columnNumber"`
	} `json:"callFrames"`
	Parent *stackTrace `json:"parent"`
}

// places lists the innermost places of the stack and then those of its parents.
func (s *stackTrace) places() (all []Place) {
	for parents := 0; s != nil && parents <= maxParents; s, parents = s.Parent, parents+1 {
		for i, f := range s.CallFrames[:min(len(s.CallFrames), maxStack)] {
			p := Place{
				Function: truncate.Characters(f.FunctionName, maxName), URL: truncate.Characters(f.URL, maxURL), Line: f.LineNumber + 1, Column: f.ColumnNumber + 1,
			}
			if i == 0 && parents > 0 {
				p.Async = cmp.Or(truncate.Characters(s.Description, maxName), "async")
			}
			all = append(all, p)
		}
	}
	return all
}
