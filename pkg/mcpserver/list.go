package mcpserver

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paging"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// maxListBytes is how long a page of the list of primitives may be.
const maxListBytes = 6000

// listed is a primitive in the list.
type listed struct {
	Name    string `json:"name"`
	Effect  string `json:"effect"`
	Summary string `json:"summary"`
}

// described is everything that is needed to call a primitive.
type described struct {
	listed
	Kind string `json:"policy_exception_report_kind,omitzero"`
	// Input is the type of the arguments; where that is longer, Schema is given.
	Input  string          `json:"input,omitzero"`
	Schema json.RawMessage `json:"input_schema,omitzero"`
	Errors []string        `json:"errors,omitzero"`
}

// listPrimitives finds primitives by words, or describes one by its name. The list is
// the same on every page: what a map blocks is refused when it is called.
func (s *Server) listPrimitives(args members) (any, error) {
	var want struct {
		Query  string `json:"query"`
		Name   string `json:"name"`
		Offset int    `json:"offset"`
	}
	const example = `{"query":"upload"} or {"name":"locator.hover"}`
	if err := args.decodeInto(listTool, example, &want); err != nil {
		return nil, err
	}
	if want.Offset < 0 {
		return nil, fault.New(fault.InvalidInput, "the offset of %s is a number from 0", listTool).WithNextStep("Call it like " + example + ".")
	}
	if want.Name != "" {
		return s.describe(s.names.Dotted(want.Name))
	}
	found := s.find(want.Query)
	page := append([]listed{}, paging.Fill(found, want.Offset, maxListBytes, func(l listed) (listed, int) { return l, len(l.Name) + len(l.Summary) + 50 })...)
	output := map[string]any{"primitives": page, "total": len(found)}
	if len(found) == 0 {
		output["next_step"] = "No primitive that this session may use has all these words: try one word, or no query to see all."
	}
	if next := want.Offset + len(page); next < len(found) {
		output["next"] = map[string]any{"name": listTool, "arguments": map[string]any{"query": want.Query, "offset": next}}
	}
	return output, nil
}

// find returns the matching primitives that the session may use.
func (s *Server) find(query string) []listed {
	var found []listed
	for _, r := range s.catalogue.Find(query) {
		if s.offered(r) && r.Name != dispatch.SiteTool {
			found = append(found, listed{r.Name, r.Effect, r.Summary})
		}
	}
	return found
}

func (s *Server) describe(name string) (any, error) {
	r, public := s.catalogue.Public(name)
	if !public {
		return nil, s.catalogue.NoSuch(name).WithNextStep("Search for it: primitives.list with query.")
	}
	d := described{listed: listed{name, r.Effect, r.Summary}, Input: primitive.TypeScript(r.InputSchema), Errors: r.Errors}
	if schema := primitive.Compact(r.InputSchema); len(schema) < len(d.Input) {
		d.Input, d.Schema = "", schema
	}
	if !reportExempt(name) {
		d.Kind = policy.ReportKind(r.CapabilityClass, policy.Effect(r.Effect))
	}
	return d, nil
}
