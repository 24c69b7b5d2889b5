package agent

import (
	"slices"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// Toolset is a choice of tools with names of their own.
type Toolset interface {
	// Offer returns the tools whose primitive is allowed.
	Offer(allowed func(*primitive.Record) bool) []model.Tool
	// Record returns the primitive that a tool calls.
	Record(tool string) (*primitive.Record, bool)
}

// open reports whether the user lets this agent have tools.
func (a *Agent) open() bool { return a.Gate == nil || a.Gate() }

// toolsetFunctions returns the tools of the set that would run here.
func (a *Agent) toolsetFunctions(blocked []string) (functions []voice.Function) {
	for _, t := range a.Toolset.Offer(func(r *primitive.Record) bool { return a.runsHere(r, blocked) }) {
		functions = append(functions, voice.Function{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
	}
	return functions
}

// runsHere reports whether the primitive would run for this session on the current page.
func (a *Agent) runsHere(r *primitive.Record, blocked []string) bool {
	if r.Name == dispatch.SiteTool {
		return true
	}
	if slices.Contains(blocked, r.Name) || !a.allowed(r) {
		return false
	}
	inPage := r.Route == primitive.RoutePage || r.CapabilityClass == "mixed"
	return !inPage || a.HasPagePrimitive(r.Name)
}
