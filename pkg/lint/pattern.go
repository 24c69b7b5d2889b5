package lint

import (
	"regexp"
	"sync"
)

// pattern returns a regular expression that is compiled at its first use: every
// start of the program would pay for it, and few runs check a map.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
