package primitive

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// maxName is the longest name of a function that providers take.
const maxName = 64

var (
	other = regexp.MustCompile(`[^A-Za-z0-9_-]`)
	runs  = regexp.MustCompile(`_+`)
)

// Names are names of primitives and the safe ones that providers of models take for
// functions.
type Names struct {
	safe, dotted map[string]string
}

// NewNames returns names, each with a safe and unique one, in order: where two would
// be the same, the later one gets a checksum of its own characters appended.
func NewNames(names []string) Names {
	n := Names{safe: map[string]string{}, dotted: map[string]string{}}
	for _, name := range names {
		safe := safeName(name)
		for salt := 0; n.has(safe); salt++ {
			suffix := "_" + checksum(name, salt)
			safe = safeName(name)
			safe = safe[:min(len(safe), maxName-len(suffix))] + suffix
		}
		n.safe[name], n.dotted[safe] = safe, name
	}
	return n
}

// Safe returns the safe name of a primitive, "" for an unknown one.
func (n Names) Safe(name string) string { return n.safe[name] }

// Dotted returns the primitive of a safe name, and any other name as it is.
func (n Names) Dotted(name string) string {
	if n.has(name) {
		return n.dotted[name]
	}
	return name
}

func (n Names) has(safe string) bool {
	_, ok := n.dotted[safe]
	return ok
}

// safeName replaces every character that providers do not take by _, runs of them
// by one.
func safeName(name string) string {
	safe := runs.ReplaceAllString(other.ReplaceAllString(strings.TrimSpace(name), "_"), "_")
	safe = cmp.Or(safe, "tool")
	return safe[:min(len(safe), maxName)]
}

func checksum(name string, salt int) string {
	sum := salt
	for _, r := range name {
		sum += int(r)
	}
	return fmt.Sprintf("%x", sum%100000)
}
