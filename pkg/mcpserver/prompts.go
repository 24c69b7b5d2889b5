package mcpserver

import (
	"context"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const operatePrompt = `Operate the site in the current tab of the user's browser.

1. browser_claimed_tabs_list shows the tabs that were handed over. With several, choose one with browser_claimed_tabs_activate.
2. actions_site {"mode":"list"} says what can be done on this page. Read its guidance; the map's author wrote it for you.
3. Read the state with {"mode":"state_summary"} or "state_read" before you act, so that you can tell afterwards what changed.
4. Call stored actions. Use a primitive only where none serves, and say why in policy_exception_report.
5. After each act look at what came of it: the action's own output, {"mode":"state_diff"}, or page_snapshot. Do not report what you have not seen.
6. For a job of many items put the whole plan into the queue first (primitives_call with task.add), then task.next and task.complete until it is empty.
7. needs_approval and denials are the user's decision: tell them what you want to do, and wait.`

const mapPrompt = `Write an actions.json map for the site in the current tab, so that the next agent can operate the page through declared actions without finding out again how it works.

1. Load the site's storage: read the resource actions-host://storage and the files of this site in it.
2. Ask which actions exist already: actions_site {"mode":"list"}. meta.map_errors names maps that do not load.
3. Use existing actions first. {"mode":"check"} tells whether the map still fits the page.
4. Where an action is missing or broken, learn how the page works: page_snapshot, browser_screenshot, primitives_list and primitives_call for the rest, with kind "debugger" only where nothing else shows it.
5. Turn what you found into an action in scopes/private/sites/HOST/SURFACE/actions.json of the storage folder: a stable dotted name for what the user would call it, a description, an input_schema that is closed, steps of documented primitives with a described target, an output, and a postcondition where the page's state tells success. No opaque scripts, no absolute paths, no tokens, no account names.
6. Save the file. The host reads it at the next call; hold it against the rules with: actions-host validate FILE, and actions-host lint DIR.
7. Retest with the stored action alone: primitives_direct {"allowed":false}, then actions_site {"mode":"call",…} with good, empty and wrong arguments, and look at the state with state_read. Then primitives_direct {"allowed":true}. What only worked with a primitive goes back to step 5.`

const savePrompt = `Save the job that was just done on the page as a stored action, so that it is one call the next time, with other inputs.

1. Where the job has not been done in this session, do it now, by primitives and refs, step by step; read what it gave last, with locator_text_content. Leave out nothing that the job needs, and do nothing besides.
2. See what would be saved: primitives_call {"name":"actions.save","arguments":{"name":"shop.order","preview":true,"policy_exception_report":{…}}}. Its sentences say what the action does, its notes what was left out and what is uncertain. Where calls are in it that do not belong, name those that do: "calls":"3-8".
3. Show the user the sentences and the inputs. Save it without preview once they are right, under a name that says what a user would see: site.search, site.order.
4. Prove it: go back to the page where it begins and run actions_site {"mode":"call",…} with other inputs than those of the job. Where that orders, sends or deletes something, ask the user first. Until it has passed, list calls it unproven.
5. Where it fails, its error names the step. Do that part of the job once more and save again under another name, or correct the file that "path" names in the storage folder.`

// addPrompts offers the three prompts, which a person starts by name.
func (s *Server) addPrompts() {
	s.prompt("operate_this_site", "Operate this site", "Do a job on the page in the current tab.", operatePrompt,
		&mcp.PromptArgument{Name: "task", Description: "What shall be done."})
	s.prompt("save_action", "Save as an action", "Turn what was just done on the page into a stored action, and prove it.", savePrompt,
		&mcp.PromptArgument{Name: "job", Description: "What the action shall do, and its name."})
	s.prompt("write_a_map", "Write a map for this site", "Turn what a page can do into stored actions, and prove that they work.", mapPrompt,
		&mcp.PromptArgument{Name: "goal", Description: "Which actions the map shall have."})
}

func (s *Server) prompt(name, title, description, text string, argument *mcp.PromptArgument) {
	s.mcp.AddPrompt(&mcp.Prompt{Name: name, Title: title, Description: description, Arguments: []*mcp.PromptArgument{argument}},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			whole := text
			if argumentText := strings.TrimSpace(req.Params.Arguments[argument.Name]); argumentText != "" {
				whole += "\n\nThe user's words: " + argumentText
			}
			return &mcp.GetPromptResult{Description: description, Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: whole}}}}, nil
		})
}
