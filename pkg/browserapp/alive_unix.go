//go:build unix

package browserapp

import (
	"errors"
	"syscall"
)

// alive tells whether a process of that id is there, whoever's it is.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
