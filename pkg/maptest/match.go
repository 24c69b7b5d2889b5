package maptest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// The operators of an expectation. An object whose members begin with $ has only these, and
// all of them must hold.
const (
	opPattern  = "$pattern"   // a text that the regular expression (RE2) finds something in
	opNot      = "$not"       // what does not fit this expectation
	opMinCount = "$min_count" // a list of at least so many elements
	opSome     = "$some"      // a list with an element that fits this expectation
	opEmpty    = "$empty"     // nothing, or with false, something
)

var operators = []string{opEmpty, opMinCount, opNot, opPattern, opSome}

const (
	maxDifferences = 10  // of one value: a long list may differ in each element
	maxShown       = 160 // characters of a value that is quoted
)

// expectation is what a value has to be. Its zero value expects nothing in particular.
type expectation struct {
	given    bool
	value    any
	patterns map[string]*regexp.Regexp
}

// readExpectation reads an expectation; report gets what is wrong with it and where.
func readExpectation(raw json.RawMessage, pointer string, report func(pointer, message string)) expectation {
	if len(raw) == 0 {
		return expectation{}
	}
	value, err := jsonnode.Decode(raw)
	if err != nil {
		report(pointer, err.Error()) // not reachable: it was read before
	}
	e := expectation{given: true, value: value, patterns: map[string]*regexp.Regexp{}}
	e.check(value, pointer, report)
	return e
}

// check reports misused operators and compiles the patterns.
func (e *expectation) check(value any, at string, report func(pointer, message string)) {
	switch v := value.(type) {
	case []any:
		for i, one := range v {
			e.check(one, at+"/"+strconv.Itoa(i), report)
		}
	case map[string]any:
		op := isOperator(v)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below := at + "/" + jsonnode.Escape(name)
			switch {
			case op:
				e.checkOperator(name, v[name], below, report)
			case strings.HasPrefix(name, "$"):
				report(below, "an operator stands among operators only, not beside members of the value")
			default:
				e.check(v[name], below, report)
			}
		}
	}
}

func (e *expectation) checkOperator(name string, value any, at string, report func(pointer, message string)) {
	switch name {
	case opPattern:
		text, ok := value.(string)
		pattern, err := regexp.Compile(text)
		switch {
		case !ok:
			report(at, opPattern+" takes a regular expression, a text")
		case err != nil:
			report(at, "the pattern cannot be read: "+err.Error())
		default:
			e.patterns[text] = pattern
		}
	case opMinCount:
		number, ok := value.(json.Number)
		if count, err := strconv.Atoi(number.String()); !ok || err != nil || count < 0 {
			report(at, opMinCount+" takes a whole number from 0")
		}
	case opEmpty:
		if _, ok := value.(bool); !ok {
			report(at, opEmpty+" takes true or false")
		}
	case opNot, opSome:
		e.check(value, at, report)
	default:
		report(at, fmt.Sprintf("there is no operator %s; there are %s", name, strings.Join(operators, ", ")))
	}
}

// isOperator reports whether an object is one of operators.
func isOperator(object map[string]any) bool {
	for name := range object {
		if !strings.HasPrefix(name, "$") {
			return false
		}
	}
	return len(object) > 0
}

// differences returns how a value differs from the expectation, each with its place; none if
// it fits. A value that says nothing fits only where the expectation says so.
func (e expectation) differences(got any, at string) []string {
	if e.given {
		if found := e.compare(e.value, got, at); len(found) > 0 {
			if len(found) > maxDifferences {
				found = append(found[:maxDifferences], fmt.Sprintf("%s: and %d more differences", at, len(found)-maxDifferences))
			}
			return found
		}
	}
	if empty(got) && !(e.given && names(e.value)) {
		return []string{at + ": is empty (" + show(got) + `); where that is right, expect {"$empty": true} or the value itself`}
	}
	return nil
}

// compare returns the differences of one value.
func (e expectation) compare(want, got any, at string) []string {
	switch w := want.(type) {
	case map[string]any:
		if isOperator(w) {
			return e.operate(w, got, at)
		}
		g, ok := got.(map[string]any)
		if !ok || len(w) == 0 && len(g) > 0 {
			return []string{differs(at, got, want)}
		}
		var found []string
		for _, name := range slices.Sorted(maps.Keys(w)) {
			below := at + "/" + jsonnode.Escape(name)
			if value, ok := g[name]; ok {
				found = append(found, e.compare(w[name], value, below)...)
			} else if !absentFits(w[name]) {
				found = append(found, below+": is missing")
			}
		}
		return found
	case []any:
		g, ok := got.([]any)
		if !ok {
			return []string{differs(at, got, want)}
		}
		var found []string
		for i := range min(len(w), len(g)) {
			found = append(found, e.compare(w[i], g[i], at+"/"+strconv.Itoa(i))...)
		}
		if len(w) != len(g) {
			found = append(found, fmt.Sprintf("%s: has %d elements, not %d", at, len(g), len(w)))
		}
		return found
	}
	if !equal(want, got) {
		return []string{differs(at, got, want)}
	}
	return nil
}

