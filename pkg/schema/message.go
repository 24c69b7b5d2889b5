package schema

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/xeipuuv/gojsonschema"
)

// pathSeparator is a character that no member name from outside contains.
const pathSeparator = "\x00"

// path returns the validator's context, "(root)" and the tokens below it, as a JSON
// pointer.
func path(context *gojsonschema.JsonContext) string {
	var pointer string
	for _, token := range strings.Split(context.String(pathSeparator), pathSeparator)[1:] {
		pointer = below(pointer, token)
	}
	return short(pointer, maxPointer)
}

// template is a violation's keyword and its message; verbs in the message take the
// named details in order.
type template struct {
	keyword string
	message string
	details []string
}

// templates maps the validator's error types.
var templates = map[string]template{
	"additional_property_not_allowed": {"additionalProperties", "the member %q is not allowed", []string{"property"}},
	"array_max_items":                 {"maxItems", "must have at most %v elements", []string{"max"}},
	"array_max_properties":            {"maxProperties", "must have at most %v members", []string{"max"}},
	"array_min_items":                 {"minItems", "must have at least %v elements", []string{"min"}},
	"array_min_properties":            {"minProperties", "must have at least %v members", []string{"min"}},
	"array_no_additional_items":       {"additionalItems", "has more elements than are allowed", nil},
	"condition_else":                  {"else", "must match the schema under else", nil},
	"condition_then":                  {"then", "must match the schema under then", nil},
	"const":                           {"const", "must be %v", []string{"allowed"}},
	"contains":                        {"contains", "at least one element must match", nil},
	"enum":                            {"enum", "must be one of %v", []string{"allowed"}},
	"false":                           {"false", "is not allowed here", nil},
	"format":                          {"format", "must have the format %v", []string{"format"}},
	"invalid_property_name":           {"propertyNames", "the member name %q is not allowed", []string{"property"}},
	"invalid_type":                    {"type", "must be %v, not %v", []string{"expected", "given"}},
	"missing_dependency":              {"dependencies", "needs the member %q as well", []string{"dependency"}},
	"multiple_of":                     {"multipleOf", "must be a multiple of %v", []string{"multiple"}},
	"number_all_of":                   {"allOf", "must match all of the schemas", nil},
	"number_any_of":                   {"anyOf", "must match at least one of the schemas", nil},
	"number_gt":                       {"exclusiveMinimum", "must be greater than %v", []string{"min"}},
	"number_gte":                      {"minimum", "must be at least %v", []string{"min"}},
	"number_lt":                       {"exclusiveMaximum", "must be less than %v", []string{"max"}},
	"number_lte":                      {"maximum", "must be at most %v", []string{"max"}},
	"number_not":                      {"not", "must not match the schema under not", nil},
	"number_one_of":                   {"oneOf", "must match exactly one of the schemas", nil},
	"pattern":                         {"pattern", "must match the pattern %v", []string{"pattern"}},
	"required":                        {"required", "the member %q is missing", []string{"property"}},
	"string_gte":                      {"minLength", "must have at least %v characters", []string{"min"}},
	"string_lte":                      {"maxLength", "must have at most %v characters", []string{"max"}},
	"unique":                          {"uniqueItems", "the elements %v and %v are equal", []string{"i", "j"}},
}

func keywordOf(e gojsonschema.ResultError) string {
	if w, ok := templates[e.Type()]; ok {
		return w.keyword
	}
	return e.Type()
}

func message(e gojsonschema.ResultError) string {
	w, ok := templates[e.Type()]
	if !ok {
		return short(e.Description(), maxMessage)
	}
	var details []any
	for _, name := range w.details {
		details = append(details, e.Details()[name])
	}
	return short(fmt.Sprintf(w.message, details...), maxMessage)
}

// The longest message and JSON pointer, in bytes: an enum may list thousands of
// values, and a member's name may fill the document.
const (
	maxMessage = 300
	maxPointer = 1000
)

func short(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// sameElements reports whether the two elements that the validator calls equal
// really are. It compares as float64, which cannot tell adjacent integers apart
// beyond 2^53.
func sameElements(e gojsonschema.ResultError) bool {
	list, isList := e.Value().([]any)
	i, hasI := e.Details()["i"].(int)
	j, hasJ := e.Details()["j"].(int)
	if !isList || !hasI || !hasJ {
		return true
	}
	a, errA := json.Marshal(exactForm(list[i]))
	b, errB := json.Marshal(exactForm(list[j]))
	return errA != nil || errB != nil || string(a) == string(b)
}

// exactForm returns the value with numbers replaced by texts that are equal if and
// only if the numbers are.
func exactForm(value any) any {
	switch value := value.(type) {
	case json.Number:
		exact, ok := exactNumber(value)
		if !ok {
			return value
		}
		return []any{"number", exact.RatString()} // an array, so that it equals no string
	case []any:
		form := []any{"array"}
		for _, element := range value {
			form = append(form, exactForm(element))
		}
		return form
	case map[string]any:
		form := make(map[string]any, len(value))
		for key, member := range value {
			form[key] = exactForm(member)
		}
		return form
	default:
		return value
	}
}
