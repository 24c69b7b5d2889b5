package control

import "time"

// SetStallTimeout sets how long a client may stand still, and returns what sets it back.
func SetStallTimeout(d time.Duration) (reset func()) {
	before := stallTimeout
	stallTimeout = d
	return func() { stallTimeout = before }
}
