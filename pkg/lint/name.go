package lint

import (
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// layoutName matches names that count elements of the page or name its tags:
// click_button_3, tab2, press_div.
var layoutName = pattern(`(?i)(?:^|[._-])(?:(?:click|press|tap|button|btn|div|span|element|node|link|input|field|row|column|col|cell|box|img|icon|tab|item)[_-]?\d+` +
	`|(?:click|press|tap)[_-]?(?:on[_-]?)?(?:the[_-]?)?(?:button|btn|div|span|element|node|link|icon))(?:$|[._-])`)

// checkName checks the name of an action.
func (l *linter) checkName(t *tool) {
	if layoutName().MatchString(t.name) {
		l.add("layout_bound_name", t.Get("name"), "the name %q is tied to the layout", t.name)
	}
	if t.name != "" && !strings.Contains(t.name, ".") {
		l.add("undotted_name", t.Get("name"), "the name %q is not of the form surface.operation", t.name)
	}
}

var (
	// script matches JavaScript with an effect; prose that mentions it seldom has its
	// brackets.
	script = pattern(`(?i)^\s*javascript:|\bdocument\.(?:querySelector|getElement|cookie|write|body\.|createElement)|\bwindow\.(?:location|open|localStorage|eval)\b` +
		`|\b(?:localStorage|sessionStorage)\.|\beval\(|\bnew Function\(|\)\s*=>\s*[{(\w]|\bfunction\s*\w*\s*\([^)$]*\)\s*\{`)
	scriptName = pattern(`(?i)javascript|\bevaluate\b|\beval\b|run_?script|execute_?script`)
	scriptKeys = []string{"script", "javascript", "js", "code", "function_body", "eval"}
)

// checkScript reports code disguised as an action. A map that declares the primitive
// in requires is open about it.
func (l *linter) checkScript(t *tool) {
	declared := func(name string) bool {
		list := l.root.Get("requires", "primitive_dictionary", "required_primitives").Elements()
		return slices.ContainsFunc(list, func(e jsonnode.Node) bool { return e.Text() == name || e.Get("name").Text() == name })
	}
	calls := []jsonnode.Node{t.Get("x_actions", "handler")}
	for i := range t.steps {
		calls = append(calls, t.steps[i].Get("primitive"))
	}
	for _, call := range calls {
		name := call.Text()
		if (l.catalogue.Effect(name) == "code" || scriptName().MatchString(name)) && !declared(name) {
			l.add("javascript_action", call, "%s runs JavaScript by %s", t.name, name)
			return
		}
	}
	for _, part := range []jsonnode.Node{t.Get("workflow"), t.Get("x_actions", "binding"), t.Get("x_actions")} {
		found := jsonnode.Node{}
		part.Walk(func(n jsonnode.Node) {
			name := n.Pointer[strings.LastIndexByte(n.Pointer, '/')+1:]
			if n.Text() == "" || found.Pointer != "" || strings.HasPrefix(n.Pointer, t.Pointer+"/x_actions/static_output") {
				return
			}
			// An expression has functions of its own.
			if source(n) == "" && (script().MatchString(n.Text()) || slices.Contains(scriptKeys, name)) {
				found = n
			}
		})
		if found.Pointer != "" {
			l.add("javascript_action", found, "%s carries JavaScript", t.name)
			return
		}
	}
}

// Rules returns the codes as rules, for reports.
func Rules() []actionmap.Rule {
	rules := make([]actionmap.Rule, len(Codes))
	for i, c := range Codes {
		rules[i] = actionmap.Rule{ID: c.Name, About: c.About, Hint: c.Hint}
	}
	return rules
}
