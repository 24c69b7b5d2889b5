package expr

import (
	"github.com/recolabs/gnata"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// overrides are our versions of standard functions: forbidden, bounded, or
// corrected where the engine differs from jsonata-js.
var overrides = map[string]function{
	"eval": forbidden("eval"), "random": forbidden("random"), "now": forbidden("now"),
	"millis": forbidden("millis"), "shuffle": forbidden("shuffle"),

	"string": stringify, "contains": contains, "match": match, "split": split, "replace": replace,
	"trim": trim, "join": join, "append": appendTo, "filter": filter, "distinct": distinct,

	"base64encode": base64Encode, "base64decode": base64Decode,
	"encodeUrl": boundedGrowth(3), "encodeUrlComponent": boundedGrowth(3), "substring": boundedGrowth(4), "pad": boundedGrowth(4),
	"formatNumber": boundedText, "formatInteger": formatInteger, "parseInteger": boundedText,
	"fromMillis": fromMillis, "toMillis": boundedText,

	// The arguments of these are bounded, so they end; the size of their results is
	// checked, because they can put one value into many places.
	"map": checkedResult, "each": checkedResult, "sift": checkedResult, "zip": zip,
	"spread": boundedMembers(400), "merge": boundedMembers(32), "keys": boundedMembers(16), "lookup": checkedResult,
}

// nonStandard are functions that the engine adds to the language.
var nonStandard = []string{"flatten", "values"}

// forbidden returns a function that always fails: a map must not depend on the
// result of the standard one, or it could run a string as an expression.
func forbidden(name string) function {
	return func(call) (any, error) {
		return nil, fault.New(fault.DisallowedExpressionFunction, "$%s cannot be used in an expression", name)
	}
}

// checkedResult runs the engine's function and checks the size of its result.
func checkedResult(c call) (any, error) {
	result, err := c.original(c.args)
	if err != nil {
		return nil, err
	}
	return result, c.checkSize(result)
}

// appendTo is $append(array, array).
func appendTo(c call) (any, error) {
	if err := c.reserveItems(length(c.arg(0)) + length(c.arg(1))); err != nil {
		return nil, err
	}
	return checkedResult(c)
}

// zip is $zip(array, …): as long as the shortest, as wide as there are arrays.
func zip(c call) (any, error) {
	shortest := c.maxNodes
	for _, arg := range c.args {
		shortest = min(shortest, length(arg))
	}
	if err := c.reserveItems(shortest * len(c.args)); err != nil {
		return nil, err
	}
	return checkedResult(c)
}

// length returns the number of elements that a value has as an array.
func length(v any) int {
	if list, ok := v.([]any); ok {
		return len(list)
	}
	return 1
}

// boundedMembers limits a function that touches all members of all objects of an
// array and allocates about so many bytes for each.
func boundedMembers(bytes int) function {
	return func(c call) (any, error) {
		subject := c.subject()
		list, ok := subject.([]any)
		if !ok {
			list = []any{subject}
		}
		count := 0
		for _, element := range list {
			if o, ok := element.(object); ok {
				count += o.Len()
			}
		}
		if count*bytes > c.maxMemory {
			return nil, tooLarge("%d members of objects are more than the function may handle at once", count)
		}
		if err := c.reserve(count * bytes); err != nil {
			return nil, err
		}
		return checkedResult(c)
	}
}

// filter is $filter(array, function). The engine returns an array of one
// where the language returns the element.
func filter(c call) (any, error) {
	result, err := c.original(c.args)
	if list, ok := result.([]any); ok && len(list) == 1 {
		return list[0], err
	}
	return result, err
}

// distinct is $distinct(array). The engine compares every object with every
// other one without checking the deadline.
func distinct(c call) (any, error) {
	list, ok := c.arg(0).([]any)
	if !ok || len(list) <= 1 {
		return c.original(c.args)
	}
	result := []any{}
	scalars := map[any]bool{}
	var others []any
	for _, element := range list {
		switch element.(type) {
		case string, float64, bool:
			if scalars[element] {
				continue
			}
			scalars[element] = true
		default:
			known, err := c.contains(others, element)
			if err != nil {
				return nil, err
			}
			if known {
				continue
			}
			others = append(others, element)
		}
		result = append(result, element)
	}
	if len(result) == 1 {
		return result[0], nil
	}
	return result, nil
}

func (c call) contains(list []any, v any) (bool, error) {
	for _, element := range list {
		if err := c.Err(); err != nil {
			return false, err
		}
		if gnata.DeepEqual(element, v) {
			return true, nil
		}
	}
	return false, nil
}
