package harness

import (
	"crypto/sha256"
	"os"
	"time"
)

const (
	// longVariable in the environment makes repetitions long.
	longVariable = "ACTIONS_LONG"

	// work is what the measure hashes, and workInterval what that takes on a quiet
	// machine of the year 2020.
	work         = 24 << 20
	workInterval = 60 * time.Millisecond
	// maxFactor bounds the patience: a machine that is slower than that is stuck.
	maxFactor = 8
)

// factor is how much slower this machine is now than a quiet one of its time. It is
// measured once, when the tests begin.
var factor = measured()

// Patience is how long a test waits for what must happen before it fails.
var Patience = Scaled(20 * time.Second)

// Scaled returns a limit as it is on this machine. A limit only ends what hangs; it
// is never what a test judges by.
func Scaled(limit time.Duration) time.Duration { return time.Duration(float64(limit) * factor) }

// Long reports whether repetitions are to be as many as a release needs.
func Long() bool { return os.Getenv(longVariable) != "" }

// Pictures reports whether tests draw the pictures that people look at: in a long run, or where
// ACTIONS_PICTURES is set.
func Pictures() bool { return Long() || os.Getenv("ACTIONS_PICTURES") != "" }

// Times returns how often something is tried: few times, or many in a long run.
func Times(few, many int) int {
	if Long() {
		return many
	}
	return few
}

func measured() float64 {
	block, began := make([]byte, 1<<20), time.Now()
	for range work / len(block) {
		sha256.Sum256(block)
	}
	return min(max(1, float64(time.Since(began))/float64(workInterval)), maxFactor)
}
