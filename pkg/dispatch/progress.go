package dispatch

import "context"

type progressKey struct{}

// WithProgress has each step of a stored action reported before it begins. The
// function must not block for long: the step waits for it.
func WithProgress(ctx context.Context, onStep func(step string)) context.Context {
	return context.WithValue(ctx, progressKey{}, onStep)
}

func reportStep(ctx context.Context, name string) {
	if onStep, ok := ctx.Value(progressKey{}).(func(string)); ok {
		onStep(name)
	}
}
