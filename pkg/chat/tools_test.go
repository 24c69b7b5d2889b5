package chat_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/chat"
	"github.com/actionsjson/actions-host/pkg/coretools"
	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// wanted are the tools in their order. Those in expected come once the dictionary has them.
var (
	wanted = []string{
		"actions_site", "navigate", "repl", "ask_user_which_element", "skill", "debugger", "page_read", "user_clarify", "agent_done",
		"browser_claimed_tabs_activate", "browser_claimed_tabs_list", "browser_navigate", "browser_open_tab", "browser_screenshot", "keyboard_press",
		"locator_click", "locator_fill", "locator_select_option", "locator_set_checked", "locator_text_content", "locator_wait_for",
		"page_snapshot", "page_wait_for", "primitives_batch",
	}
	expected = []string{"navigate", "repl", "ask_user_which_element", "skill", "debugger"}
)

// ownShare is what the five tools of the text agent may weigh together, in bytes: while some are
// not there yet, the others must leave room for them.
const ownShare = 5_000

func toolset(t testing.TB) *chat.Toolset {
	t.Helper()
	tools, err := chat.Tools(primitive.Load())
	if err != nil {
		t.Fatal(err)
	}
	return tools
}

func all(*primitive.Record) bool { return true }

func TestTools(t *testing.T) {
	// Ensure that a chat model gets these tools in this order within their bytes, each with a valid schema that demands a report where dispatch does, and none that only MCP has.
	set := toolset(t)
	offered := set.Offer(all)
	var names, ownNames []string
	own := []model.Tool{}
	for _, tool := range offered {
		names = append(names, tool.Name)
		if _, err := schema.Compile(tool.Parameters); err != nil {
			t.Errorf("%s: %v", tool.Name, err)
		}
		r, _ := set.Record(tool.Name)
		needsReport := !r.IsForTextAgent() && !coretools.ReportExempt(r.Name)
		if got := strings.Contains(string(tool.Parameters), `"policy_exception_report"]`); got != needsReport {
			t.Errorf("%s demands a report: %v", tool.Name, got)
		}
		if tool.Description == "" || r.Internal {
			t.Errorf("%+v", tool)
		}
		if slices.Contains(expected, tool.Name) {
			own, ownNames = append(own, tool), append(ownNames, tool.Name)
		}
	}
	want := slices.DeleteFunc(slices.Clone(wanted), func(name string) bool {
		return slices.Contains(expected, name) && !slices.Contains(ownNames, name)
	})
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	size := chat.Size(offered)
	t.Logf("%d tools in %d bytes; %d are the text agent's own, in %d", len(offered), size, len(own), chat.Size(own))
	if limit := chat.MaxTools; size > limit || len(own) < len(expected) && size-chat.Size(own) > limit-ownShare {
		t.Errorf("the tools weigh %d bytes", size)
	}
}

func TestSelect(t *testing.T) {
	// Ensure that tools are chosen by the names that a model knows, and that unknown ones are named once.
	set := toolset(t)
	tools, ignored := set.Select([]string{"page_read", "teleport", "actions_site", "page.read", "teleport", "primitives_call", ""})
	if len(tools) != 2 || tools[0].Name != "actions_site" || tools[1].Name != "page_read" {
		t.Errorf("%+v", tools)
	}
	if diff := cmp.Diff([]string{"teleport", "page.read", "primitives_call", ""}, ignored); diff != "" {
		t.Error(diff)
	}
	if got := set.Offer(func(r *primitive.Record) bool { return r.Effect == "read" }); len(got) == 0 || slices.ContainsFunc(got, func(tool model.Tool) bool { return tool.Name == "locator_click" }) {
		t.Errorf("only reading tools: %+v", got)
	}
}
