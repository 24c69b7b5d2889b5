//go:build race

package expr

// raceEnabled: the race detector multiplies the memory in use.
const raceEnabled = true
