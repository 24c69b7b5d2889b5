package lint

import (
	"regexp"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/actionmap"
)

// layoutName matches names that count elements of the page or name its tags:
// click_button_3, tab2, press_div.
var layoutName = regexp.MustCompile(`(?i)(?:^|[._-])(?:(?:click|press|tap|button|btn|div|span|element|node|link|input|field|row|column|col|cell|box|img|icon|tab|item)[_-]?\d+` +
	`|(?:click|press|tap)[_-]?(?:on[_-]?)?(?:the[_-]?)?(?:button|btn|div|span|element|node|link|icon))(?:$|[._-])`)

// checkName looks at the name of an action.
func (l *linter) checkName(t *tool) {
	if layoutName.MatchString(t.name) {
		l.add("layout_bound_name", t.get("name"), "the name %q is tied to the layout", t.name)
	}
}

var (
	// script matches JavaScript that does something; prose that mentions it
	// seldom has its brackets.
	script = regexp.MustCompile(`(?i)^\s*javascript:|\bdocument\.(?:querySelector|getElement|cookie|write|body\.|createElement)|\bwindow\.(?:location|open|localStorage|eval)\b` +
		`|\b(?:localStorage|sessionStorage)\.|\beval\(|\bnew Function\(|\)\s*=>\s*[{(\w]|\bfunction\s*\w*\s*\([^)$]*\)\s*\{`)
	scriptName = regexp.MustCompile(`(?i)javascript|\bevaluate\b|\beval\b|run_?script|execute_?script`)
	scriptKeys = []string{"script", "javascript", "js", "code", "function_body", "eval"}
)

// checkScript looks for code that poses as an action. A map that declares the
// primitive in requires has said what it needs.
func (l *linter) checkScript(t *tool) {
	declared := func(name string) bool {
		list := l.root.get("requires", "primitive_dictionary", "required_primitives").elements()
		return slices.ContainsFunc(list, func(e node) bool { return e.text() == name || e.get("name").text() == name })
	}
	calls := []node{t.get("x_actions", "handler")}
	for i := range t.steps {
		calls = append(calls, t.steps[i].get("primitive"))
	}
	for _, call := range calls {
		name := call.text()
		if (l.catalogue.Effect(name) == "code" || scriptName.MatchString(name)) && !declared(name) {
			l.add("javascript_action", call, "%s runs JavaScript by %s", t.name, name)
			return
		}
	}
	for _, part := range []node{t.get("workflow"), t.get("x_actions", "binding"), t.get("x_actions")} {
		found := node{}
		part.walk(func(n node) {
			name := n.pointer[strings.LastIndexByte(n.pointer, '/')+1:]
			if n.text() == "" || found.pointer != "" || strings.HasPrefix(n.pointer, t.pointer+"/x_actions/static_output") {
				return
			}
			// An expression has functions of its own.
			if source(n) == "" && (script.MatchString(n.text()) || slices.Contains(scriptKeys, name)) {
				found = n
			}
		})
		if found.pointer != "" {
			l.add("javascript_action", found, "%s carries JavaScript", t.name)
			return
		}
	}
}

// Rules lists the codes as rules, for reports.
func Rules() []actionmap.Rule {
	rules := make([]actionmap.Rule, len(Codes))
	for i, c := range Codes {
		rules[i] = actionmap.Rule{ID: c.Name, About: c.About, Hint: c.Hint}
	}
	return rules
}
