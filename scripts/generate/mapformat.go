package main

import (
	"encoding/json"
	"regexp"
)

// enumLine is a definition of actions.schema.json that lists primitives, on a
// line of its own.
var enumLine = regexp.MustCompile(`(?m)^(\s*"(step|any)_primitive": \{"enum": )\[[^\]]*\]`)

// mapFormat returns the schema of the map format with the names of the
// dictionary put in, so that editors complete them. The rest is written by hand.
func (c *contract) mapFormat() []byte {
	steps, all := []string{}, []string{}
	for _, p := range c.primitives {
		all = append(all, p.Name)
		if p.Workflow {
			steps = append(steps, p.Name)
		}
	}
	return enumLine.ReplaceAllFunc(c.format, func(line []byte) []byte {
		groups := enumLine.FindSubmatch(line)
		names := all
		if string(groups[2]) == "step" {
			names = steps
		}
		text, err := json.Marshal(names)
		if err != nil {
			panic(err) // strings can always be written
		}
		return append(append([]byte{}, groups[1]...), text...)
	})
}
