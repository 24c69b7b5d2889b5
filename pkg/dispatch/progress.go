package dispatch

import "context"

type progressKey struct{}

// WithProgress has the steps of a stored action told, each before it begins. The
// function must not block for long: the step waits for it.
func WithProgress(ctx context.Context, tell func(step string)) context.Context {
	return context.WithValue(ctx, progressKey{}, tell)
}

func tellStep(ctx context.Context, name string) {
	if tell, ok := ctx.Value(progressKey{}).(func(string)); ok {
		tell(name)
	}
}
