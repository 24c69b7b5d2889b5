package logview

import (
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"
)

// markup is text that is markup already.
type markup string

// escaper makes any text stay text, between tags and in quoted attributes. A plus
// sign is written out too, so that nobody reads the file as UTF-7.
var escaper = strings.NewReplacer("\x00", "\uFFFD", `"`, "&#34;", "&", "&amp;", "'", "&#39;", "+", "&#43;", "<", "&lt;", ">", "&gt;")

func escape(value any) string {
	if m, ok := value.(markup); ok {
		return string(m)
	}
	return escaper.Replace(fmt.Sprint(value))
}

// escaping parses a template of which every action gives escaped text, wherever
// its author forgot. html/template would know more places; the actions of ours
// stand between tags and in quoted attributes only, and a test holds that.
func escaping(name, text string) *template.Template {
	t := template.Must(template.New(name).Funcs(template.FuncMap{"escape": escape}).Parse(text))
	for _, each := range t.Templates() {
		escapeAll(each.Root)
	}
	return t
}

// escapeAll sends what the actions of a list give through escape.
func escapeAll(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch node := node.(type) {
		case *parse.ActionNode:
			if len(node.Pipe.Decl) == 0 {
				last := &parse.CommandNode{NodeType: parse.NodeCommand, Pos: node.Pos, Args: []parse.Node{parse.NewIdentifier("escape").SetPos(node.Pos)}}
				node.Pipe.Cmds = append(node.Pipe.Cmds, last)
			}
		case *parse.IfNode:
			escapeAll(node.List)
			escapeAll(node.ElseList)
		case *parse.RangeNode:
			escapeAll(node.List)
			escapeAll(node.ElseList)
		case *parse.WithNode:
			escapeAll(node.List)
			escapeAll(node.ElseList)
		}
	}
}
