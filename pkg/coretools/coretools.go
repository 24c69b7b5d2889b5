// Package coretools is the short list of tools that serves most work on a page: what a coding
// agent gets over MCP, and a chat model beside the page.
//
// Rules of this package:
//   - Every conversation pays for its size before the first message, so descriptions are written
//     for the list, and schemas hold only the names that a model must not guess.
//   - The host takes all other arguments of a primitive too.
package coretools

import (
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Members that are not of the primitive but of the face that offers it: [Tool.Schema] takes them
// from its caller.
const (
	DetailMember  = "detail"  // requests the meta of the run
	ProfileMember = "profile" // names the browser, where a face serves several
)

// Tool is a primitive with those arguments that are used most.
type Tool struct {
	Name, Description string
	Arguments         []string
}

// List returns the tools in the order in which models see them.
func List() []Tool { return slices.Clone(list) }

var list = []Tool{
	{dispatch.SiteTool, "The stored actions of this page: list them, call one, or read the page's state. Prefer them to all other tools.",
		[]string{"mode", "action", "arguments", "query", "offset", "projection", "summary", DetailMember}},
	{"browser.claimed_tabs.activate", "Make a handed-over tab the current one.", []string{"tab_id", ProfileMember}},
	{"browser.claimed_tabs.list", "The tabs that the user handed over, of all browsers.", nil},
	{"browser.navigate", "Load an http or https address in the tab, or reload it.", []string{"url", "reload"}},
	{"browser.open_tab", "Open an address in a new tab, which the user then hands over.", []string{"url"}},
	{"browser.screenshot", "A picture of the tab, one element or the whole page.", []string{"locator", "full_page"}},
	{"keyboard.press", "Press a key or chord such as Enter or Control+A.", []string{"key"}},
	{"locator.click", "Wait until one target can be clicked, click it, tell what it got.", []string{"locator", "timeout_ms"}},
	{"locator.fill", "Put exactly this text into one field and read it back.", []string{"locator", "text"}},
	{"locator.select_option", "Choose options of one select by value or label.", []string{"locator", "value", "label"}},
	{"locator.set_checked", "Set one checkbox, radio button or switch.", []string{"locator", "checked"}},
	{"locator.text_content", "The text of the first visible match.", []string{"locator"}},
	{"locator.wait_for", "Wait until a match is visible, attached, hidden or detached.", []string{"locator", "state", "timeout_ms"}},
	{"page.snapshot", "The accessibility tree as YAML with refs for locators.", []string{"locator", "interactive", "diff", "cursor"}},
	{"page.wait_for", "Wait for an address, a text, a load state or a still page.", []string{"url_contains", "text", "load_state", "stable", "timeout_ms"}},
	{dispatch.BatchTool, "Make up to 10 calls in a row, stopped by the first that fails.", []string{"calls"}},
}

// ReportExempt reports whether a tool needs no policy_exception_report: it calls no primitive
// directly.
func ReportExempt(name string) bool {
	return name == dispatch.SiteTool || name == dispatch.BatchTool
}

// Schema returns the properties of the tool's arguments, without their descriptions, and those
// that are required. What the primitive does not take itself is among the face's own
// properties, or left out.
func (t Tool) Schema(r *primitive.Record, own map[string]jsonnode.Member) (properties []jsonnode.Member, required []string, err error) {
	whole := primitive.Compact(r.InputSchema)
	all := primitive.Properties(whole)
	var given struct {
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(whole, &given); err != nil {
		return nil, nil, err
	}
	for _, name := range append(slices.Clone(t.Arguments), r.Observes...) {
		p, found := own[name]
		if at := slices.IndexFunc(all, func(p jsonnode.Member) bool { return p.Name == name }); at >= 0 {
			p, found = all[at], true
		}
		if found {
			p.Raw = primitive.Undescribed(p.Raw)
			properties = append(properties, p)
		}
	}
	return properties, given.Required, nil
}
