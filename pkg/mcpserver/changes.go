package mcpserver

import (
	"slices"

	"github.com/actionsjson/actions-host/pkg/control"
)

// changed follows the browsers that are connected: in the profile all a primitive
// that none of their extensions knows is no tool, and one that came with another
// browser is. The clients of the server are told. The profile core never changes.
func (s *Server) changed(connected []*control.Client) {
	if !s.options.All {
		return
	}
	s.listing.Lock()
	defer s.listing.Unlock()
	for _, t := range s.every {
		here := !lacking(connected, t.name)
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

// lacking tells whether no browser that is connected has the primitive. Without
// a browser nobody lacks anything.
func lacking(connected []*control.Client, name string) bool {
	return len(connected) > 0 && !slices.ContainsFunc(connected, func(c *control.Client) bool {
		return !slices.Contains(c.Status.MissingPrimitives, name)
	})
}
