package launch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// ErrDetached is the error of a command that cannot be answered any more: its target is gone,
// or the session has ended.
var ErrDetached = errors.New("the debugging session has ended")

// codeNoSession is the browser's error code for an unknown session.
const codeNoSession = -32001

// Attach returns a debugging session of a target; a target may have several. No
// domain is enabled.
func (b *Browser) Attach(ctx context.Context, id target.ID) (cdp.Session, error) {
	flat := true
	attached, err := cdp.Call(ctx, b.Session(), target.AttachToTarget, target.AttachToTargetParams{TargetID: id, Flatten: &flat})
	if err != nil {
		return nil, err
	}
	return session{pipe: b.pipe, id: string(attached.SessionID)}, nil
}

// Detach ends a session of Attach. One that has ended already needs nothing.
func (b *Browser) Detach(ctx context.Context, s cdp.Session) error {
	one, ok := s.(session)
	if !ok || one.id == "" {
		return fault.New(fault.InternalError, "not a session of a target")
	}
	_, err := cdp.Call(ctx, b.Session(), target.DetachFromTarget, target.DetachFromTargetParams{SessionID: target.SessionID(one.id)})
	var refused *Error
	if errors.As(err, &refused) {
		return nil
	}
	return err
}

// Evaluate runs a script in the session's document and returns its result, a promise awaited.
func Evaluate[T any](ctx context.Context, s cdp.Session, script string) (value T, err error) {
	yes := true
	done, err := cdp.Call(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: script, AwaitPromise: &yes, ReturnByValue: &yes})
	switch {
	case err != nil:
		return value, err
	case done.ExceptionDetails != nil:
		text := done.ExceptionDetails.Text
		if e := done.ExceptionDetails.Exception; e != nil && e.Description != "" {
			text += " " + e.Description
		}
		return value, fault.New(fault.InternalError, "the script failed: %s", text)
	}
	if err := json.Unmarshal(done.Result.Value, &value); err != nil {
		return value, fmt.Errorf("the script gave %s %s: %w", done.Result.Type, done.Result.Value, err)
	}
	return value, nil
}

// IsDocumentGone reports whether the error means that the document, or its target, was gone
// before it answered.
func IsDocumentGone(err error) bool {
	var refused *Error
	if errors.As(err, &refused) {
		return strings.Contains(strings.ToLower(refused.Message), "inspected target navigated or closed") ||
			strings.Contains(refused.Message, "Cannot find context") || strings.Contains(refused.Message, "Execution context was destroyed") ||
			strings.Contains(refused.Message, "Promise was collected")
	}
	return errors.Is(err, ErrDetached)
}
