// Package workflow checks and runs the stored workflows of action maps. It
// is independent of browsers: each primitive is called through a function of
// the caller.
//
// Rules of this package:
//   - Parse is strict and reports every problem; a workflow that it accepts never
//     fails for its shape at run time.
//   - A workflow is immutable once parsed and may run many times at once.
//   - A failed primitive fails its step. Only on_error and retry_until tolerate
//     a failure, and never one that a policy or a cancellation caused.
//   - Nothing runs without a limit: steps, items, attempts, time, sizes.
//   - What may be retried is decided from codes and effects, never from words.
package workflow

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// Limits of the format. A map cannot raise them.
const (
	MaxSteps = 25 // of a workflow, those inside of a for_each counted
	MaxLoop  = 50 // ceiling of min_items, max_items and max_attempts

	DefaultTimeout           = 120 * time.Second
	DefaultExpressionTimeout = 250 * time.Millisecond
	DefaultExpressionBytes   = 16_000   // JSON text of one slot's value
	DefaultOutputBytes       = 32_000   // JSON text of the workflow's value
	DefaultStepBytes         = 4 << 20  // outputs of all calls of a run together
	defaultContextBytes      = 16 << 20 // the context of an expression: loops and retries hold an output twice

	waitFor            = "locator.wait_for"
	settleTimeoutMS    = 8_000
	maxSettleTimeoutMS = 30_000 // wait_for's own ceiling
)

// Dictionary describes the primitives to the engine.
type Dictionary interface {
	// Step reports whether the primitive may be a workflow step.
	Step(name string) bool
	// Effect returns read, view, input, tab, state or code, and "" for a name
	// that is not a primitive.
	Effect(name string) string
}

// Workflow is a checked workflow. Parse makes it.
type Workflow struct {
	steps  []step
	output *slot // nil: the results of all steps are the output
}

// step is one checked entry of "steps". It is one of three kinds: a primitive, an
// assertion, or a group of steps that for_each runs for each item.
type step struct {
	id        string
	primitive string // "": an assertion or a group
	args      *slot  // nil: no arguments
	assert    *slot
	message   *slot // of an assertion; nil: a general one
	group     []step
	output    *slot // of a group, the value of an item; nil: the results of its steps

	when     *slot
	forEach  *slot
	minItems int
	maxItems int

	retryUntil  *slot
	maxAttempts int
	afterEach   *call
	onError     string // "", stop or continue: "" and stop differ for retry_until
	settle      *settle
}

// call is a primitive with its arguments.
type call struct {
	primitive string
	args      *slot
}

// settle is a checked settle_after: exactly one of its members is set.
type settle struct {
	wait  *slot // arguments of locator.wait_for
	delay *slot // milliseconds
}

func (s *step) tolerates() bool { return s.onError == "continue" }

// kind returns what the step consists of, for messages.
func (s *step) kind() string {
	switch {
	case s.assert != nil:
		return "assert"
	case s.group != nil:
		return "for_each"
	}
	return s.primitive
}

// walk visits all steps in their order, each before those of its group. within is the
// group that a step belongs to, nil for none.
func walk(steps []step, within *step, visit func(s, within *step)) {
	for i := range steps {
		visit(&steps[i], within)
		walk(steps[i].group, &steps[i], visit)
	}
}

// Len returns how many steps the workflow has, those of groups included.
func (w *Workflow) Len() (n int) {
	walk(w.steps, nil, func(*step, *step) { n++ })
	return n
}

// Primitives returns every primitive that a run may call, sorted and each once, so that a policy can decide before the first step.
func (w *Workflow) Primitives() []string {
	names := []string{}
	walk(w.steps, nil, func(s, _ *step) {
		if s.primitive != "" {
			names = append(names, s.primitive)
		}
		if s.afterEach != nil {
			names = append(names, s.afterEach.primitive)
		}
		if s.settle != nil && s.settle.wait != nil {
			names = append(names, waitFor)
		}
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// Run is one execution of a workflow.
type Run struct {
	// Input is the caller's arguments. Anything but an object counts as {}.
	Input json.RawMessage
	// Invoke runs one primitive and returns its output. A primitive that failed
	// is an error; the engine never looks for a failure inside an output.
	Invoke     func(ctx context.Context, call StepCall) (json.RawMessage, error)
	Dictionary Dictionary    // nil: every primitive counts as one that acts
	Timeout    time.Duration // of the whole run; 0: DefaultTimeout
	Limits     Limits
}

// Limits of a run; a zero field has the default of this package.
type Limits struct {
	Expression  expr.Limits // of each slot
	OutputBytes int         // of the workflow's value
	StepBytes   int         // of all outputs that a run keeps
}

// The phases in which a step calls a primitive.
const (
	PhaseStep      = "step"
	PhaseAfterEach = "after_each"
	PhaseSettle    = "settle"
)

// StepCall is one call of a primitive.
type StepCall struct {
	StepID    string
	Primitive string
	Arguments json.RawMessage // an object
	Phase     string          // step, after_each or settle
	Item      int             // index in for_each, from 0; that of its group for a step of one
	Attempt   int             // attempt of retry_until, from 1; 0 outside of one
}

// Result is the result of a run. Steps holds a summary of each step that was
// reached, also when the run failed.
type Result struct {
	Output json.RawMessage // nil when Err is set
	Steps  []Summary
	Err    *fault.Error
}

// Summary is the result of one step. That of a step in a group is over all items: it has
// the first code, the longest retry and the sum of the durations.
type Summary struct {
	ID         string         `json:"id"`
	Primitive  string         `json:"primitive,omitempty"` // "" for an assertion and a group
	OK         bool           `json:"ok"`
	Skipped    bool           `json:"skipped"`
	DurationMS int64          `json:"duration_ms"`
	Code       fault.Code     `json:"code,omitempty"`     // why it failed
	Attempts   int            `json:"attempts,omitempty"` // of retry_until
	Items      int            `json:"items,omitempty"`    // of for_each, those that ran; in a group those that reached the step
	Empty      bool           `json:"empty,omitempty"`    // for_each had no items, and nothing ran
	Truncated  bool           `json:"truncated,omitempty"`
	Total      int            `json:"total,omitempty"` // items there were, when truncated
	Settle     *SettleSummary `json:"settle,omitempty"`
	Steps      []Summary      `json:"steps,omitempty"` // of a group
}

// SettleSummary is the result of a step's settle_after. In for_each it is that of
// the first failure, else the last.
type SettleSummary struct {
	OK      bool    `json:"ok"`
	Mode    string  `json:"mode"` // locator or delay
	DelayMS float64 `json:"delay_ms,omitempty"`
	Reason  string  `json:"reason,omitempty"` // timeout, or the code of the failure
}
