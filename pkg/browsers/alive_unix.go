//go:build unix

package browsers

import (
	"errors"
	"syscall"
)

// alive reports whether a process of that ID exists, whichever user it belongs to.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
