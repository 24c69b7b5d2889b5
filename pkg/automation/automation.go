// Package automation runs tools of the text agent: navigation, the picker of elements, skills,
// and code by the debugger.
//
// Rules of this package:
//   - A tool does nothing itself that a primitive can do: each step is decided, blocked and
//     logged by its own name.
//   - A navigation has succeeded when the new document is there. One that is still loading
//     has not.
//   - Only the user's own hand picks an element: what a page or an agent makes counts for nothing.
//   - No call approves a library: only the user does, in the options.
package automation

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/automation/skill"
	"github.com/actionsjson/actions-host/pkg/browser/primitives"
	"github.com/actionsjson/actions-host/pkg/browser/scripts"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Path is the call path, as far as these tools need it.
type Path interface {
	// Delegate runs a primitive of the same effect for the call of the context.
	Delegate(ctx context.Context, name string, args json.RawMessage, private bool) (json.RawMessage, error)
}

// Tools runs the tools. Its fields are set once, before the first call.
type Tools struct {
	Path   Path
	Skills *skill.Store
	// Browser and Scripts run what these tools need of the page beside primitives that callers
	// may use.
	Browser *primitives.Handlers
	Scripts *scripts.Handlers

	pickers pickers
}

// Handlers returns the handlers by the names of their primitives.
func (t *Tools) Handlers() map[string]primitive.Handler {
	return map[string]primitive.Handler{
		"automation.navigate":               t.navigate,
		"automation.ask_user_which_element": t.pick,
		"automation.debugger":               t.debugger,
		"automation.skill":                  t.skill,
	}
}

// delegate runs a step and decodes what is needed of its output.
func (t *Tools) delegate(ctx context.Context, name string, args map[string]any, into any) error {
	raw, err := primitive.Output(args)
	if err != nil {
		return err
	}
	output, err := t.Path.Delegate(ctx, name, raw, false)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(output, into); err != nil {
		return fault.Wrap(err, fault.InvalidResult, "the output of %s cannot be read: %v", name, err)
	}
	return nil
}
