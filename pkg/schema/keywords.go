package schema

import (
	"regexp"
	"strings"

	"github.com/xeipuuv/gojsonschema"
)

// shape is the required form of a keyword's value.
type shape int

const (
	aSchema           shape = iota // one schema
	schemaOrBool                   // one schema, or a boolean in every draft
	schemaList                     // at least one schema
	schemaOrList                   // one schema, or one for each position
	schemaMap                      // schemas by name
	schemaByPattern                // schemas by regular expression
	dependencyMap                  // schemas or lists of names, by name
	number                         // any number
	positive                       // a number above zero
	bound                          // a number; a boolean in draft 4
	count                          // an integer from zero
	boolean                        // true or false
	format                         // a string
	regularExpression              // a string that compiles
	names                          // strings, each once
	typeNames                      // a type's name or several
	values                         // at least one value, each once
	anyValue                       // any value
)

type keyword struct {
	shape shape
	since gojsonschema.Draft // the draft that introduced it
	// inPlace is set if its schemas apply to the same value as the schema around them.
	inPlace bool
}

// keywords are all keywords that the validator acts on.
var keywords = map[string]keyword{
	"additionalItems":      {shape: schemaOrBool},
	"additionalProperties": {shape: schemaOrBool},
	"allOf":                {shape: schemaList, inPlace: true},
	"anyOf":                {shape: schemaList, inPlace: true},
	"const":                {shape: anyValue, since: gojsonschema.Draft6},
	"contains":             {shape: aSchema, since: gojsonschema.Draft6},
	"definitions":          {shape: schemaMap},
	"dependencies":         {shape: dependencyMap, inPlace: true},
	"else":                 {shape: aSchema, since: gojsonschema.Draft7, inPlace: true},
	"enum":                 {shape: values},
	"exclusiveMaximum":     {shape: bound},
	"exclusiveMinimum":     {shape: bound},
	"format":               {shape: format},
	"if":                   {shape: aSchema, since: gojsonschema.Draft7, inPlace: true},
	"items":                {shape: schemaOrList},
	"maxItems":             {shape: count},
	"maxLength":            {shape: count},
	"maxProperties":        {shape: count},
	"maximum":              {shape: number},
	"minItems":             {shape: count},
	"minLength":            {shape: count},
	"minProperties":        {shape: count},
	"minimum":              {shape: number},
	"multipleOf":           {shape: positive},
	"not":                  {shape: aSchema, inPlace: true},
	"oneOf":                {shape: schemaList, inPlace: true},
	"pattern":              {shape: regularExpression},
	"patternProperties":    {shape: schemaByPattern},
	"properties":           {shape: schemaMap},
	"propertyNames":        {shape: aSchema, since: gojsonschema.Draft6},
	"required":             {shape: names},
	"then":                 {shape: aSchema, since: gojsonschema.Draft7, inPlace: true},
	"type":                 {shape: typeNames},
	"uniqueItems":          {shape: boolean},
}

// foreign holds the keywords of other drafts that constrain or redirect. The
// validator would silently skip them.
var foreign = map[string]string{
	"$anchor":               "use a JSON pointer in $ref",
	"$dynamicAnchor":        "use $ref with a JSON pointer",
	"$dynamicRef":           "use $ref with a JSON pointer",
	"$recursiveAnchor":      "use $ref with a JSON pointer",
	"$recursiveRef":         "use $ref with a JSON pointer",
	"$vocabulary":           "drafts 4, 6 and 7 have no vocabularies",
	"dependentRequired":     "use dependencies",
	"dependentSchemas":      "use dependencies",
	"disallow":              "use not",
	"divisibleBy":           "use multipleOf",
	"extends":               "use allOf",
	"maxContains":           "no keyword of drafts 4, 6 and 7 counts matching elements",
	"minContains":           "no keyword of drafts 4, 6 and 7 counts matching elements",
	"prefixItems":           "use items with an array of schemas",
	"unevaluatedItems":      "use additionalItems",
	"unevaluatedProperties": "use additionalProperties",
}

// variants maps keywords in lower case to their spelling. The validator skips
// a keyword in another case, so the author's constraint would be lost.
var variants = func() map[string]string {
	byLower := map[string]string{"$ref": "$ref", "$schema": "$schema"}
	for name := range keywords {
		byLower[strings.ToLower(name)] = name
	}
	for name := range foreign {
		byLower[strings.ToLower(name)] = name
	}
	return byLower
}()

var typeNameSet = map[string]bool{
	"array": true, "boolean": true, "integer": true, "null": true,
	"number": true, "object": true, "string": true,
}

// dialect matches the $schema of the supported drafts. The official URI begins with
// http: and ends with #; authors also use variants.
var dialect = regexp.MustCompile(`^https?://json-schema\.org/draft-0([467])/schema#?$`)

var drafts = map[string]gojsonschema.Draft{
	"4": gojsonschema.Draft4,
	"6": gojsonschema.Draft6,
	"7": gojsonschema.Draft7,
}
