package voice

import (
	"context"
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Bounds of runtime.agent.await_event.
const (
	defaultAwaitTimeout = 25 * time.Second
	minAwaitTimeout     = time.Second
	maxAwaitTimeout     = 60 * time.Second
)

// Handlers returns the handlers of the primitives by which clients reach the agent.
// The function forget clears the memory and returns the number of its entries.
func (m *Manager) Handlers(forget func(ctx context.Context) (int, error)) map[string]primitive.Handler {
	return map[string]primitive.Handler{
		"runtime.agent.start":        m.start,
		"runtime.agent.stop":         m.stop,
		"runtime.agent.user_message": m.userMessage,
		"runtime.agent.await_event":  m.awaitEvent,
		"runtime.agent.memory_clear": func(ctx context.Context, _ primitive.Call) (json.RawMessage, error) {
			n, err := forget(ctx)
			if err != nil {
				return nil, err
			}
			return primitive.Output(map[string]any{"cleared": true, "cleared_event_count": n})
		},
	}
}

func (m *Manager) start(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		TextOnly *bool `json:"text_only"`
	}](c)
	if err != nil {
		return nil, err
	}
	state, err := m.Start(ctx, args.TextOnly == nil || *args.TextOnly)
	if err != nil {
		return nil, err
	}
	return primitive.Output(state)
}

func (m *Manager) stop(context.Context, primitive.Call) (json.RawMessage, error) {
	return primitive.Output(m.Stop())
}

func (m *Manager) userMessage(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Text string `json:"text"`
		Mode Mode   `json:"mode"`
	}](c)
	if err != nil {
		return nil, err
	}
	session, err := m.Session()
	if err != nil {
		return nil, err
	}
	reply, err := session.SendAndWait(ctx, args.Text, args.Mode)
	if err != nil {
		return nil, err
	}
	return primitive.Output(reply)
}

// events is the output of a read of the feed.
type events struct {
	Events   []FeedEvent `json:"events"`
	Cursor   int64       `json:"cursor"`
	Idle     bool        `json:"idle"`
	SilentMS int64       `json:"silent_ms,omitzero"`
}

func (m *Manager) awaitEvent(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Cursor    *int64 `json:"cursor"`
		TimeoutMS int64  `json:"timeout_ms"`
	}](c)
	if err != nil {
		return nil, err
	}
	cursor := m.feed.LastCursor()
	if args.Cursor != nil {
		cursor = *args.Cursor
	}
	limit := defaultAwaitTimeout
	if args.TimeoutMS > 0 {
		limit = min(maxAwaitTimeout, max(minAwaitTimeout, time.Duration(args.TimeoutMS)*time.Millisecond))
	}
	// An answer must come before the caller's own limit, or it is lost.
	if deadline, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(deadline)-500*time.Millisecond)
	}
	wait, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	began := time.Now()
	found, next := m.feed.Await(wait, cursor)
	if err := ctx.Err(); err != nil {
		return nil, fault.From(err)
	}
	e := events{Events: found, Cursor: next, Idle: len(found) == 0}
	if e.Idle {
		e.SilentMS = time.Since(began).Milliseconds()
	}
	return primitive.Output(e)
}
