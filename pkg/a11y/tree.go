package a11y

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/shorten"
)

const (
	maxName  = 120 // characters
	maxValue = 60

	hidden = "[redacted]"
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
	f, err := h.plant(ctx, c)
	if err != nil {
		return nil, err
	}
	o := outline{forest: f, maxDepth: orElse(args.MaxDepth, 12), maxNodes: orElse(args.MaxNodes, 800)}
	if err := o.write(ctx, f.root, nil, 0); err != nil {
		return nil, err
	}
	return primitive.Output(map[string]any{
		"url": h.url(c), "tab_id": c.TabID, "node_count": o.count, "outline": o.text.String(),
		"truncated": o.truncated, "frames_not_included": append([]missingFrame{}, f.missing...),
	})
}

// outline writes a tree as indented lines.
type outline struct {
	*forest
	maxDepth, maxNodes int

	text      strings.Builder
	count     int
	truncated bool
}

// write writes the node and what is below it. A node that tells nothing leaves
// its place to its children.
func (o *outline) write(ctx context.Context, n, above *node, depth int) error {
	in, err := o.field(ctx, n)
	if err != nil {
		return err
	}
	if !silent(n, above) {
		if depth >= o.maxDepth || o.count >= o.maxNodes {
			o.truncated = true
			return nil
		}
		o.count++
		o.line(n, in, depth)
		above = n
		depth++
	}
	if in.plain || in.secret {
		return nil
	}
	for _, child := range n.children {
		if err := o.write(ctx, child, above, depth); err != nil {
			return err
		}
	}
	return nil
}

// silent tells whether the node adds nothing to what is around it.
func silent(n, above *node) bool {
	switch {
	case n.ignored, n.role == "InlineTextBox":
		return true
	case n.role == "StaticText":
		return squeeze(n.name) == "" || above != nil && squeeze(n.name) == squeeze(above.name)
	case n.role == "generic" || n.role == "none" || n.role == "":
		return n.name == "" && n.value == "" && n.state("live") == "" && n.state("focused") != "true"
	}
	return false
}

// shown are the states that a line tells of, where they are set.
var shown = []string{"focused", "disabled", "checked", "pressed", "expanded", "selected", "required", "readonly", "invalid", "busy", "level"}

func (o *outline) line(n *node, in field, depth int) {
	o.text.WriteString(strings.Repeat("  ", depth))
	o.text.WriteString(n.role)
	if name := squeeze(n.name); name != "" {
		o.text.WriteString(" " + strconv.Quote(shorten.Characters(name, maxName)))
	}
	if n.value != "" {
		value := hidden
		if !in.secret {
			value = shorten.Characters(squeeze(n.value), maxValue)
		}
		o.text.WriteString(" = " + value)
	}
	if live := n.state("live"); live != "" && live != "off" {
		o.text.WriteString(" [live:" + live + "]")
	}
	for _, name := range shown {
		switch value := n.state(name); {
		case value == "true":
			o.text.WriteString(" [" + name + "]")
		case value != "" && (name == "level" || value == "mixed" || name == "expanded"):
			o.text.WriteString(" [" + name + ":" + value + "]")
		}
	}
	if n.shows != nil {
		o.text.WriteString(" [not included: " + n.shows.Reason + "]")
	}
	o.text.WriteByte('\n')
}

func orElse(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// squeeze collapses white space.
func squeeze(text string) string { return strings.Join(strings.Fields(text), " ") }
