// Package textmodel lets chat models hold the conversations of pkg/voice: each response
// is one step of a [model.Stepper].
//
// Rules of this package:
//   - One step at a time. It runs beside the session, which cancels it.
//   - What is sent is well formed whatever the session did: a call is followed by its one
//     result, its arguments are an object, and the last words are not the model's own.
//   - A message of the host, which chat models have no role for, says that it is one.
package textmodel

import (
	"context"
	"time"

	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/voice"
)

// textInterval is the least time between two pieces of a growing answer.
const textInterval = 80 * time.Millisecond

// Provider makes the connections of a session.
type Provider struct {
	Stepper model.Stepper
	// Prepare returns what a model of which info is known is asked instead of the request;
	// fresh is set where the user has written since the last step. Nil: the request as it is.
	Prepare func(ctx context.Context, request model.Request, info model.Info, fresh bool) model.Request
	// Keep returns what is kept of a conversation. Nil: all of it.
	Keep func([]model.Message) []model.Message
}

var _ voice.Provider = (*Provider)(nil)

// Connect begins a conversation; the model is asked only with the first response.
func (p *Provider) Connect(_ context.Context, setup voice.Setup) (voice.Connection, error) {
	life, end := context.WithCancel(context.Background())
	c := &connection{provider: p, setup: setup, life: life, end: end, events: make(chan voice.Event, 16), calls: map[string]string{}}
	c.events <- voice.Ready{}
	return c, nil
}
