package harness

import (
	"crypto/sha256"
	"os"
	"time"
)

const (
	// longVariable in the environment makes repetitions long.
	longVariable = "ACTIONS_LONG"

	// hashed and touched are the bytes that the measure hashes, and takes anew from the system,
	// and workInterval what both take on a quiet machine of the year 2020. Browsers spend much of
	// their time on fresh memory: it takes a virtual machine without hardware's help ten times as
	// long, whatever its processor.
	hashed       = 24 << 20
	touched      = 48 << 20
	workInterval = 70 * time.Millisecond
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
	for range hashed / len(block) {
		sha256.Sum256(block)
	}
	fresh := make([]byte, touched)
	for at := 0; at < len(fresh); at += os.Getpagesize() {
		fresh[at] = 1
	}
	return min(max(1, float64(time.Since(began))/float64(workInterval)), maxFactor)
}
