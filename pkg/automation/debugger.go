package automation

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/primitive"
)

// evaluated is the output of automation.debugger.
type evaluated struct {
	Text    string           `json:"text"`
	Details evaluatedDetails `json:"details"`
}

type evaluatedDetails struct {
	Type      string `json:"type"`
	Described bool   `json:"described,omitzero"`
	URL       string `json:"url"`
}

// debugger evaluates code in the main world of the page, by the primitive that does that.
func (t *Tools) debugger(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Code string `json:"code"`
	}](c)
	if err != nil {
		return nil, err
	}
	source := args.Code
	isExpression, err := t.Scripts.IsExpression(ctx, c, args.Code)
	if err != nil {
		return nil, err
	}
	if isExpression {
		source = "return (\n" + args.Code + "\n)"
	}
	var ran struct {
		Result json.RawMessage `json:"result"`
		evaluatedDetails
	}
	if err := t.delegate(ctx, "debug.run_javascript", map[string]any{"source": source}, &ran); err != nil {
		return nil, err
	}
	text := string(ran.Result)
	var plain string
	switch {
	case ran.Type == "undefined":
		text = "undefined"
	case json.Unmarshal(ran.Result, &plain) == nil && ran.Type != "null":
		text = plain
	}
	return primitive.Output(evaluated{text, ran.evaluatedDetails})
}