// absentFits reports whether an expectation of a member is met by its absence.
func absentFits(want any) bool {
	w, ok := want.(map[string]any)
	if !ok || !isOperator(w) {
		return false
	}
	for name, value := range w {
		fits := name == opEmpty && value == true || name == opNot && !absentFits(value)
		if !fits {
			return false
		}
	}
	return true
}

// operate returns the differences from operators.
func (e expectation) operate(ops map[string]any, got any, at string) (found []string) {
	for _, name := range slices.Sorted(maps.Keys(ops)) {
		switch value := ops[name]; name {
		case opEmpty:
			if is := empty(got); is != (value == true) {
				found = append(found, at+": "+map[bool]string{true: "is empty", false: "is " + show(got) + ", not empty"}[is])
			}
		case opMinCount:
			least, _ := strconv.Atoi(value.(json.Number).String())
			list, ok := got.([]any)
			if !ok {
				found = append(found, fmt.Sprintf("%s: is %s, not a list of at least %d", at, show(got), least))
			} else if len(list) < least {
				found = append(found, fmt.Sprintf("%s: has %d elements, not at least %d", at, len(list), least))
			}
		case opNot:
			if len(e.compare(value, got, at)) == 0 {
				found = append(found, at+": is "+show(got)+", which it must not be")
			}
		case opPattern:
			if text, ok := got.(string); !ok || !e.patterns[value.(string)].MatchString(text) {
				found = append(found, at+": is "+show(got)+", which does not match "+value.(string))
			}
		case opSome:
			list, ok := got.([]any)
			if !ok || !slices.ContainsFunc(list, func(one any) bool { return len(e.compare(value, one, at)) == 0 }) {
				found = append(found, at+": no element of "+show(got)+" fits "+show(value))
			}
		}
	}
	return found
}

func differs(at string, got, want any) string {
	return at + ": is " + show(got) + ", not " + show(want)
}

// show quotes a value for a person.
func show(value any) string {
	text, err := jsonnode.Encode(value)
	if err != nil {
		return "?" // not reachable: it was decoded from JSON
	}
	return truncate.Characters(string(text), maxShown)
}

// equal compares plain values; numbers by what they are, not how they are written.
func equal(want, got any) bool {
	w, number := want.(json.Number)
	g, other := got.(json.Number)
	if !number || !other {
		return want == got
	}
	if w == g {
		return true
	}
	a, errA := strconv.ParseFloat(w.String(), 64)
	b, errB := strconv.ParseFloat(g.String(), 64)
	if errA != nil || errB != nil || a != b {
		return false
	}
	if a == 0 { // also what is too small for a float, whose exact form would be endless
		return isZero(w) && isZero(g)
	}
	// Floats are equal from 2^53 on though the numbers are not. Their exponents are small
	// by now, so that the exact form is.
	exactA, okA := new(big.Rat).SetString(w.String())
	exactB, okB := new(big.Rat).SetString(g.String())
	return okA && okB && exactA.Cmp(exactB) == 0
}

// isZero reports whether a number is zero, however it is written.
func isZero(number json.Number) bool {
	mantissa, _, _ := strings.Cut(strings.ToLower(number.String()), "e")
	return !strings.ContainsAny(mantissa, "123456789")
}

// empty reports whether a value says nothing: null, an empty text, list or object, or a list
// or object of nothing else. Within one, 0 and false say nothing either.
func empty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == ""
	case []any:
		return !slices.ContainsFunc(v, func(one any) bool { return !emptyWithin(one) })
	case map[string]any:
		for _, one := range v {
			if !emptyWithin(one) {
				return false
			}
		}
		return true
	}
	return false
}

func emptyWithin(value any) bool {
	if number, ok := value.(json.Number); ok {
		return isZero(number)
	}
	return value == false || empty(value)
}

// names reports whether an expectation has what is expected, by a value or by $empty, so
// that a value that fits is meant to be as empty as it is.
func names(want any) bool {
	switch w := want.(type) {
	case []any:
		return len(w) == 0 || slices.ContainsFunc(w, names)
	case map[string]any:
		if !isOperator(w) {
			return len(w) == 0 || slices.ContainsFunc(slices.Collect(maps.Values(w)), names)
		}
		return w[opEmpty] == true || w[opSome] != nil && names(w[opSome])
	}
	return true
}
