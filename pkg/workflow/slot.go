package workflow

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// slot is a value of a workflow that is evaluated: one expression, or JSON with
// expressions at any depth.
type slot struct {
	expression *expr.Expression // set when the whole value is one expression
	source     string           // of the expression
	tree       json.RawMessage
}

// compileSlot checks all expressions in raw. The two forms are kept apart
// because only a single expression can be undefined.
func compileSlot(raw json.RawMessage) (*slot, []error) {
	var text string
	if raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return &slot{tree: raw}, expr.CheckTree(raw)
	}
	source, isSlot, err := expr.Slot(text)
	if err != nil {
		return nil, []error{err}
	}
	if !isSlot {
		return &slot{tree: raw}, nil
	}
	expression, err := expr.Compile(source)
	if err != nil {
		return nil, []error{err}
	}
	return &slot{expression: expression, source: source}, nil
}

func (s *slot) eval(ctx context.Context, data expr.Value, limits expr.Limits) (expr.Value, error) {
	if s.expression != nil {
		return s.expression.Eval(ctx, data, limits)
	}
	tree, err := expr.EvalTree(ctx, s.tree, data, limits)
	if err != nil {
		return expr.Undefined(), err
	}
	return expr.Decode(tree)
}

// evalObject evaluates arguments. Anything but an object is rejected here,
// before a primitive is called.
func (s *slot) evalObject(ctx context.Context, data expr.Value, limits expr.Limits) (json.RawMessage, error) {
	if s == nil {
		return json.RawMessage(`{}`), nil
	}
	tree, err := expr.EvalTree(ctx, s.tree, data, limits)
	if err != nil {
		return nil, err
	}
	if tree = bytes.TrimSpace(tree); len(tree) == 0 || tree[0] != '{' {
		return nil, fault.New(fault.InvalidArguments, "the arguments are not an object")
	}
	return tree, nil
}

// number returns an evaluated value as a number.
func number(v expr.Value) (float64, error) {
	var n *float64
	if v.IsUndefined() || json.Unmarshal(v.JSON(), &n) != nil || n == nil {
		return 0, fmt.Errorf("not a number")
	}
	return *n, nil
}

// literal reports whether the value holds no expression and so can be checked
// when the workflow is parsed.
func literal(raw json.RawMessage) bool {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return true
	}
	_, isSlot, err := expr.Slot(text)
	return !isSlot && err == nil
}
