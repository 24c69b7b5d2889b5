// Package fault is the one shape of an error: a code for programs, a message
// for a person and a next step for an agent.
//
// Rules of this package:
//   - Codes are append-only and declared in manifest/errors.json with their hint.
//   - A message says what happened in words a person understands; it holds no
//     secrets and no page text beyond short labels.
//   - Faults are returned, never logged and passed by.
package fault

import (
	"context"
	"errors"
	"fmt"
	"maps"
)

// Code names a kind of failure, such as target_not_found.
type Code string

// Dispatched reports whether the call may have reached the page.
type Dispatched string

// The three answers to "was it sent?".
const (
	NotDispatched       Dispatched = "no"
	WasDispatched       Dispatched = "yes"
	DispatchedUnknown   Dispatched = "unknown"
	dispatchedUndecided Dispatched = ""
)

type trait struct {
	retryable, recoverable bool
	nextStep               string
}

// Error is a failure with its code. Its JSON form is the "error" member of the
// envelope.
type Error struct {
	Code        Code           `json:"code"`
	Message     string         `json:"message"`
	Recoverable bool           `json:"recoverable"`
	Retryable   bool           `json:"retryable"`
	Dispatched  Dispatched     `json:"dispatched,omitempty"`
	Evidence    map[string]any `json:"evidence,omitempty"`
	NextStep    string         `json:"next_step"`

	cause error
}

// New makes an error of the code with the code's declared traits and hint.
func New(code Code, format string, args ...any) *Error {
	t, ok := traits[code]
	if !ok {
		t = traits[InternalError]
	}
	return &Error{
		Code:        code,
		Message:     fmt.Sprintf(format, args...),
		Recoverable: t.recoverable,
		Retryable:   t.retryable,
		NextStep:    t.nextStep,
	}
}

// Wrap is New with a cause that errors.Is and errors.As can see.
func Wrap(cause error, code Code, format string, args ...any) *Error {
	e := New(code, format, args...)
	e.cause = cause
	return e
}

// Known reports whether the code is declared in manifest/errors.json.
func Known(code Code) bool { _, ok := traits[code]; return ok }

// Error returns the code and the message.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.cause }

// With returns a copy with one more piece of evidence.
func (e *Error) With(key string, value any) *Error {
	c := *e
	c.Evidence = maps.Clone(e.Evidence)
	if c.Evidence == nil {
		c.Evidence = map[string]any{}
	}
	c.Evidence[key] = value
	return &c
}

// WithDispatched returns a copy that states whether the call was sent. An answer
// given earlier, nearer to the page, stays.
func (e *Error) WithDispatched(d Dispatched) *Error {
	if e.Dispatched != dispatchedUndecided {
		return e
	}
	c := *e
	c.Dispatched = d
	return &c
}

// WithNextStep returns a copy with another hint than the code's own.
func (e *Error) WithNextStep(hint string) *Error {
	c := *e
	c.NextStep = hint
	return &c
}

// From turns any error into a fault: a fault stays what it is, a cancelled
// context is cancelled, a deadline is handler_timeout, anything else is a
// defect (internal_error). From(nil) is nil.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled):
		return Wrap(err, Cancelled, "the call was cancelled")
	case errors.Is(err, context.DeadlineExceeded):
		return Wrap(err, HandlerTimeout, "the call's time was used up")
	default:
		return Wrap(err, InternalError, "%v", err)
	}
}

// Is reports whether err is a fault with this code.
func Is(err error, code Code) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}
