//go:build unix

package endpoint

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock reports whether the file's lock was free and is taken now.
func tryLock(file *os.File) (bool, error) {
	err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
