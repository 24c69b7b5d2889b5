package dispatch

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// BatchTool is the name of the primitive that makes several calls. It is no step on the
// call path: each of its calls goes the whole path by itself, and it has no rights, no lane
// and no record in the log of its own.
const BatchTool = "primitives.batch"

// MayAct reports whether a call of the primitive may change something: it does, or runs
// what does.
func MayAct(r *primitive.Record) bool {
	return r.Acts() || r.Name == SiteTool || r.Name == BatchTool
}

// batchResult is what became of a call that succeeded.
type batchResult struct {
	Name   string          `json:"name"`
	Output json.RawMessage `json:"output"`
	Meta   map[string]any  `json:"meta,omitzero"`
}

type batchKey struct{}

// runBatch takes a batch to its handler.
func (d *Dispatcher) runBatch(ctx context.Context, in invocation, c Call) (json.RawMessage, error) {
	handler, err := d.Handlers.Handler(in.record)
	if err != nil {
		return nil, err
	}
	if err := in.record.CheckInput(in.args); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithValue(ctx, batchKey{}, in), timeout(c))
	defer cancel()
	output, err := handler(ctx, primitive.Call{ID: in.id, Record: in.record, Arguments: in.args, Session: in.session, Meta: in.meta})
	if err != nil {
		return nil, err
	}
	return d.overflow.fit(in.session.ID, in.id, c.Name, output, budget(in.record, c)), in.record.CheckOutput(output)
}

// Batch is primitives.batch. The batch's own target is that of each call that names none,
// until one of them makes another tab the current one.
func (d *Dispatcher) Batch(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
	in, ok := ctx.Value(batchKey{}).(invocation)
	if !ok {
		return nil, fault.New(fault.InternalError, "%s: not in a batch", BatchTool)
	}
	calls, err := d.batchCalls(in)
	if err != nil {
		return nil, err
	}
	results, acted := []batchResult{}, false
	current := in.session.Current()
	for i, call := range calls {
		if in.session.Current() != current && call.Target == in.target {
			call.Target = tabs.Target{}
		}
		reportStep(ctx, call.Name)
		e := d.Call(ctx, in.session, call)
		record, _ := d.Catalogue.Public(call.Name)
		if !e.OK {
			dispatched := e.Error.Dispatched
			if acted {
				dispatched = fault.WasDispatched
			}
			return nil, fault.New(fault.BatchStopped, "call %d of %d, %s, failed: %s", i+1, len(calls), call.Name, e.Error.Message).
				With("failed_at", i).With("error", e.Error).With("results", results).With("not_run", len(calls)-i-1).
				WithDispatched(dispatched)
		}
		acted = acted || MayAct(record)
		results = append(results, batchResult{call.Name, e.Output, e.Meta.Brief()})
		in.meta.Attachments = append(in.meta.Attachments, e.Attachments...)
	}
	return primitive.Output(map[string]any{"results": results})
}

// batchCalls reads the calls. One that could never run is refused before the first is made.
func (d *Dispatcher) batchCalls(in invocation) ([]Call, error) {
	var batch struct {
		Calls []struct {
			Name      string          `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"calls"`
	}
	if err := json.Unmarshal(in.args, &batch); err != nil {
		return nil, fault.Wrap(err, fault.InvalidInput, "the calls cannot be read: %v", err).WithDispatched(fault.NotDispatched)
	}
	calls := make([]Call, len(batch.Calls))
	for i, c := range batch.Calls {
		args, err := parse(c.Arguments)
		if err == nil {
			calls[i] = Call{Name: c.Name, Arguments: args}
			calls[i].Target, err = d.checkMember(calls[i])
		}
		if err != nil {
			return nil, fault.From(err).With("index", i).WithDispatched(fault.NotDispatched)
		}
		if calls[i].Target == (tabs.Target{}) {
			calls[i].Target = in.target
		}
	}
	return calls, nil
}

// checkMember checks a call of a batch as far as that is possible before it is made, and
// returns the target that it names itself.
func (d *Dispatcher) checkMember(c Call) (tabs.Target, error) {
	member, err := d.parseCall(c)
	switch {
	case err != nil:
		return member.target, err
	case c.Name == BatchTool:
		return member.target, fault.New(fault.InvalidInput, "a batch cannot be within a batch").WithNextStep("List the calls themselves, 10 at most.")
	case ReturnsPicture(member.record):
		return member.target, fault.New(fault.InvalidInput, "%s returns a picture, and the answer of a batch is text", c.Name).WithNextStep("Call it by itself, after the batch.")
	}
	if _, next := continuation(c.Arguments); next {
		return member.target, nil
	}
	return member.target, member.record.CheckInput(member.args)
}
