package manifest

import (
	"bytes"
	"fmt"
	"slices"
)

// AddProperties adds the properties to an object schema that has none of their names, and
// returns the names of those that it added. The host does so for many schemas when it
// starts, so the texts, which are valid JSON of our own, are put together, not decoded.
func AddProperties(schema, properties []byte) (whole []byte, added []string, err error) {
	if len(properties) == 0 {
		return schema, nil, nil
	}
	var own []member
	at := bytes.LastIndexByte(schema, '}') // of the new properties: the end of the ones there are
	open, end := `,"properties":{`, "}"
	if i := slices.IndexFunc(membersOf(schema), func(m member) bool { return m.name == "properties" }); i >= 0 {
		m := membersOf(schema)[i]
		own, at = membersOf(m.value), m.end-1
		open, end = "", ""
	}
	if at < 0 || schema[0] != '{' {
		return nil, nil, fmt.Errorf("the schema is not an object: %.40s", schema)
	}
	text := []byte(open)
	for _, more := range membersOf(properties) {
		if slices.ContainsFunc(own, func(m member) bool { return m.name == more.name }) {
			continue
		}
		if len(own)+len(added) > 0 {
			text = append(text, ',')
		}
		text = append(fmt.Appendf(text, "%q:", more.name), more.value...)
		added = append(added, more.name)
	}
	return slices.Concat(schema[:at], text, []byte(end), schema[at:]), added, nil
}

// member is a member of an object; its value ends at end in the object's text.
type member struct {
	name  string
	value []byte
	end   int
}

// membersOf returns the members of an object whose names have no escapes.
func membersOf(object []byte) (found []member) {
	depth, quoted, start := 0, false, 0
	var name string
	flush := func(end int) {
		if name != "" {
			text := bytes.TrimRight(object[start:end], " \n\t")
			found = append(found, member{name, bytes.TrimSpace(text), start + len(text)})
		}
		name = ""
	}
	for i := 0; i < len(object); i++ {
		switch c := object[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
			if quoted && depth == 1 && name == "" {
				start = i + 1
			} else if !quoted && depth == 1 && name == "" {
				name = string(object[start:i])
				start = i + 1 + bytes.IndexByte(object[i+1:], ':') + 1
				i = start - 1
			}
		case quoted:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			if depth--; depth == 0 {
				flush(i)
			}
		case c == ',' && depth == 1:
			flush(i)
		}
	}
	return found
}
