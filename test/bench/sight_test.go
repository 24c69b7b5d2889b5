package bench

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// node is one line of a server's snapshot.
type node struct {
	role, name string
	text       string // what stands after the colon
	ref        string // by which the server's tools take it; empty where it has none
	css        string // as in element
}

// element is what an agent looks for: the nth, from 0, of the role and name. One
// without a role is whatever shows the words.
type element struct {
	role, name string
	nth        int
	css        string // how one who has read the page's HTML writes it, for what a snapshot may leave out
}

func button(name string) element   { return element{role: "button", name: name} }
func checkbox(name string) element { return element{role: "checkbox", name: name} }
func combobox(name string) element { return element{role: "combobox", name: name} }
func link(name string) element     { return element{role: "link", name: name} }
func textbox(name string) element  { return element{role: "textbox", name: name} }
func words(text string) element    { return element{name: text} }

// written is the element with its selector.
func (e element) written(css string) element {
	e.css = css
	return e
}

// at is the nth of those alike.
func (e element) at(nth int) element {
	e.nth = nth
	return e
}

// pick finds the element among the nodes. A field that an editor made of a plain
// element is generic to some servers, which a reader knows by its name.
func pick(nodes []node, e element) (node, bool) {
	for _, role := range []string{e.role, "generic"} {
		skip := e.nth
		for _, n := range nodes {
			if role != "" && n.role != role || n.name != e.name && (role != "" || n.text != e.name) {
				continue
			}
			if skip--; skip < 0 {
				n.css = e.css
				return n, true
			}
		}
	}
	return node{}, false
}

var (
	// ariaLine is `- role "name" [ref=e1]: text`, with a mark before it in what changed.
	ariaLine = regexp.MustCompile(`^[+~]?\s*- '?([A-Za-z]+)(?: "((?:[^"\\]|\\.)*)")?([^:]*)(?:: ?(.*))?$`)
	ariaRef  = regexp.MustCompile(`[\[ ]ref=([^\],\s]+)`)
	// uidLine is `uid=1_2 role "name" more`; a text has no role.
	uidLine = regexp.MustCompile(`^\s*uid=(\S+)(?: ([A-Za-z]+))?(?: "([^"]*)")?`)
)

// ariaNodes reads a snapshot in the form of playwright, agent-browser and Actions Host.
func ariaNodes(text string) (nodes []node) {
	for line := range strings.Lines(text) {
		found := ariaLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if found == nil {
			continue
		}
		n := node{role: found[1], name: strings.ReplaceAll(found[2], `\"`, `"`), text: found[4]}
		if ref := ariaRef.FindStringSubmatch(found[3]); ref != nil {
			n.ref = ref[1]
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// uidNodes reads a snapshot in the form of chrome-devtools-mcp.
func uidNodes(text string) (nodes []node) {
	for line := range strings.Lines(text) {
		if found := uidLine.FindStringSubmatch(line); found != nil {
			nodes = append(nodes, node{role: found[2], name: found[3], ref: found[1]})
		}
	}
	return nodes
}

// envelopeNodes reads what an answer of Actions Host shows of the page: all of it,
// or what changed.
func envelopeNodes(answer string) (nodes []node, all bool) {
	var e struct {
		Output struct{ Snapshot, Diff string }
	}
	if json.Unmarshal([]byte(answer), &e) != nil {
		return nil, false
	}
	if e.Output.Snapshot != "" {
		return ariaNodes(e.Output.Snapshot), true
	}
	return ariaNodes(e.Output.Diff), false
}

func TestSights(t *testing.T) {
	// Ensure that what each server shows of a page is read line by line, with role, name, text and ref.
	changed, all := envelopeNodes(`{"ok":true,"output":{"diff":"+ - dialog \"Really order?\" [ref=cao7]:\n+   - button \"Yes, order\" [ref=cao9]\n-   - button \"Order\" [ref=cao6]\n~   - status: \"{}\""}}`)
	if all {
		t.Error("what changed counts as the whole page")
	}
	for name, c := range map[string]struct{ got, want []node }{
		"playwright": {ariaNodes("- main [ref=e3]:\n  - heading \"Order\" [level=1] [ref=e4]\n  - generic [ref=e5]:\n    - text: Name\n    - textbox \"Name\" [active] [ref=e6]: Ann\n  - 'button \"a: b\" [ref=e7]'\n  - iframe [ref=e8]:\n    - button \"Send\" [ref=f1e4] [cursor=pointer]\n"), []node{
			{role: "main", ref: "e3"}, {role: "heading", name: "Order", ref: "e4"}, {role: "generic", ref: "e5"}, {role: "text", text: "Name"},
			{role: "textbox", name: "Name", text: "Ann", ref: "e6"}, {role: "button", name: "a: b", ref: "e7"}, {role: "iframe", ref: "e8"}, {role: "button", name: "Send", ref: "f1e4"},
		}},
		"agent-browser": {ariaNodes("- heading \"Order\" [level=1, ref=e14]\n- combobox \"Size\" [expanded=false, ref=e20]: Small\n  - option \"Small\" [selected, ref=e21]\n- generic \"Quill\" [ref=e29] editable [contenteditable]: \n\n"), []node{
			{role: "heading", name: "Order", ref: "e14"}, {role: "combobox", name: "Size", text: "Small", ref: "e20"}, {role: "option", name: "Small", ref: "e21"}, {role: "generic", name: "Quill", ref: "e29"},
		}},
		"chrome-devtools-mcp": {uidNodes("## Latest page snapshot\nuid=3_0 RootWebArea \"React\" url=\"http://127.0.0.1/\"\n  uid=3_3 \"Name \"\n  uid=3_4 textbox \"Name\" focused value=\"Ann\"\n  uid=3_9 Iframe\n"), []node{
			{role: "RootWebArea", name: "React", ref: "3_0"}, {name: "Name ", ref: "3_3"}, {role: "textbox", name: "Name", ref: "3_4"}, {role: "Iframe", ref: "3_9"},
		}},
		"Actions Host": {changed, []node{
			{role: "dialog", name: "Really order?", ref: "cao7"}, {role: "button", name: "Yes, order", ref: "cao9"}, {role: "status", text: `"{}"`},
		}},
	} {
		if diff := cmp.Diff(c.want, c.got, cmp.AllowUnexported(node{})); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestPick(t *testing.T) {
	// Ensure that an element is found by role and name, the right one of those alike, an editor that is generic by its name, and nothing by its name alone that has another role.
	nodes := uidNodes("uid=1 heading \"Order\"\nuid=2 button \"Send\"\nuid=3 button \"Send\"\nuid=4 generic \"Quill\"\nuid=5 \"Drop here\"\n")
	for want, e := range map[string]element{"2": button("Send"), "3": button("Send").at(1), "4": textbox("Quill"), "5": words("Drop here"), "": button("Order")} {
		if n, ok := pick(nodes, e); n.ref != want || ok != (want != "") {
			t.Errorf("%+v is %+v", e, n)
		}
	}
	if n, ok := pick(ariaNodes("- listitem [ref=e1]: Card\n"), words("Card")); !ok || n.ref != "e1" {
		t.Errorf("by its text: %+v", n)
	}
}
