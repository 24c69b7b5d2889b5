package a11y

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

const (
	maxName  = 120 // characters
	maxValue = 60
)

// tree answers a11y.tree.
func (h *Handlers) tree(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		MaxDepth int `json:"max_depth"`
		MaxNodes int `json:"max_nodes"`
	}](c)
	if err != nil {
		return nil, err
	}
	f, leave, err := h.readForest(ctx, c)
	if err != nil {
		return nil, err
	}
	leave()
	o := outline{maxDepth: orDefault(args.MaxDepth, 12), maxNodes: orDefault(args.MaxNodes, 800)}
	o.write(f.root, nil, 0)
	return primitive.Output(map[string]any{
		"url": h.url(c), "tab_id": c.TabID, "node_count": o.count, "outline": o.text.String(),
		"truncated": o.truncated, "frames_not_included": append([]missingFrame{}, f.missing...),
	})
}

// outline writes a tree as indented lines.
type outline struct {
	maxDepth, maxNodes int

	text      strings.Builder
	count     int
	truncated bool
}

// write writes the node and what is below it. A redundant node is replaced by its children.
func (o *outline) write(n, above *node, depth int) {
	if !isRedundant(n, above) {
		if depth >= o.maxDepth || o.count >= o.maxNodes {
			o.truncated = true
			return
		}
		o.count++
		o.line(n, depth)
		above = n
		depth++
	}
	for _, child := range n.children {
		o.write(child, above, depth)
	}
}

// isRedundant reports whether the node adds nothing to what is around it.
func isRedundant(n, above *node) bool {
	switch {
	case n.ignored, n.role == "InlineTextBox":
		return true
	case n.role == "StaticText":
		return collapseSpace(n.name) == "" || above != nil && collapseSpace(n.name) == collapseSpace(above.name)
	case n.role == "generic" || n.role == "none" || n.role == "":
		return n.name == "" && n.value == "" && n.state("live") == "" && n.state("focused") != "true"
	}
	return false
}

// shownStates are the states that a line shows, if they are set.
var shownStates = []string{"focused", "disabled", "checked", "pressed", "expanded", "selected", "required", "readonly", "invalid", "busy", "level"}

func (o *outline) line(n *node, depth int) {
	o.text.WriteString(strings.Repeat("  ", depth))
	o.text.WriteString(n.role)
	if name := collapseSpace(n.name); name != "" {
		o.text.WriteString(" " + strconv.Quote(truncate.Characters(name, maxName)))
	}
	if n.value != "" {
		o.text.WriteString(" = " + truncate.Characters(collapseSpace(n.value), maxValue))
	}
	if n.description != "" {
		o.text.WriteString(" [description:" + strconv.Quote(truncate.Characters(collapseSpace(n.description), maxName)) + "]")
	}
	if live := n.state("live"); live != "" && live != "off" {
		o.text.WriteString(" [live:" + live + "]")
	}
	for _, name := range shownStates {
		switch value := n.state(name); {
		case value == "true":
			o.text.WriteString(" [" + name + "]")
		case value != "" && (name == "level" || value == "mixed" || name == "expanded"):
			o.text.WriteString(" [" + name + ":" + value + "]")
		}
	}
	if n.missing != nil {
		o.text.WriteString(" [not included: " + n.missing.Reason + "]")
	}
	o.text.WriteByte('\n')
}

func orDefault(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// collapseSpace collapses white space.
func collapseSpace(text string) string { return strings.Join(strings.Fields(text), " ") }
