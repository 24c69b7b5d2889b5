package mcpserver

import (
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/actionsjson/actions-host/pkg/coretools"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Names of the tools that are answered here, for all browsers, and of those that
// change the session's current tab.
const (
	tabsTool     = "browser.claimed_tabs.list"
	activateTool = "browser.claimed_tabs.activate"
	listTool     = "primitives.list"
	callTool     = "primitives.call"
	directTool   = "primitives.direct"
)

// tool is a tool with the dotted name of its primitive.
type tool struct {
	name string
	tool *mcp.Tool
}

// toolNames returns the name by which each tool is offered. The protocol allows dots
// and clients do not: Claude Desktop refuses a whole server for one such name,
// VS Code warns of it, Cursor drops the tool or calls it with underscores, and
// the services behind Codex refuse the request. All accept letters, digits and
// underscores. The voice agent's functions follow the same rule.
func toolNames(c *primitive.Catalogue) primitive.Names {
	// With the internal names, which are refused when called: to find them all records would be read.
	names := slices.DeleteFunc(c.Names(), func(name string) bool { return name == dispatch.SiteTool })
	return primitive.NewNames(slices.Concat([]string{dispatch.SiteTool, listTool, callTool, directTool}, names))
}

// tools returns the catalogue of the profile.
func (s *Server) tools() ([]tool, error) {
	list, err := s.coreTools()
	if s.options.All {
		list, err = s.allTools()
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "the tools cannot be offered: %v", err)
	}
	// The tools without a primitive give access to all the others.
	return append(list,
		s.local(listTool, "Find a primitive by words, or read the schema of one by name.",
			`{"type":"object","properties":{"query":{"type":"string"},"name":{"type":"string"},"offset":{"type":"integer"}}}`, true),
		s.local(callTool, "Call any primitive, or read on in a truncated answer with its next.",
			`{"type":"object","properties":{"name":{"type":"string"},"arguments":{"type":"object"}},"required":["name","arguments"]}`, false),
		s.local(directTool, "Switch direct primitives off while a map is retested, and on again.",
			`{"type":"object","properties":{"allowed":{"type":"boolean"}},"required":["allowed"]}`, true),
	), nil
}

func (s *Server) local(name, description, schema string, reads bool) tool {
	hints := &mcp.ToolAnnotations{ReadOnlyHint: reads}
	if reads {
		hints.OpenWorldHint = new(bool)
	}
	return tool{name, &mcp.Tool{Name: s.names.Safe(name), Description: description, InputSchema: json.RawMessage(schema), Annotations: hints}}
}

// allTools returns every primitive as a tool with its whole input schema.
func (s *Server) allTools() ([]tool, error) {
	var list []tool
	for _, name := range s.catalogue.Names() {
		r, public := s.catalogue.Public(name)
		if !public || !s.offered(r) {
			continue
		}
		input, err := s.fullSchema(r, primitive.Compact(r.InputSchema))
		if err != nil {
			return nil, err
		}
		list = append(list, tool{name, &mcp.Tool{
			Name: s.names.Safe(name), Description: r.Summary, InputSchema: input, Annotations: hints(r),
		}})
	}
	return list, nil
}

// hints returns the annotations of a tool. What they leave out has the protocol's
// default: destructive, and in an open world.
func hints(r *primitive.Record) *mcp.ToolAnnotations {
	h := &mcp.ToolAnnotations{ReadOnlyHint: r.Effect == "read" || r.Effect == "view"}
	if dispatch.MayAct(r) && !r.Acts() {
		h.ReadOnlyHint = false // it runs whatever the map declares, or the caller lists
		return h
	}
	if !h.ReadOnlyHint && r.Effect != "code" && !r.Security.Destructive {
		h.DestructiveHint = new(bool)
	}
	if r.Route == primitive.RouteHost && r.URLArgument == "" {
		h.OpenWorldHint = new(bool)
	}
	return h
}

// reportExempt reports whether a tool needs no policy_exception_report: it calls no primitive
// directly.
func reportExempt(name string) bool {
	return coretools.ReportExempt(name) || name == listTool || name == directTool
}
