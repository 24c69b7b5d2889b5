package expr

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Defaults of Limits.
const (
	defaultTimeout = 250 * time.Millisecond
	defaultInput   = 4 << 20
	defaultOutput  = 16_000
	largeInput     = 64 << 20

	baseNodes  = 250_000
	baseMemory = 24 << 20
	// Of each byte of a large input; a projection of 100,000 records takes a tenth of it.
	perByteTimeout = time.Microsecond
	heapPerByte    = 32
)

// maxStretch is how many times the timeout an evaluation may last that gets no processor.
const maxStretch = 20

// maxAbandoned is the number of evaluations still running after their deadline
// from which on new ones are rejected.
const maxAbandoned = 4

var abandoned atomic.Int32

// Limits bound one evaluation. A zero field takes its default.
type Limits struct {
	Timeout        time.Duration // of processor time, 250 ms: a busy machine is not the expression's fault
	MaxInputBytes  int           // of the input's JSON text, 4 MiB, and 64 MiB with LargeInput
	MaxOutputBytes int           // of the result's JSON text, 16,000
	// LargeInput is set where the input may hold the records of a large page. Time, memory and
	// nodes then grow with its bytes, so that each record may cost what it may on a small page.
	LargeInput bool
}

// of returns the limits for an input of so many bytes, with the defaults.
func (l Limits) of(inputBytes int) bounds {
	b := bounds{Limits: l, maxNodes: baseNodes, maxMemory: baseMemory}
	if b.Timeout <= 0 {
		b.Timeout = defaultTimeout
	}
	if b.MaxInputBytes <= 0 {
		b.MaxInputBytes = defaultInput
		if l.LargeInput {
			b.MaxInputBytes = largeInput
		}
	}
	if b.MaxOutputBytes <= 0 {
		b.MaxOutputBytes = defaultOutput
	}
	if l.LargeInput {
		b.Timeout += time.Duration(inputBytes) * perByteTimeout
		b.maxNodes += inputBytes / 2
		b.maxMemory += inputBytes * heapPerByte
	}
	return b
}

// bounds are the limits of one evaluation over its input.
type bounds struct {
	Limits
	maxNodes  int // values inside one value, and elements of one array
	maxMemory int // bytes by which the heap and the stacks may grow
}

// outcome is the result or the error of an evaluation.
type outcome struct {
	text []byte
	err  error
}

// ErrLimit is in each error of an evaluation that a limit refused or ended: it says nothing of the
// expression's value over this input.
var ErrLimit = errors.New("a limit of expressions was reached")

// Eval evaluates the expression with the input as its context item. The result
// has been through JSON, so it holds no functions. The errors are
// expression_timeout, expression_output_too_large, expression_evaluation_failed
// (also when the input is too large or too much memory is used),
// disallowed_expression_function, and [fault.From] of the context's error.
func (e *Expression) Eval(ctx context.Context, input Value, lim Limits) (Value, error) {
	bound := lim.of(input.size)
	if err := ctx.Err(); err != nil {
		return Value{}, fault.From(err)
	}
	if input.size > bound.MaxInputBytes {
		return Value{}, fault.Wrap(ErrLimit, fault.ExpressionEvaluationFailed,
			"the input has about %d bytes of JSON, the limit is %d", input.size, bound.MaxInputBytes)
	}
	if abandoned.Load() >= maxAbandoned {
		return Value{}, fault.Wrap(ErrLimit, fault.ExpressionTimeout,
			"%d expressions are still running after their deadline", maxAbandoned)
	}
	evalCtx, cancel := context.WithCancel(ctx)
	done := make(chan outcome, 1)
	var state atomic.Int32 // running, finished or detached
	go func() {
		defer cancel()
		text, err := e.run(evalCtx, input, bound)
		done <- outcome{text, err}
		if !state.CompareAndSwap(running, finished) {
			abandoned.Add(-1)
		}
	}()
	out, ended := await(ctx, done, bound.Timeout)
	if !ended {
		abandoned.Add(1)
		cancel()
		if state.CompareAndSwap(running, detached) {
			out.err = evalCtx.Err()
		} else { // it has just ended
			abandoned.Add(-1)
			out = <-done
		}
	}
	if out.err != nil {
		return Value{}, evalFault(ctx, out.err, bound.Timeout)
	}
	if out.text == nil {
		return Value{}, nil
	}
	return Decode(out.text)
}

// await waits for the outcome until the evaluation has had its time. What the process has used since
// is at least what the evaluation has.
func await(ctx context.Context, done <-chan outcome, timeout time.Duration) (out outcome, ended bool) {
	began, before := time.Now(), processorTime()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for {
		select {
		case out = <-done:
			return out, true
		case <-ctx.Done():
			return outcome{}, false
		case <-timer.C:
			left := timeout - (processorTime() - before)
			if left <= 0 || time.Since(began) >= maxStretch*timeout {
				return outcome{}, false
			}
			timer.Reset(left)
		}
	}
}

const (
	running int32 = iota
	finished
	detached
)

// evalFault returns the error of a failed evaluation: that of the caller's context
// first, then the evaluation's deadline, then the engine's error.
func evalFault(ctx context.Context, err error, timeout time.Duration) *fault.Error {
	var known *fault.Error
	switch {
	case errors.As(err, &known):
		return known
	case ctx.Err() != nil:
		return fault.From(ctx.Err())
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return fault.Wrap(ErrLimit, fault.ExpressionTimeout, "the expression did not end within %v", timeout)
	}
	return fault.Wrap(err, fault.ExpressionEvaluationFailed, "the expression failed: %s", typeNames.Replace(err.Error()))
}

// typeNames replaces Go types in the engine's messages by those of the language.
var typeNames = strings.NewReplacer("evaluator.jsonNullType", "null", "*evaluator.OrderedMap", "an object",
	"map[string]interface {}", "an object", "[]interface {}", "an array", "float64", "a number",
	"*evaluator.Lambda", "a function", "evaluator.BuiltinFunction", "a function", "evaluator.EnvAwareBuiltin", "a function",
	"<nil>", "nothing")
