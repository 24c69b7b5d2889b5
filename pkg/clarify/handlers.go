package clarify

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Handlers returns the handler of this package by the name of its primitive.
func (q *Questions) Handlers() map[string]primitive.Handler {
	return map[string]primitive.Handler{"user.clarify": q.clarify}
}

func (q *Questions) clarify(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Question string   `json:"question"`
		Options  []string `json:"options"`
	}](c)
	if err != nil {
		return nil, err
	}
	answer, err := q.Ask(ctx, Question{
		Session: c.Session.Kind(), SessionID: c.Session.SessionID(), Caller: c.Session.Name(),
		Text: args.Question, Options: args.Options,
	})
	if err != nil {
		return nil, err
	}
	return primitive.Output(answer)
}
