package a11y

import (
	"context"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
)

// field tells what an element that takes text is.
type field struct {
	plain  bool // input or textarea: what is inside is its value once more
	secret bool
}

// field looks at the element behind a node.
func (f *forest) field(ctx context.Context, n *node) (field, error) {
	if n.backend == 0 || n.value == "" && !strings.EqualFold(n.role, "textbox") {
		return field{}, nil
	}
	described, err := cdp.Call(ctx, f.d, dom.DescribeNode, dom.DescribeNodeParams{BackendNodeID: n.backend})
	if err != nil {
		return field{}, failed(err)
	}
	tag := strings.ToLower(described.Node.LocalName)
	return field{plain: tag == "input" || tag == "textarea", secret: tag == "input" && secret(described.Node.Attributes)}, nil
}

// secretHints are what autocomplete says of fields that hold secrets.
var secretHints = []string{"current-password", "new-password", "one-time-code", "cc-number", "cc-csc"}

// secret tells by a field's attributes, as the content script does, whether its
// value is one.
func secret(attributes []string) bool {
	for i := 0; i+1 < len(attributes); i += 2 {
		value := strings.ToLower(attributes[i+1])
		switch strings.ToLower(attributes[i]) {
		case "type":
			if value == "password" {
				return true
			}
		case "autocomplete":
			if slices.ContainsFunc(strings.Fields(value), func(hint string) bool { return slices.Contains(secretHints, hint) }) {
				return true
			}
		}
	}
	return false
}
