package doctor

import (
	"errors"

	"golang.org/x/sys/windows"
)

// abandoned reports whether a dial failed because no process listens any more. A
// process that hangs with a full queue gives another error.
func abandoned(err error) bool { return errors.Is(err, windows.WSAECONNREFUSED) }
