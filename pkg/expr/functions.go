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
	"encodeUrl": growing(3), "encodeUrlComponent": growing(3), "substring": growing(4), "pad": growing(4),
	"formatNumber": shortTexts, "formatInteger": shortTexts, "parseInteger": shortTexts,
	"fromMillis": shortTexts, "toMillis": shortTexts,

	// What these take is bounded, so they end; what they give is weighed,
	// because they can put one value into many places.
	"map": weighResult, "each": weighResult, "sift": weighResult, "zip": zip,
	"spread": members(400), "merge": members(32), "keys": members(16), "lookup": weighResult,
}

// notInLanguage are functions that the engine adds to the language.
var notInLanguage = []string{"flatten", "values"}

// forbidden is a function whose result a map must not depend on, or that could
// run a text as an expression.
func forbidden(name string) function {
	return func(call) (any, error) {
		return nil, fault.New(fault.DisallowedExpressionFunction, "$%s cannot be used in an expression", name)
	}
}

// weighResult runs the engine's function.
func weighResult(c call) (any, error) {
	result, err := c.original(c.args)
	if err != nil {
		return nil, err
	}
	return result, c.weigh(result)
}

// appendTo is $append(array, array).
func appendTo(c call) (any, error) {
	if err := c.reserveItems(length(c.arg(0)) + length(c.arg(1))); err != nil {
		return nil, err
	}
	return weighResult(c)
}

// zip is $zip(array, …): as long as the shortest, as wide as there are arrays.
func zip(c call) (any, error) {
	shortest := maxNodes
	for _, arg := range c.args {
		shortest = min(shortest, length(arg))
	}
	if err := c.reserveItems(shortest * len(c.args)); err != nil {
		return nil, err
	}
	return weighResult(c)
}

// length is how many elements a value has as an array.
func length(v any) int {
	if list, ok := v.([]any); ok {
		return len(list)
	}
	return 1
}

// members bounds a function that touches all members of all objects of an
// array; it allocates about so many bytes for each.
func members(bytes int) function {
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
		if count*bytes > maxMemory {
			return nil, tooLarge("%d members of objects are more than the function may handle at once", count)
		}
		if err := c.reserve(count * bytes); err != nil {
			return nil, err
		}
		return weighResult(c)
	}
}

// filter is $filter(array, function). The engine gives an array of one where
// the language gives the element.
func filter(c call) (any, error) {
	result, err := c.original(c.args)
	if list, ok := result.([]any); ok && len(list) == 1 {
		return list[0], err
	}
	return result, err
}

// distinct is $distinct(array). The engine compares every object with every
// other one without looking at the clock.
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
