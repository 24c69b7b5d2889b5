package projection

import (
	"context"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// largeBytes is the size from which on records and states are worked on one at a time: as Go
// values they are some twenty times as large as their text.
const largeBytes = 1 << 20

// large admits what is large, one after the other, since many pages may be read side by side.
var large = turn(make(chan struct{}, 1))

type turn chan struct{}

// enter waits for the turn of so many bytes; the error is the context's.
func (t turn) enter(ctx context.Context, bytes int) error {
	if bytes < largeBytes {
		return nil
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fault.From(ctx.Err())
	}
}

// leave ends what enter began.
func (t turn) leave(bytes int) {
	if bytes >= largeBytes {
		<-t
	}
}
