package workflow

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// maxPlannedCalls bounds what is listed of a loop.
const maxPlannedCalls = 10

// Planned is what a run would do in one step. A group comes before its steps, whose calls are
// those of its items.
type Planned struct {
	ID        string
	Primitive string   // "assert" and "for_each" for an assertion and a group
	Ran       bool     // it only reads, and nothing before it acts: it ran
	Skipped   bool     // its condition does not hold
	Needs     []string // the steps that did not run and whose results it depends on; nothing more is known of it then
	Calls     []PlannedCall
	Items     int // of for_each, all of them
	Attempts  int // of retry_until, at most
	Err       *fault.Error
}

// PlannedCall is a call of a primitive with its evaluated arguments.
type PlannedCall struct {
	Arguments json.RawMessage
	Item      int // index in for_each, from 0
}

// Preview returns what a run would do, and calls nothing but primitives that looks accepts.
// The steps before the first one that calls another primitive run as in [Workflow.Run], so that
// later steps can be evaluated; where one of them fails, it is the last of the list. The
// error is one of the input.
func (w *Workflow) Preview(ctx context.Context, run Run, looks func(primitive string) bool) ([]Planned, *fault.Error) {
	if run.Timeout <= 0 {
		run.Timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, run.Timeout)
	defer cancel()
	calls := map[string][]PlannedCall{} // by step
	invoke := run.Invoke
	run.Invoke = func(ctx context.Context, c StepCall) (json.RawMessage, error) {
		if !looks(c.Primitive) { // not reachable: the step would not run
			return nil, fault.New(fault.PermissionDenied, "%s does not only look", c.Primitive).WithDispatched(fault.NotDispatched)
		}
		if c.Phase == PhaseStep && len(calls[c.StepID]) < maxPlannedCalls {
			calls[c.StepID] = append(calls[c.StepID], PlannedCall{c.Arguments, c.Item})
		}
		return invoke(ctx, c)
	}
	e := &execution{run: run, limits: run.Limits.withDefaults(), dispatched: fault.NotDispatched}
	if err := e.scope.start(run.Input); err != nil {
		return nil, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	var planned []Planned
	missing := map[string]bool{}
	looking := true
	for i := range w.steps {
		s := &w.steps[i]
		if looking = looking && s.only(looks); !looking {
			planned = append(planned, e.plan(ctx, s, missing)...)
			continue
		}
		summary, failed := e.step(ctx, s)
		planned = append(planned, ran(s, summary, failed, calls)...)
		if failed != nil {
			return planned, nil
		}
	}
	return planned, nil
}

// only reports whether the step calls nothing but primitives that are accepted.
func (s *step) only(accepts func(primitive string) bool) bool {
	return (s.primitive == "" || accepts(s.primitive)) && (s.afterEach == nil || accepts(s.afterEach.primitive)) &&
		(s.settle == nil || s.settle.wait == nil || accepts(waitFor)) &&
		!slices.ContainsFunc(s.group, func(inner step) bool { return !inner.only(accepts) })
}

// ran returns what a step that ran did, and those of its group. Where it failed nothing more is
// listed.
func ran(s *step, summary *Summary, failed *failure, calls map[string][]PlannedCall) []Planned {
	p := Planned{ID: s.id, Primitive: s.kind(), Ran: true, Calls: calls[s.id], Attempts: s.maxAttempts}
	if summary != nil {
		p.Skipped, p.Items = summary.Skipped, max(summary.Items, summary.Total)
		p.Ran = !summary.Skipped
	}
	if failed != nil {
		p.Err = failed.err
		return []Planned{p}
	}
	all := []Planned{p}
	for i := range s.group {
		inner := &s.group[i]
		at := slices.IndexFunc(summary.Steps, func(known Summary) bool { return known.ID == inner.id })
		skipped := at < 0 || summary.Steps[at].Skipped
		all = append(all, Planned{ID: inner.id, Primitive: inner.kind(), Ran: !skipped, Skipped: skipped, Calls: calls[inner.id], Items: p.Items, Attempts: inner.maxAttempts})
	}
	return all
}

// plan evaluates a step that does not run, as far as the results of the missing steps allow, and
// adds it to these. A group comes with its steps.
func (e *execution) plan(ctx context.Context, s *step, missing map[string]bool) []Planned {
	p := Planned{ID: s.id, Primitive: s.kind(), Attempts: s.maxAttempts}
	items := e.planOne(ctx, s, missing, &p)
	if !p.Skipped {
		missing[s.id] = true
	}
	all := []Planned{p}
	for i := range s.group {
		inner := Planned{ID: s.group[i].id, Primitive: s.group[i].kind(), Attempts: s.group[i].maxAttempts, Items: p.Items, Needs: p.Needs, Skipped: p.Skipped}
		all = append(all, inner)
	}
	for at, item := range items {
		e.planItem(ctx, s, item, at, missing, all[1:])
	}
	return all
}

// planItem adds to the plans of a group's steps what they do for one item.
func (e *execution) planItem(ctx context.Context, s *step, item expr.Value, at int, missing map[string]bool, plans []Planned) {
	defer e.scope.enter(item, at)()
	for i := range s.group {
		inner, one := &s.group[i], Planned{}
		defer delete(missing, inner.id) // it is seen inside only
		e.planOne(ctx, inner, missing, &one)
		p := &plans[i]
		if p.Skipped = one.Skipped && (at == 0 || p.Skipped); !one.Skipped {
			missing[inner.id] = true
		}
		for _, id := range one.Needs {
			if !slices.Contains(p.Needs, id) {
				p.Needs = append(slices.Clip(p.Needs), id)
			}
		}
		for _, call := range one.Calls {
			p.Calls = append(p.Calls, PlannedCall{call.Arguments, at})
		}
		if p.Err == nil {
			p.Err = one.Err
		}
	}
}

// planOne evaluates a step into its plan. For a group it returns the first items.
func (e *execution) planOne(ctx context.Context, s *step, missing map[string]bool, p *Planned) []expr.Value {
	if p.Needs = needs(missing, s.when, s.forEach); len(p.Needs) > 0 {
		return nil
	}
	if s.when != nil {
		condition, failed := e.eval(ctx, s.when, e.scope.root())
		if failed != nil {
			p.Err = failed.err
			return nil
		}
		if p.Skipped = !condition.Truthy(); p.Skipped {
			e.scope.set(s.id, skippedResult())
			return nil
		}
	}
	if p.Needs = needs(missing, s.args, s.assert, s.message); len(p.Needs) > 0 {
		return nil
	}
	if s.assert != nil {
		if failed := e.assert(ctx, s, e.scope.root()); failed != nil {
			p.Err = failed.err.WithDispatched(fault.NotDispatched)
		}
		return nil
	}
	contexts := []expr.Value{e.scope.root()}
	switch {
	case s.retryUntil != nil:
		contexts[0] = e.scope.attempt(1)
	case s.forEach != nil:
		over, failed := e.eval(ctx, s.forEach, e.scope.root())
		if failed != nil {
			p.Err = failed.err
			return nil
		}
		items := itemsOf(over)
		p.Items, contexts = len(items), nil
		if failed := s.tooFew(len(items)); failed != nil {
			p.Err = failed.err.WithDispatched(fault.NotDispatched)
			return nil
		}
		items = items[:min(len(items), s.maxItems, maxPlannedCalls)]
		if s.group != nil {
			return items
		}
		for i, item := range items {
			contexts = append(contexts, e.scope.at(item, i))
		}
	}
	for i, data := range contexts {
		arguments, err := s.args.evalObject(ctx, data, e.limits.Expression)
		if err != nil {
			p.Err = fault.From(err).WithDispatched(fault.NotDispatched)
			break
		}
		p.Calls = append(p.Calls, PlannedCall{arguments, i})
	}
	return nil
}

// needs returns the missing steps that the slots read results of, sorted.
func needs(missing map[string]bool, slots ...*slot) []string {
	found := map[string]bool{}
	for _, s := range slots {
		if s == nil {
			continue
		}
		s.eachExpression(func(source string) { addNeeds(found, missing, source) })
	}
	return slices.Sorted(maps.Keys(found))
}

// wholeContext matches what may read results without naming their step: wildcards and the
// context as a value.
var wholeContext = pattern(`\*\*|(?:^|[({\[,:=?.])\s*[*%]|(?:^|[^$])\$(?:[^\pL_$]|$)|\$\$(?:\s*[^.\s]|\s*$)`)

// addNeeds adds the missing steps that an expression reads. Where it cannot be determined which,
// it adds all: nothing that depends on a step is taken for known.
func addNeeds(found, missing map[string]bool, source string) {
	references, err := expr.References(source)
	all := err != nil || wholeContext().MatchString(source)
	for _, r := range references {
		switch {
		case !r.Is("steps"):
		case len(r.Path) == 1:
			all = true
		case missing[r.Path[1]]:
			found[r.Path[1]] = true
		}
	}
	if all {
		maps.Copy(found, missing)
	}
}

// eachExpression visits the sources of all expressions of a slot.
func (s *slot) eachExpression(visit func(source string)) {
	if s.expression != nil {
		visit(s.source)
		return
	}
	eachText(s.tree, func(text string) {
		if source, isSlot, err := expr.Slot(text); err == nil && isSlot {
			visit(source)
		}
	})
}
