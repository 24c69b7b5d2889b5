package dispatch

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Primitives that observe an input for its caller.
const (
	waitTool     = "page.wait_for"
	snapshotTool = "page.snapshot"
)

const (
	// restMS is how long the page must keep still before it is compared; restTimeoutMS is
	// how long that is waited for: a page that never rests is compared as it is then.
	restMS        = 150
	restTimeoutMS = 2000
	// diffChars leaves room for the primitive's own output within its budget.
	diffChars = 6000
)

// observation is what the caller of an input wants to know of the page after it: that
// something came true, and what changed. The records of all inputs take it, and it is
// answered here alone; the handlers do not know of it.
type observation struct {
	Diff   bool         `json:"diff"`
	Expect *expectation `json:"expect"`
}

// any reports whether anything is asked.
func (w observation) any() bool { return w.Diff || w.Expect != nil }

type expectation struct {
	Text      string          `json:"text,omitzero"`
	Locator   json.RawMessage `json:"locator,omitzero"`
	URL       string          `json:"url,omitzero"`
	TimeoutMS *int            `json:"timeout_ms,omitzero"`
}

// splitObservation returns what the call asks to observe, and its other arguments.
func splitObservation(r *primitive.Record, args json.RawMessage) (wants observation, rest json.RawMessage, err error) {
	var members map[string]json.RawMessage
	if len(r.Observes) == 0 || json.Unmarshal(args, &members) != nil {
		return wants, args, nil
	}
	asked := map[string]json.RawMessage{}
	for _, name := range r.Observes {
		if value, ok := members[name]; ok {
			asked[name] = value
			delete(members, name)
		}
	}
	if len(asked) == 0 {
		return wants, args, nil
	}
	raw, err := primitive.Output(asked)
	if err == nil {
		err = json.Unmarshal(raw, &wants)
	}
	if err == nil {
		rest, err = primitive.Output(members)
	}
	if err != nil {
		err = fault.Wrap(err, fault.InvalidInput, "the arguments of %s are not valid: %v", r.Name, err).WithDispatched(fault.NotDispatched)
	}
	return wants, rest, err
}

// primitives names the primitives that observe: policy decides about them with the input.
func (w observation) primitives() (names []string) {
	if w.Expect != nil {
		names = append(names, waitTool)
	}
	if w.Diff {
		names = append(names, waitTool, snapshotTool)
	}
	return slices.Compact(names)
}

// observe returns the context in which an input is observed: reading was decided with it.
func observe(ctx context.Context, input *scope) context.Context {
	reading := *input
	reading.authorized = input.origin
	return context.WithValue(ctx, scopeKey{}, &reading)
}

// before keeps the page as it is before the input, to compare with.
func (d *Dispatcher) before(ctx context.Context, w observation) error {
	if !w.Diff {
		return nil
	}
	_, err := d.step(ctx, snapshotTool, map[string]any{"apart": true, "max_chars": 1000})
	if err != nil {
		return fault.From(err).WithDispatched(fault.NotDispatched)
	}
	return nil
}

// after waits for what is expected of the input of the context, and adds what it changed to
// its output. Once the input was done, no failure to observe says anything else.
func (d *Dispatcher) after(ctx context.Context, name string, w observation, output json.RawMessage) (json.RawMessage, error) {
	if w.Expect != nil {
		if err := d.await(ctx, *w.Expect); err != nil {
			return nil, notObserved(err, "%s was done, but what was expected did not come", name).With("expect", w.Expect)
		}
	}
	if !w.Diff {
		return output, nil
	}
	rest := map[string]any{"load_state": "domcontentloaded", "stable": restMS, "timeout_ms": restTimeoutMS}
	if _, err := d.step(ctx, waitTool, rest); err != nil && !fault.Is(err, fault.Timeout) {
		return nil, notObserved(err, "%s was done, but the page after it could not be read", name)
	}
	raw, err := d.step(ctx, snapshotTool, map[string]any{"apart": true, "diff": true, "max_chars": diffChars})
	if err != nil {
		return nil, notObserved(err, "%s was done, but the page after it could not be read", name)
	}
	return withChanges(output, raw)
}

// await waits until all that is expected is so.
func (d *Dispatcher) await(ctx context.Context, e expectation) error {
	args := map[string]any{}
	if e.Text != "" {
		args["text"] = e.Text
	}
	if e.Locator != nil {
		args["locator"] = e.Locator
	}
	if e.URL != "" {
		args["url_contains"] = e.URL
	}
	if e.TimeoutMS != nil {
		args["timeout_ms"] = *e.TimeoutMS
	}
	_, err := d.step(ctx, waitTool, args)
	return err
}

// step is Step with arguments of the host's own.
func (d *Dispatcher) step(ctx context.Context, name string, args map[string]any) (json.RawMessage, error) {
	raw, err := primitive.Output(args)
	if err != nil {
		return nil, err
	}
	return d.Step(ctx, name, raw)
}

func notObserved(err error, format string, args ...any) *fault.Error {
	cause := fault.From(err)
	return fault.Wrap(err, fault.ExpectationFailed, format+": %s", append(args, cause.Message)...).
		With("cause", map[string]any{"code": cause.Code, "message": cause.Message, "evidence": cause.Evidence}).
		WithDispatched(fault.WasDispatched)
}

// withChanges adds to an output what a snapshot says of the changes.
func withChanges(output, snapshot json.RawMessage) (json.RawMessage, error) {
	var members, changes map[string]json.RawMessage
	if err := json.Unmarshal(output, &members); err != nil {
		return nil, fault.Wrap(err, fault.InvalidResult, "the output is not an object: %v", err)
	}
	if err := json.Unmarshal(snapshot, &changes); err != nil {
		return nil, fault.Wrap(err, fault.InvalidResult, "the snapshot cannot be read: %v", err)
	}
	for _, name := range []string{"diff", "snapshot", "next"} {
		if value, ok := changes[name]; ok {
			members[name] = value
		}
	}
	return primitive.Output(members)
}
