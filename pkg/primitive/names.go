package primitive

import (
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

// SafeName turns a primitive's name into one that providers of models take: every
// other character becomes _, runs of them one.
func SafeName(name string) string {
	safe := runs.ReplaceAllString(other.ReplaceAllString(strings.TrimSpace(name), "_"), "_")
	if safe == "" {
		safe = "tool"
	}
	return safe[:min(len(safe), maxName)]
}

// SafeNames maps each name to a safe and unique one, in order: where two would be the
// same, the later one gets a checksum of its own characters appended.
func SafeNames(names []string) map[string]string {
	taken := map[string]bool{}
	safe := map[string]string{}
	for _, name := range names {
		short := SafeName(name)
		for n := 0; taken[short]; n++ {
			suffix := "_" + checksum(name, n)
			short = SafeName(name)
			short = short[:min(len(short), maxName-len(suffix))] + suffix
		}
		taken[short] = true
		safe[name] = short
	}
	return safe
}

func checksum(name string, salt int) string {
	sum := salt
	for _, r := range name {
		sum += int(r)
	}
	return fmt.Sprintf("%x", sum%100000)
}
