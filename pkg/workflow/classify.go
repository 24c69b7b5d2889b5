package workflow

import (
	"fmt"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// failure is the error of a step. A final one ends the workflow regardless of
// on_error.
type failure struct {
	err   *fault.Error
	final bool
	step  *step // that failed, the innermost; nil before it is known
}

// passThrough lists the codes that are not failures of a step: the call, the tab or
// the user ended the whole workflow. They keep their own code.
var passThrough = []fault.Code{
	fault.StateMismatch, fault.PrimitiveBlocked, fault.TabNotClaimed, fault.NeedsApproval, fault.OutcomeUnknown,
	fault.JournalUnavailable, fault.Cancelled, fault.CodeDisabled, fault.PermissionDenied,
}

// noEffectCodes lists the codes of primitives that did nothing.
var noEffectCodes = []fault.Code{
	fault.TargetNotFound, fault.MultipleTargets, fault.TargetNotVisible, fault.TargetNotActionable,
	fault.TargetNotEditable, fault.TargetNotFocusable, fault.TargetNotScrollable, fault.AmbientReplaceRefused,
	fault.MissingCoordinates, fault.PointOutOfViewport, fault.InvalidSelector, fault.InvalidKey, fault.InvalidInput,
	fault.InvalidArguments, fault.UnknownPrimitive, fault.CapabilityUnavailable, fault.MissingHandler,
	fault.OverlayInterference, fault.FrameNotFound, fault.FrameCrossOrigin, fault.RestrictedPage,
	fault.RuntimeNotReady, fault.UnsafeURL, fault.StateMismatch, fault.PrimitiveBlocked, fault.TabNotClaimed,
	fault.NeedsApproval, fault.CodeDisabled, fault.PermissionDenied,
}

// notReady and missing map causes to the classes of the format.
var (
	notReady = []fault.Code{
		fault.WorkflowRetryExhausted, fault.WorkflowSettleTimeout, fault.Timeout, fault.TargetNotVisible,
		fault.TargetNotActionable, fault.RuntimeNotReady,
	}
	missing = []fault.Code{fault.TargetNotFound, fault.MultipleTargets, fault.MissingCoordinates, fault.FrameNotFound}

	// demands are the codes of what a map demands of a run. They keep their own code.
	demands = []fault.Code{fault.WorkflowAssertionFailed, fault.WorkflowTooFewItems}
)

// class is the caller's view of a failure.
type class struct {
	name, state string // failure_class and failed_state
	retryable   bool   // if nothing has acted on the page
	recovery    string
}

// classify returns the class for the cause's code; landed is set if the failing
// call may itself have acted, acted if any call of the run has.
func classify(cause *fault.Error, landed, acted bool) class {
	switch {
	case slices.Contains(demands, cause.Code) && acted:
		return class{"assertion_failed", "postcondition", false, "The message says what does not hold after what was done."}
	case slices.Contains(demands, cause.Code):
		return class{"assertion_failed", "precondition", false,
			"The message says what does not hold. Change the arguments, or bring the page to that state, then call the action again."}
	case cause.Code == fault.OverlayInterference:
		return class{"overlay_interference", "mutation", true,
			"Hide or collapse the overlay, return to a known state of the page, then call the action again."}
	case cause.Code == fault.StatePostconditionFailed:
		return class{"postcondition_failed", "postcondition", false,
			"Read the page's state first: the change may have landed although its check failed."}
	case slices.Contains(notReady, cause.Code):
		return class{"control_not_ready", "readiness", cause.Retryable || cause.Code == fault.WorkflowRetryExhausted,
			"Wait until the control is ready, then call the action again from the last verified state."}
	case slices.Contains(missing, cause.Code):
		return class{"target_not_found", "precondition", cause.Retryable,
			"Return to the page's base state, verify that the target is there, and only then call the action again."}
	case landed:
		return class{"step_error", "mutation", false,
			"Read the page's state first: the failed step may have taken effect."}
	default:
		return class{"step_error", "precondition", cause.Retryable,
			"Correct what the cause names, then call the action again."}
	}
}

// stepFailed returns the workflow's error for a failed entry of its steps. It names the
// step that failed, which may be one of the entry's group.
func (e *execution) stepFailed(entry *step, f *failure) *fault.Error {
	s := entry
	if f.step != nil {
		s = f.step
	}
	named := func(out *fault.Error) *fault.Error {
		if out = out.With("step_id", s.id); s.primitive != "" {
			out = out.With("primitive", s.primitive)
		}
		if s != entry {
			out = out.With("group_id", entry.id)
		}
		return out
	}
	if slices.Contains(passThrough, f.err.Code) || f.err.Code == fault.WorkflowTimeout {
		out := named(f.err)
		if len(e.acted) > 0 {
			out = out.WithNextStep(e.repeating() + "For what is left: " + f.err.NextStep)
		}
		return e.seal(out, f.err.Retryable)
	}
	// The failing step stands last among those that acted if it may have acted
	// itself.
	landed := len(e.acted) > 0 && e.acted[len(e.acted)-1] == s.id
	c := classify(f.err, landed, len(e.acted) > 0)
	code := fault.WorkflowStepFailed
	if strings.HasPrefix(string(f.err.Code), "workflow_retry_") || slices.Contains(demands, f.err.Code) {
		code = f.err.Code
	}
	out := named(fault.Wrap(f.err, code, "step %q (%s) failed%s: %s", s.id, s.kind(), atItem(f.err), f.err.Message)).With("cause", f.err).
		With("failure_class", c.name).With("failed_state", c.state).With("safe_recovery", e.recovery(c))
	out.Recoverable = true // each class can recover: see safe_recovery
	if c.name == "step_error" {
		out.Recoverable = f.err.Recoverable
	}
	return e.seal(out, c.retryable)
}

// atItem returns at which item a loop failed; those before it are done. Only loop
// writes integers there; evidence from a page has none.
func atItem(f *fault.Error) string {
	item, inLoop := f.Evidence["item"].(int)
	items, counted := f.Evidence["items"].(int)
	if !inLoop || !counted {
		return ""
	}
	return fmt.Sprintf(" at item %d of %d", item+1, items)
}

// recovery returns the advice for the class, with a warning once a step has acted.
func (e *execution) recovery(c class) string {
	if len(e.acted) == 0 {
		return c.recovery
	}
	return e.repeating() + c.recovery
}

// repeating returns the warning against calling an action again that has acted.
func (e *execution) repeating() string {
	return fmt.Sprintf("Do not repeat the action blindly: it has already acted on the page (%s). "+
		"Read the page's state, undo or complete what is half done. ", strings.Join(e.acted, ", "))
}

// seal sets the fields common to every error of a run: nothing is retryable once a
// step has acted, and the run was dispatched if any call was.
func (e *execution) seal(f *fault.Error, retryable bool) *fault.Error {
	sealed := *f
	sealed.Retryable = retryable && len(e.acted) == 0
	if len(e.acted) > 0 {
		sealed = *sealed.With("acted_steps", e.acted)
	}
	// An unknown outcome takes precedence; else the field covers all calls of the
	// run, not only the last.
	if sealed.Dispatched != fault.DispatchedUnknown {
		sealed.Dispatched = e.dispatched
	}
	return &sealed
}

// recordCall records for retrying whether a finished call may have acted.
func (e *execution) recordCall(c StepCall, err *fault.Error) {
	// An error without that information counts as sent: the safe side for a
	// caller who might repeat it.
	sent := fault.WasDispatched
	if err != nil && err.Dispatched != "" {
		sent = err.Dispatched
	}
	if sent == fault.WasDispatched || e.dispatched == fault.NotDispatched {
		e.dispatched = sent
	}
	noEffect := err != nil && (sent == fault.NotDispatched || slices.Contains(noEffectCodes, err.Code))
	if e.acts(c.Primitive) && !noEffect && !slices.Contains(e.acted, c.StepID) {
		e.acted = append(e.acted, c.StepID)
	}
}

// acts reports whether a primitive changes more than what is shown. An unknown
// primitive counts as one that does.
func (e *execution) acts(primitive string) bool {
	if e.run.Dictionary == nil {
		return true
	}
	switch e.run.Dictionary.Effect(primitive) {
	case "read", "view", "state":
		return false
	}
	return true
}
