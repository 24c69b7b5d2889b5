//go:build unix

package doctor

import (
	"errors"
	"syscall"
)

// abandoned tells whether a dial failed because nobody listens any more. A
// process that hangs with a full queue gives another error.
func abandoned(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
