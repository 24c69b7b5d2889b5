package mcpserver

import (
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// coreTool is a tool of the profile core: a primitive with those arguments that are
// used most. The host takes all the others too; primitives.list shows them.
type coreTool struct {
	name, description string
	arguments         []string
}

// core is the catalogue in the order in which clients see it. Every conversation pays
// for its size before the first message, so descriptions are written for it and
// schemas hold only the names that a model must not guess.
var core = []coreTool{
	{dispatch.SiteTool, "The stored actions of this page: list them, call one, or read the page's state. Prefer them to all other tools.",
		[]string{"mode", "action", "arguments", "query", "offset", "projection", "summary", detailMember}},
	{activateTool, "Make a handed-over tab the current one.", []string{"tab_id", "profile"}},
	{tabsTool, "The tabs that the user handed over, of all browsers.", nil},
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
	{dispatch.BatchTool, "Make up to 10 calls in a row, stopped by the first that fails.", []string{callsMember}},
}

// serverArguments are the arguments for the server itself.
var serverArguments = map[string]jsonnode.Member{
	"profile":    property("profile", `{"type":"string"}`),
	detailMember: property(detailMember, `{"type":"boolean"}`),
}

// coreTools returns the tools of the profile core.
func (s *Server) coreTools() ([]tool, error) {
	var list []tool
	for _, o := range core {
		r, _ := s.catalogue.Public(o.name)
		if !s.offered(r) {
			continue
		}
		schema, err := o.schema(r)
		if err != nil {
			return nil, err
		}
		list = append(list, tool{o.name, &mcp.Tool{Name: s.names.Safe(o.name), Description: o.description, InputSchema: schema, Annotations: hints(r)}})
	}
	return list, nil
}

// schema returns the schema with the arguments of the offer, without their
// descriptions: the names suffice, and primitives.list has the text.
func (o coreTool) schema(r *primitive.Record) (json.RawMessage, error) {
	whole := primitive.Compact(r.InputSchema)
	all := primitive.Properties(whole)
	var given struct {
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(whole, &given); err != nil {
		return nil, err
	}
	var kept []jsonnode.Member
	for _, name := range append(slices.Clone(o.arguments), r.Observes...) {
		p := serverArguments[name]
		if at := slices.IndexFunc(all, func(p jsonnode.Member) bool { return p.Name == name }); at >= 0 {
			p = all[at]
		}
		p.Raw = primitive.Undescribed(p.Raw)
		kept = append(kept, p)
	}
	if !reportExempt(o.name) {
		kept = append(kept, reportProperty) // not required: it holds for later calls
	}
	return objectSchema(kept, given.Required)
}
