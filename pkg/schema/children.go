package schema

import (
	"maps"
	"slices"
	"strconv"
)

// visitKeyword checks one keyword and returns its value rebuilt.
func (c *checked) visitKeyword(n *node, name string, known keyword, value any) (any, error) {
	pointer := below(n.pointer, name)
	switch known.shape {
	case aSchema, schemaOrBool, schemaList, schemaOrList:
		return c.visitSchemas(n, name, known, value)
	case schemaMap, schemaByPattern, dependencyMap:
		return c.visitMap(n, name, known, value)
	case regularExpression:
		if err := c.checkValue(pointer, name, known.shape, value); err != nil {
			return nil, err
		}
		tree, err := c.checkPattern(pointer, value.(string))
		if err != nil {
			return nil, err
		}
		n.pattern = ProgramSize(tree)
		return value, nil
	case format:
		if err := c.checkValue(pointer, name, known.shape, value); err != nil {
			return nil, err
		}
		n.format = formatSize(value.(string))
		return value, nil
	default:
		return value, c.checkValue(pointer, name, known.shape, value)
	}
}

// visitSchemas checks a keyword that holds one schema or a list of them.
func (c *checked) visitSchemas(n *node, name string, known keyword, value any) (any, error) {
	pointer := below(n.pointer, name)
	if flag, ok := value.(bool); ok && known.shape == schemaOrBool {
		return flag, nil
	}
	list, isList := value.([]any)
	if !isList {
		if known.shape == schemaList {
			return nil, invalid(pointer, "%s must be an array of schemas", name)
		}
		child, err := c.visit(value, pointer, n.rebased)
		if err != nil {
			return nil, err
		}
		n.attach(name, known, child)
		return child.rebuilt, nil
	}
	if known.shape != schemaList && known.shape != schemaOrList {
		return nil, invalid(pointer, "%s must be a schema", name)
	}
	// The validator treats an empty list as no constraint at all.
	if len(list) == 0 {
		return nil, invalid(pointer, "%s must not be empty", name)
	}
	rebuilt := make([]any, len(list))
	for i, element := range list {
		child, err := c.visit(element, below(pointer, strconv.Itoa(i)), n.rebased)
		if err != nil {
			return nil, err
		}
		n.attach(name, known, child)
		rebuilt[i] = child.rebuilt
	}
	return rebuilt, nil
}

// visitMap checks a keyword that holds schemas by name.
func (c *checked) visitMap(n *node, name string, known keyword, value any) (any, error) {
	pointer := below(n.pointer, name)
	object, ok := value.(map[string]any)
	if !ok {
		return nil, invalid(pointer, "%s must be an object", name)
	}
	rebuilt := make(map[string]any, len(object))
	for _, key := range slices.Sorted(maps.Keys(object)) {
		at := below(pointer, key)
		if known.shape == schemaByPattern {
			tree, err := c.checkPattern(at, key)
			if err != nil {
				return nil, err
			}
			n.keys += size(tree, runesPerStep)
		}
		if list, isList := object[key].([]any); isList && known.shape == dependencyMap {
			if err := checkNames(at, list); err != nil {
				return nil, err
			}
			rebuilt[key] = list
			continue
		}
		child, err := c.visit(object[key], at, n.rebased)
		if err != nil {
			return nil, err
		}
		if name == "properties" {
			n.named[key] = child
		} else {
			n.attach(name, known, child)
		}
		rebuilt[key] = child.rebuilt
	}
	return rebuilt, nil
}

// attach adds a child to the list for the values that it applies to.
func (n *node) attach(name string, known keyword, child *node) {
	switch name {
	case "definitions": // applies to nothing until a reference names it
	case "items", "additionalItems", "prefixItems", "contains":
		n.items = append(n.items, child)
	case "propertyNames":
		n.names = append(n.names, child)
	case "additionalProperties", "patternProperties":
		n.members = append(n.members, child)
	default:
		if known.inPlace {
			n.inPlace = append(n.inPlace, child)
		}
	}
}
