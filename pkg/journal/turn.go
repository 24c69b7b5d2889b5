package journal

import (
	"context"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Reading the log can wait, acting cannot: a profile's readers take turns at its
// records, a few thousand at a time, in the order in which they came. Those of one
// client count as one reader.

// Turns lets the readers that share it read one at a time.
type Turns struct{ slot chan struct{} }

// NewTurns returns the turns of one client.
func NewTurns() *Turns { return &Turns{make(chan struct{}, 1)} }

type turnsKey struct{}

// Bind makes all reading under the context wait for these turns too.
func (t *Turns) Bind(ctx context.Context) context.Context {
	return context.WithValue(ctx, turnsKey{}, t)
}

// acquire waits for the turn; nil Turns never wait.
func (t *Turns) acquire(ctx context.Context) (release func(), err error) {
	if t == nil {
		return func() {}, ctx.Err()
	}
	select {
	case t.slot <- struct{}{}:
		return func() { <-t.slot }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Turn waits until no other reader works on the log's records. The fault is
// cancelled, or handler_timeout, when the context ends first.
func (r *Reader) Turn(ctx context.Context) (release func(), err error) {
	own, _ := ctx.Value(turnsKey{}).(*Turns)
	releaseOwn, err := own.acquire(ctx)
	if err != nil {
		return nil, fault.From(err)
	}
	releaseAll, err := r.turns.acquire(ctx)
	if err != nil {
		releaseOwn()
		return nil, fault.From(err)
	}
	return func() { releaseAll(); releaseOwn() }, nil
}

// contextCheckEvery is how many records are read between two checks of the context.
const contextCheckEvery = 256

// progress counts the records of one turn.
type progress struct {
	ctx     context.Context
	visited int
}

// visit counts a record and returns the error of a context that has ended.
func (p *progress) visit() error {
	p.visited++
	if p.visited%contextCheckEvery == 0 && p.ctx.Err() != nil {
		return fault.From(p.ctx.Err())
	}
	return nil
}
