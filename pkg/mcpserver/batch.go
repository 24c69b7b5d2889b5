package mcpserver

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// callsMember is the argument of primitives.batch with its calls.
const callsMember = "calls"

// normalizeBatch takes the calls of a batch as models write them, each as if it stood in
// primitives.call. What has no single meaning is left for the host to refuse.
func (s *Server) normalizeBatch(args members) {
	var calls []json.RawMessage
	if json.Unmarshal(args[callsMember], &calls) != nil {
		return
	}
	for i, call := range calls {
		name, inner, err := s.unwrap(callTool, call)
		if err != nil {
			continue
		}
		s.normalizeReport(name, inner)
		if raw, err := primitive.Output(map[string]any{"name": name, "arguments": inner}); err == nil {
			calls[i] = raw
		}
	}
	if raw, err := primitive.Output(calls); err == nil {
		args[callsMember] = raw
	}
}

// calledNames returns the primitives that a call makes: itself, or those of a batch.
func calledNames(name string, args members) []string {
	var calls []struct {
		Name string `json:"name"`
	}
	if name != dispatch.BatchTool || json.Unmarshal(args[callsMember], &calls) != nil {
		return []string{name}
	}
	names := make([]string, len(calls))
	for i, call := range calls {
		names[i] = call.Name
	}
	return names
}
