package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/xeipuuv/gojsonschema"
)

// maxNodes is the maximum number of schemas within one schema.
const maxNodes = 10_000

// node is one subschema: a possible target of a reference.
type node struct {
	pointer string
	rebuilt any    // a map of checked keywords, or a boolean
	ref     string // the text of $ref, if it has one
	rebased bool   // below an identifier that changes what "#" means

	target  *node            // of ref
	inPlace []*node          // schemas for the same value
	named   map[string]*node // schemas for one member each
	members []*node          // schemas for any member
	items   []*node          // schemas for any element
	names   []*node          // schemas for the name of any member

	pattern, format int  // work for each byte of a text, see maxSearch
	keys            int  // size of the patterns of members, which are compiled anew for each member
	counted         bool // it may exceed a budget, or leads to one that may
}

// checked is a schema that has passed all checks.
type checked struct {
	draft gojsonschema.Draft
	newer bool // prefixItems is understood
	root  *node
	nodes map[string]*node // by pointer
	// patterns is the size of the regular expressions so far, in instructions.
	patterns int
}

// check walks a schema, rejects what the validator would misinterpret, and rebuilds
// it from the keywords that it knows.
func check(document any, newer bool) (*checked, error) {
	c := &checked{draft: gojsonschema.Hybrid, newer: newer, nodes: map[string]*node{}}
	object, _ := document.(map[string]any)
	if address, declared := object["$schema"]; declared {
		text, _ := address.(string)
		match := dialect.FindStringSubmatch(text)
		if match == nil {
			return nil, invalid("/$schema", "only JSON Schema drafts 4, 6 and 7 are understood")
		}
		c.draft = drafts[match[1]]
	}
	root, err := c.visit(document, "", false)
	if err != nil {
		return nil, err
	}
	c.root = root
	if err := c.resolve(); err != nil {
		return nil, err
	}
	return c, nil
}

// visit checks one schema and its descendants.
func (c *checked) visit(value any, pointer string, rebased bool) (*node, error) {
	if len(c.nodes) == maxNodes {
		return nil, invalid(pointer, "the schema consists of more than %d schemas", maxNodes)
	}
	n := &node{pointer: pointer, rebased: rebased, named: map[string]*node{}}
	c.nodes[pointer] = n
	switch value := value.(type) {
	case bool:
		if c.draft == gojsonschema.Draft4 {
			return nil, invalid(pointer, "draft 4 has no boolean schemas; write {} or {\"not\":{}}")
		}
		n.rebuilt = value
		return n, nil
	case map[string]any:
		return n, c.visitObject(n, value)
	default:
		return nil, invalid(pointer, "a schema is an object or a boolean")
	}
}

func (c *checked) visitObject(n *node, object map[string]any) error {
	rebuilt := make(map[string]any, len(object))
	n.rebuilt = rebuilt
	n.rebased = n.rebased || n.pointer != "" && changesBase(object)
	if err := c.checkRef(n, object); err != nil {
		return err
	}
	// In order, so that a schema with several faults always names the same one.
	for _, name := range slices.Sorted(maps.Keys(object)) {
		known, ok := c.keyword(name, object)
		if !ok {
			if err := checkUnknown(n, name); err != nil {
				return err
			}
			continue // an annotation: not needed to validate
		}
		if known.since > c.draft {
			return invalid(below(n.pointer, name), "%s is not a keyword of the draft that $schema names", name)
		}
		value, err := c.visitKeyword(n, name, known, object[name])
		if err != nil {
			return err
		}
		rebuilt[name] = value
	}
	rebuildTuple(rebuilt)
	if n.ref != "" {
		rebuilt["$ref"] = n.ref
	}
	return checkBounds(n.pointer, object)
}

func checkUnknown(n *node, name string) error {
	if advice, ok := foreign[name]; ok {
		return invalid(below(n.pointer, name), "%s is not a keyword of drafts 4, 6 and 7 and would be ignored: %s", name, advice)
	}
	if exact, ok := variants[strings.ToLower(name)]; ok && exact != name {
		return invalid(below(n.pointer, name), "keywords are exact in case: %s is not %s and would be ignored", name, exact)
	}
	if name == "$schema" && n.pointer != "" {
		return invalid(below(n.pointer, name), "$schema may only stand at the root")
	}
	return nil
}

// checkRef sets the reference of a schema. Drafts 4, 6 and 7 ignore its siblings, so
// a constraint there would be lost.
func (c *checked) checkRef(n *node, object map[string]any) error {
	value, ok := object["$ref"]
	if !ok {
		return nil
	}
	ref, ok := value.(string)
	if !ok || !strings.HasPrefix(ref, "#") {
		return invalid(below(n.pointer, "$ref"), "a reference must begin with # and stay within the schema")
	}
	n.ref = ref
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if _, constrains := c.keyword(name, object); constrains && name != "definitions" {
			return invalid(below(n.pointer, name), "%s beside $ref would be ignored; put both into allOf", name)
		}
	}
	return nil
}

// checkBounds rejects the boolean bounds of draft 4 without the limit they qualify.
func checkBounds(pointer string, object map[string]any) error {
	for _, side := range []string{"Minimum", "Maximum"} {
		exclusive, limit := "exclusive"+side, strings.ToLower(side)
		if _, isBool := object[exclusive].(bool); isBool && object[limit] == nil {
			return invalid(below(pointer, exclusive), "%s as a boolean needs %s", exclusive, limit)
		}
	}
	return nil
}

// changesBase reports whether the schema has an identifier that is more than a
// name within the same document.
func changesBase(object map[string]any) bool {
	for _, name := range []string{"$id", "id"} {
		if id, ok := object[name].(string); ok && !strings.HasPrefix(id, "#") {
			return true
		}
	}
	return false
}
