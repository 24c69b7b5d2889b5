package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/xeipuuv/gojsonschema"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// maxViolations is the maximum number of reported violations: a long array can break
// one rule thousands of times.
const maxViolations = 100

// Violation is a constraint of the schema that a document does not meet.
type Violation struct {
	Path    string `json:"path"`    // JSON pointer into the document; "" is the root
	Keyword string `json:"keyword"` // the keyword that is not met, such as required
	Message string `json:"message"` // for a person, without the value itself
}

// Validate checks a document and returns its violations in the order of their
// paths, at most 100 of them; nil means valid. A document that cannot be
// checked is not valid: text that is not JSON, a number beyond a float64's range, a
// document on which a recursive schema or regular expressions would take too long.
//
// Integers are compared exactly, however large. A number is an integer by its
// value: 1.0 is one.
func (s *Schema) Validate(doc json.RawMessage) []Violation {
	value, err := jsonnode.Decode(doc)
	if err != nil {
		return []Violation{{Keyword: "json", Message: "the document is not one JSON value"}}
	}
	if at, found := unsupportedNumber(value); found {
		return []Violation{{Path: short(at, maxPointer), Keyword: "type", Message: "the number is out of range"}}
	}
	if keyword := s.exceeds(value); keyword != "" {
		return []Violation{{Keyword: keyword, Message: "the document needs too many steps to be checked"}}
	}
	result, err := s.run(value)
	if err != nil {
		return []Violation{{Keyword: "json", Message: err.Error()}}
	}
	return violations(result)
}

// run recovers for the same reason as compile: if the validator panics, the document
// must not pass and the host must not crash.
func (s *Schema) run(value any) (result *gojsonschema.Result, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			result, err = nil, fmt.Errorf("the document could not be checked: %v", reason)
		}
	}()
	return s.compiled.Validate(gojsonschema.NewRawLoader(value))
}

func violations(result *gojsonschema.Result) []Violation {
	var list []Violation
	for _, e := range result.Errors() {
		if e.Type() == "unique" && !sameElements(e) {
			continue
		}
		list = append(list, Violation{Path: path(e.Context()), Keyword: keywordOf(e), Message: message(e)})
	}
	// The validator walks maps, so its own order varies.
	slices.SortFunc(list, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Keyword, b.Keyword), cmp.Compare(a.Message, b.Message))
	})
	list = slices.Compact(list)
	return list[:min(len(list), maxViolations)]
}
