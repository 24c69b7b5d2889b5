package draft

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// maxPageTools is the maximum number of actions around tools of the page.
const maxPageTools = 20

// pageTool is a tool that the page itself offers (WebMCP).
type pageTool struct {
	Name           string          `json:"name"`
	Description    string          `json:"description"`
	InputSchema    json.RawMessage `json:"input_schema"`
	WaitsForSubmit bool            `json:"waits_for_submit"`
	Annotations    struct {
		Consequential bool `json:"consequential"`
	} `json:"annotations"`
}

// addPageTools writes an action around each tool of the page's own origin. A
// browser without page tools has none.
func (w *writer) addPageTools(ctx context.Context, read pagemodel.Read) error {
	var out struct {
		Tools []pageTool `json:"tools"`
		Total int        `json:"total"`
	}
	if err := call(ctx, read, "webmcp.list", map[string]any{"origin": w.page.origin, "limit": maxPageTools}, &out); err != nil {
		switch fault.From(err).Code {
		case fault.CapabilityUnavailable, fault.UnknownPrimitive:
			return nil
		case fault.DebuggerUnavailable:
			w.note("Tools of the page's own were not looked for: the debugger is not available on this tab.")
			return nil
		}
		return err
	}
	for _, t := range out.Tools {
		name, free := w.freeName("page", slug(t.Name))
		if slug(t.Name) == "" || !free {
			w.note("The page's tool " + line(t.Name) + " has no action: its name is taken, or gives none.")
			continue
		}
		w.add(tool{
			Name: name, Description: t.describe(), InputSchema: w.inputOf(t),
			Workflow: &workflow{Version: 1, Language: "jsonata", Output: "{% steps.call.output.output %}", Steps: []step{{
				ID: "call", Primitive: "webmcp.invoke",
				Args: map[string]any{"name": t.Name, "origin": w.page.origin, "arguments": "{% input %}"},
			}}},
		})
		w.requires = append(w.requires, t.Name)
	}
	if out.Total > len(out.Tools) {
		w.note(fmt.Sprintf("%d more tools of the page's own have no action.", out.Total-len(out.Tools)))
	}
	return nil
}

func (t pageTool) describe() string {
	text := "Call the page's own tool " + t.Name + "."
	if description := strings.TrimSuffix(line(t.Description), "."); description != "" {
		text += " The page says of it: “" + description + "”."
	}
	if t.WaitsForSubmit {
		text += " It fills in a form, which the user must submit."
	}
	if t.Annotations.Consequential {
		text += " The user is asked each time."
	}
	return text
}

// inputOf returns the tool's schema, if all of it is supported.
func (w *writer) inputOf(t pageTool) any {
	if _, err := schema.Compile(t.InputSchema); err == nil {
		return t.InputSchema
	}
	if len(t.InputSchema) > 0 {
		w.note("The input schema of the page's tool " + t.Name + " is not understood here and was left out.")
	}
	return map[string]string{"type": "object"}
}
