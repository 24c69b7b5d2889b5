package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/projection"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

// expressionPlace is a member of the map format that takes an expression, and the names that it sees
// there. The names are those of the code that evaluates it.
type expressionPlace struct {
	of, member  string // as the table has them
	pointer     string // to the member's schema
	always      []string
	loop, retry []string // the names that for_each and retry_until add
}

func expressionPlaces() []expressionPlace {
	var places []expressionPlace
	for _, s := range workflow.StepSlots {
		p := expressionPlace{of: "step", member: s.Member, pointer: "/definitions/step/properties/" + s.Member, always: s.Names(false, false, false)}
		p.loop, p.retry = beyond(s.Names(true, false, false), p.always), beyond(s.Names(false, true, false), p.always)
		if s.Member == "output" { // only steps that for_each runs have one
			p.always, p.loop = append(p.always, p.loop...), nil
		}
		places = append(places, p)
	}
	const snapshot, postcondition = "/definitions/projection/properties", "/definitions/postcondition/properties"
	return append(places,
		expressionPlace{of: "workflow", member: "output", pointer: "/definitions/workflow/properties/output", always: workflow.OutputNames},
		expressionPlace{of: "projection", member: "snapshot.projection.expression", pointer: snapshot + "/snapshot/properties/projection/properties/expression", always: projection.StateNames},
		expressionPlace{of: "projection", member: "summaries[].expression", pointer: snapshot + "/summaries/items/properties/expression", always: projection.SummaryNames},
		expressionPlace{of: "projection", member: "markers", pointer: snapshot + "/markers", always: projection.SummaryNames},
		expressionPlace{of: "postcondition", member: "verify.expression", pointer: postcondition + "/verify/properties/expression", always: projection.PostconditionNames},
	)
}

// beyond returns the names that known has not.
func beyond(names, known []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(known, n) })
}

// sees returns all names that the member may see.
func (p expressionPlace) sees() []string {
	return slices.Concat(p.always, p.loop, beyond(p.retry, p.loop))
}

// example returns the member's example in the format, or that of the definition it refers to.
func (p expressionPlace) example(format []byte) (json.RawMessage, error) {
	root := jsonnode.Node{Raw: format}
	n := root.Find(p.pointer)
	if n.Get("examples").Absent() {
		pointer, _ := strings.CutPrefix(n.Get("$ref").Text(), "#")
		n = root.Find(pointer)
	}
	examples := n.Get("examples").Elements()
	if len(examples) == 0 {
		return nil, fmt.Errorf("actions.schema.json: %s has no example", p.pointer)
	}
	return examples[0].Raw, nil
}

const expressionHead = `
## What an expression sees

An expression of a workflow is a whole string, ` + "`{% … %}`" + `; in a projection and a postcondition it may also stand bare. It is
[JSONata](https://docs.jsonata.org) and starts at an object that has these names and no other. Inside a filter or a
function that object is ` + "`$$`" + `: ` + "`input.ids[$ in $$.steps.rows.output.ids]`" + `. Every expression of a step in the steps of a for_each sees
` + "`item` and `index`" + ` too.

| name | is |
|---|---|
| ` + "`input`" + ` | the arguments of the call |
| ` + "`steps`" + ` | the results of the steps before by their ids: ` + "`ok`, `output`, `error`, `skipped`, of a loop `items` and `total`, of a retry `attempts`" + ` |
| ` + "`item`, `index`" + ` | the element of for_each and its number from 0; in a retry ` + "`index`" + ` is the number of the attempt, from 1 |
| ` + "`records`, `url`, `title`" + ` | what the extractors gave, by their ids, and the page's address and title |
| ` + "`projection`" + ` | the projection's own ` + "`name`" + ` |
| ` + "`state`" + ` | the state that the projection gives, now |
| ` + "`before`" + ` | that state before the action; nothing where the page did not have it |

| member | sees | in a loop | in a retry | example |
|---|---|---|---|---|
`

// writeExpressions writes the table of names.
func (c *contract) writeExpressions(b *bytes.Buffer) {
	b.WriteString(expressionHead)
	for _, p := range expressionPlaces() {
		example, err := p.example(c.format)
		if err != nil {
			panic(err) // a test has it
		}
		text := strings.ReplaceAll(string(example), "|", "\\|")
		fmt.Fprintf(b, "| %s `%s` | %s | %s | %s | `%s` |\n", p.of, p.member, quotedNames(p.always), quotedNames(p.loop), quotedNames(p.retry), text)
	}
}

func quotedNames(names []string) string {
	var quoted []string
	for _, n := range names {
		quoted = append(quoted, "`"+n+"`")
	}
	return strings.Join(quoted, ", ")
}
