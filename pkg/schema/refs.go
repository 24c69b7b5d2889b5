package schema

import (
	"iter"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// freeExpansion is the number of applications of subschemas, counted through all
// paths, above which validation has a budget.
const freeExpansion = 10_000

// resolve sets the target of each reference and rejects references that only lead
// back to themselves.
func (c *checked) resolve() error {
	for _, pointer := range c.pointers() {
		n := c.nodes[pointer]
		if n.ref == "" {
			continue
		}
		target, err := c.find(n)
		if err != nil {
			return err
		}
		n.target = target
		// Rewritten, so that the validator cannot decode escapes differently from
		// this check.
		n.rebuilt.(map[string]any)["$ref"] = "#" + (&url.URL{Fragment: target.pointer}).EscapedFragment()
	}
	finished := map[*node]bool{}
	for _, pointer := range c.pointers() {
		if err := checkLoop(c.nodes[pointer], map[*node]bool{}, finished); err != nil {
			return err
		}
	}
	return nil
}

func (c *checked) pointers() []string {
	pointers := make([]string, 0, len(c.nodes))
	for pointer := range c.nodes {
		pointers = append(pointers, pointer)
	}
	slices.Sort(pointers)
	return pointers
}

func (c *checked) find(n *node) (*node, error) {
	at := below(n.pointer, "$ref")
	if n.rebased {
		return nil, invalid(at, "an identifier above this reference changes what # means; remove the identifier")
	}
	fragment, err := url.PathUnescape(n.ref[1:])
	if err != nil || fragment != "" && fragment[0] != '/' {
		return nil, invalid(at, "a reference must be # or # and a JSON pointer")
	}
	pointer := ""
	for token := range jsontext.Pointer(fragment).Tokens() {
		pointer = below(pointer, token)
	}
	target, ok := c.nodes[pointer]
	switch {
	case ok:
		return target, nil
	case strings.Contains(pointer+"/", "/$defs/"):
		return nil, invalid(at, "drafts 4, 6 and 7 keep shared schemas in definitions, not in $defs")
	default:
		return nil, invalid(at, "the reference names no schema within this one")
	}
}

// checkLoop rejects a schema that applies to its own value again: validating would
// never end.
func checkLoop(n *node, open, finished map[*node]bool) error {
	if open[n] {
		return invalid(n.pointer, "the schema refers to itself for the same value, so that checking it would never end")
	}
	if finished[n] {
		return nil
	}
	open[n] = true
	for _, child := range n.sameValue() {
		if err := checkLoop(child, open, finished); err != nil {
			return err
		}
	}
	delete(open, n)
	finished[n] = true
	return nil
}

// sameValue returns the schemas that n applies to the same value.
func (n *node) sameValue() []*node {
	if n.target != nil {
		return []*node{n.target} // siblings of a reference do not apply
	}
	return n.inPlace
}

// mayExplode reports whether the work for one document may grow faster than the
// document: the schema is recursive, or its references multiply.
func (c *checked) mayExplode() bool {
	return expansion(c.root, map[*node]int{}) > freeExpansion
}

// expansion returns the number of schemas in n when all references are expanded; a
// recursive one counts as too many.
func expansion(n *node, known map[*node]int) int {
	const open = freeExpansion + 1
	if total, ok := known[n]; ok {
		return total
	}
	known[n] = open
	total := 1
	for child := range n.children() {
		total = min(open, total+expansion(child, known))
	}
	known[n] = total
	return total
}

// children returns the schemas that n applies to its value and to what stands in it.
func (n *node) children() iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for _, group := range [][]*node{n.sameValue(), n.members, n.items, n.names} {
			for _, child := range group {
				if !yield(child) {
					return
				}
			}
		}
		for _, child := range n.named {
			if !yield(child) {
				return
			}
		}
	}
}
