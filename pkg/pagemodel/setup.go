package pagemodel

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
)

// Setup asks whether the setup of a check may run these primitives, and returns a
// function that runs one of them on a page of the map.
type Setup func(ctx context.Context, check string, primitives []string) (Read, error)

// setupStep is one primitive that brings the page into the state that the check is
// about.
type setupStep struct {
	primitive string
	arguments json.RawMessage
}

// readSetup reads the entries {primitive, args}. Others, such as an address to open,
// are for a person: the user chose the page.
func (s *Model) readSetup(setup jsonnode.Node) (steps []setupStep) {
	for _, e := range setup.Elements() {
		name := e.Get("primitive").Text()
		switch {
		case name == "":
		case len(steps) == maxSteps:
			s.problem(e, "the setup is too long; its entries from here on are not run")
			return steps
		default:
			steps = append(steps, setupStep{name, e.Get("args").Raw})
		}
	}
	return steps
}

// acts reports whether running the check may change the page, and not only read it. A
// primitive that the dictionary does not know may do anything.
func (c Check) acts(known Dictionary) bool {
	reads := func(s setupStep) bool {
		return known != nil && slices.Contains([]string{"read", "view"}, known.Effect(s.primitive))
	}
	return len(c.steps) > 0 || slices.ContainsFunc(c.setup, func(s setupStep) bool { return !reads(s) })
}

// calls reports whether the check runs the action itself.
func (c Check) calls(tool string) bool {
	return slices.ContainsFunc(c.steps, func(s checkStep) bool { return s.tool == tool })
}

// prepare runs the check's setup and adds its results.
func (r checkRun) prepare(ctx context.Context, result *CheckResult) error {
	if len(r.check.setup) == 0 {
		return nil
	}
	var names []string
	for _, step := range r.check.setup {
		names = append(names, step.primitive)
	}
	run, err := r.setup(ctx, r.check.ID, names)
	if err != nil {
		return err
	}
	for _, step := range r.check.setup {
		if _, err := run(ctx, step.primitive, step.arguments); err != nil {
			f := fault.From(err)
			result.Setup = append(result.Setup, StepResult{Primitive: step.primitive, Error: f.Error()})
			return f
		}
		result.Setup = append(result.Setup, StepResult{Primitive: step.primitive, OK: true})
	}
	return nil
}
