package mcpserver

import (
	"slices"

	"github.com/actionsjson/actions-host/pkg/control"
)

// updateTools updates the tools after a change of the connected browsers: in the profile
// all, a primitive is a tool only if an extension of theirs knows it. The clients of
// the server are notified. The profile core never changes.
func (s *Server) updateTools(connected []*control.Client) {
	if !s.options.All {
		return
	}
	s.listing.Lock()
	defer s.listing.Unlock()
	for _, t := range s.offeredTools {
		here := !isMissing(connected, t.name)
		switch {
		case here && s.absent[t.name]:
			delete(s.absent, t.name)
			s.mcp.AddTool(t.tool, s.handler(t.name))
		case !here && !s.absent[t.name]:
			s.absent[t.name] = true
			s.mcp.RemoveTools(t.tool.Name)
		}
	}
}

// isMissing reports whether no connected browser has the primitive; false without a
// browser.
func isMissing(connected []*control.Client, name string) bool {
	return len(connected) > 0 && !slices.ContainsFunc(connected, func(c *control.Client) bool {
		return !slices.Contains(c.Status.MissingPrimitives, name)
	})
}
