package session

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/task"
)

func queueOf(c primitive.Call) task.Key {
	return task.Key{Session: c.Session.SessionID(), TabID: c.TabID}
}

// taskText is a task as a text, or as an object with one.
type taskText string

func (t *taskText) UnmarshalJSON(raw []byte) error {
	var object struct{ Text string }
	if raw[0] == '{' {
		err := json.Unmarshal(raw, &object)
		*t = taskText(object.Text)
		return err
	}
	return json.Unmarshal(raw, (*string)(t))
}

func (s *Sessions) taskAdd(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Text  *string    `json:"text"`
		Tasks []taskText `json:"tasks"`
	}](c)
	if err != nil {
		return nil, err
	}
	if (args.Text == nil) == (args.Tasks == nil) {
		return nil, fault.New(fault.InvalidTask, "task.add takes either text or tasks").WithDispatched(fault.NotDispatched)
	}
	var texts []string
	if args.Text != nil {
		texts = append(texts, *args.Text)
	}
	for _, t := range args.Tasks {
		texts = append(texts, string(t))
	}
	added, summary, err := s.Tasks.Add(queueOf(c), texts...)
	if err != nil {
		return nil, err
	}
	return primitive.Output(struct {
		Added []task.Task `json:"added"`
		task.Summary
	}{added, summary})
}

func (s *Sessions) taskNext(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	next, remaining, done, summary, err := s.Tasks.Next(queueOf(c))
	switch {
	case err != nil:
		return nil, err
	case done:
		return primitive.Output(struct {
			Done      bool `json:"done"`
			Remaining int  `json:"remaining"`
			task.Summary
		}{true, 0, summary})
	}
	return primitive.Output(struct {
		Done      bool      `json:"done"`
		Task      task.Task `json:"task"`
		Remaining int       `json:"remaining"`
	}{false, next, remaining})
}

func (s *Sessions) taskComplete(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		ID     string          `json:"id"`
		Status task.Status     `json:"status"`
		Result json.RawMessage `json:"result"`
	}](c)
	if err != nil {
		return nil, err
	}
	completed, summary, err := s.Tasks.Complete(queueOf(c), args.ID, args.Status, args.Result)
	if err != nil {
		return nil, err
	}
	return primitive.Output(struct {
		Task task.Task `json:"task"`
		task.Summary
	}{completed, summary})
}

func (s *Sessions) taskList(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	summary, err := s.Tasks.List(queueOf(c))
	if err != nil {
		return nil, err
	}
	return primitive.Output(summary)
}

func (s *Sessions) taskClear(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	summary, err := s.Tasks.Clear(queueOf(c))
	if err != nil {
		return nil, err
	}
	return primitive.Output(struct {
		Cleared bool `json:"cleared"`
		task.Summary
	}{true, summary})
}
