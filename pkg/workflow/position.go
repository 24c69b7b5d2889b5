package workflow

import "context"

// Position is the step that a run is at, from 1, and how many it has.
type Position struct{ Step, Steps int }

type positionKey struct{}

// PositionOf returns the position of the run whose step the context is of; the zero value
// outside of one.
func PositionOf(ctx context.Context) Position {
	p, _ := ctx.Value(positionKey{}).(Position)
	return p
}

func withPosition(ctx context.Context, p Position) context.Context {
	return context.WithValue(ctx, positionKey{}, p)
}
