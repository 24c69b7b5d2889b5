package schema

import (
	"encoding/json"
	"maps"
	"math"
	"math/big"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/xeipuuv/gojsonschema"
)

// Limits on one number. Within them a float64 can hold its magnitude, and exact
// arithmetic is cheap; the validator fails on numbers far beyond.
const (
	maxNumberLength = 400 // characters as written
	maxExponent     = 400
	maxExactInteger = 1<<53 - 1 // the largest integer that is exact as a float64
)

// maxPatterns is the maximum number of instructions of all regular expressions of a schema.
const maxPatterns = 50_000

// runesPerStep is how many runes of a class take as much memory and time as one instruction.
const runesPerStep = 10

// checkValue checks a keyword whose value holds no schemas.
func (c *checked) checkValue(pointer, name string, want shape, value any) error {
	switch want {
	case number, positive, count, bound:
		return c.checkNumber(pointer, name, want, value)
	case boolean:
		if _, ok := value.(bool); !ok {
			return invalid(pointer, "%s must be true or false", name)
		}
	case format, regularExpression:
		if _, ok := value.(string); !ok {
			return invalid(pointer, "%s must be a string", name)
		}
	case names:
		list, ok := value.([]any)
		if !ok {
			return invalid(pointer, "%s must be an array of names", name)
		}
		return checkNames(pointer, list)
	case typeNames:
		return checkTypes(pointer, value)
	case values:
		list, ok := value.([]any)
		if !ok || len(list) == 0 {
			return invalid(pointer, "%s must be an array with at least one value", name)
		}
		return checkComparable(pointer, list)
	case anyValue:
		return checkComparable(pointer, value)
	}
	return nil
}

func (c *checked) checkNumber(pointer, name string, want shape, value any) error {
	if _, isBool := value.(bool); isBool && want == bound && c.boolBounds() {
		return nil
	}
	literal, ok := value.(json.Number)
	if !ok || want == bound && !c.numberBounds() {
		return invalid(pointer, "%s does not have the type that its draft wants", name)
	}
	if !inRange(literal) {
		return invalid(pointer, "the number of %s is out of range", name)
	}
	exact, _ := new(big.Rat).SetString(string(literal))
	switch {
	case want == positive && exact.Sign() <= 0:
		return invalid(pointer, "%s must be greater than zero", name)
	case want == count:
		// The validator reads counts by their digits, so 1e3 is invalid.
		if n, err := strconv.Atoi(string(literal)); err != nil || n < 0 {
			return invalid(pointer, "%s must be an integer from zero, written in digits", name)
		}
	}
	return nil
}

// checkPattern returns a regular expression parsed. It rejects one that RE2 cannot run, and one with
// which all of the schema would compile to more than maxPatterns.
func (c *checked) checkPattern(pointer, pattern string) (*syntax.Regexp, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, invalid(pointer, "the pattern is not one of RE2's, which has no look-around and no back-references: %v", err)
	}
	c.patterns += ProgramSize(tree) + classSize(tree)
	if c.patterns > maxPatterns {
		return nil, invalid(pointer, "the patterns of the schema are too large: about %d steps up to this one, the limit is %d", c.patterns, maxPatterns)
	}
	return tree, nil
}

// ProgramSize returns an estimate of the instructions that a regular expression compiles to.
func ProgramSize(t *syntax.Regexp) int { return size(t, math.MaxInt) }

// size returns the number of instructions, counting every runesPerStep runes of a character class as one more.
func size(t *syntax.Regexp, runesPerStep int) int {
	n := 1
	switch t.Op {
	case syntax.OpLiteral:
		n = len(t.Rune)
	case syntax.OpCharClass:
		n += len(t.Rune) / runesPerStep
	}
	for _, sub := range t.Sub {
		n += size(sub, runesPerStep)
	}
	if t.Op == syntax.OpRepeat {
		n *= max(t.Min, t.Max, 1)
	}
	return min(n, 1<<30)
}

// classSize returns how many instructions take as much memory as the classes of a regular
// expression: a short name may stand for a thousand ranges. Repetitions share them.
func classSize(t *syntax.Regexp) (size int) {
	if t.Op == syntax.OpCharClass {
		size = len(t.Rune) / runesPerStep
	}
	for _, sub := range t.Sub {
		size += classSize(sub)
	}
	return size
}

func checkNames(pointer string, list []any) error {
	seen := make(map[string]bool, len(list))
	for i, element := range list {
		name, ok := element.(string)
		if !ok || seen[name] {
			return invalid(below(pointer, strconv.Itoa(i)), "this must be a name that stands here once")
		}
		seen[name] = true
	}
	return nil
}

func checkTypes(pointer string, value any) error {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	if err := checkNames(pointer, list); err != nil || len(list) == 0 {
		return invalid(pointer, "type must be a type's name or an array of different ones")
	}
	for _, name := range list {
		if !typeNameSet[name.(string)] {
			return invalid(pointer, "%q is not a type", name)
		}
	}
	return nil
}

// checkComparable rejects values that the validator cannot compare exactly: it
// compares numbers in enum and const as float64.
func checkComparable(pointer string, value any) error {
	switch value := value.(type) {
	case json.Number:
		exact, ok := exactNumber(value)
		if !ok || exact.IsInt() && exact.Num().CmpAbs(big.NewInt(maxExactInteger)) > 0 {
			return invalid(pointer, "the integer is too large to be compared exactly; use minimum and maximum, or a string")
		}
	case []any:
		for i, element := range value {
			if err := checkComparable(below(pointer, strconv.Itoa(i)), element); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if err := checkComparable(below(pointer, key), value[key]); err != nil {
				return err
			}
		}
	}
	return nil
}

func exactNumber(literal json.Number) (*big.Rat, bool) {
	if !inRange(literal) {
		return nil, false
	}
	return new(big.Rat).SetString(string(literal))
}

// inRange reports whether a number is within the limits of this package.
func inRange(literal json.Number) bool {
	if len(literal) > maxNumberLength {
		return false
	}
	if i := strings.IndexAny(string(literal), "eE"); i >= 0 {
		exponent, err := strconv.Atoi(string(literal[i+1:]))
		if err != nil || exponent < -maxExponent || exponent > maxExponent {
			return false
		}
	}
	_, err := literal.Float64() // an error means infinity
	return err == nil
}

// unsupportedNumber returns the pointer of a number in the document that is out
// of range. The pointer is built while returning: nearly all documents have none.
func unsupportedNumber(value any) (pointer string, found bool) {
	switch value := value.(type) {
	case json.Number:
		return "", !inRange(value)
	case []any:
		for i, element := range value {
			if inner, found := unsupportedNumber(element); found {
				return below("", strconv.Itoa(i)) + inner, true
			}
		}
	case map[string]any:
		for key, member := range value {
			if inner, found := unsupportedNumber(member); found {
				return below("", key) + inner, true
			}
		}
	}
	return "", false
}

func (c *checked) boolBounds() bool {
	return c.draft == gojsonschema.Draft4 || c.draft == gojsonschema.Hybrid
}

func (c *checked) numberBounds() bool { return c.draft != gojsonschema.Draft4 }
