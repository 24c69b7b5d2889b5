//go:build unix

package expr

import (
	"syscall"
	"time"
)

// processorTime returns the processor time that this process has used.
func processorTime() time.Duration {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return time.Duration(time.Now().UnixNano()) // time that passes, then
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
