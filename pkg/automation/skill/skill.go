// Package skill keeps what the text agent knows of sites: for each skill some words, and
// a library of functions that its scripts may call in the page.
//
// Rules of this package:
//   - A model writes skills and may be led astray by a page: a library runs only in the
//     version that the user has approved, on the pages that it was approved for. Any change
//     of its code, its name or its patterns takes the approval back.
//   - A change is on disk before it is answered. One that changes nothing is an error.
//   - The first skills come with the program, once: what the user deletes stays deleted.
package skill

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Limits of a skill, in characters, and of their number.
const (
	MaxSkills      = 200
	maxPatterns    = 20
	maxPattern     = 200
	maxName        = 64
	maxShort       = 200
	maxDescription = 4_000
	maxExamples    = 4_000
	maxLibrary     = 40_000
)

// Skill is what the agent knows of the pages that its patterns match.
type Skill struct {
	Name             string    `json:"name"`
	DomainPatterns   []string  `json:"domainPatterns"`
	ShortDescription string    `json:"shortDescription"`
	Description      string    `json:"description"`
	Examples         string    `json:"examples"`
	Library          string    `json:"library"`
	CreatedAt        time.Time `json:"createdAt"`
	LastUpdated      time.Time `json:"lastUpdated"`
	// Approved is the hash of the library that the user lets run; empty: none.
	Approved string `json:"approved,omitzero"`
}

// Brief is a skill as a navigation names it.
type Brief struct {
	Name             string `json:"name"`
	ShortDescription string `json:"shortDescription"`
}

// Library is code that may run in a page.
type Library struct {
	Name string
	Code string
	Hash string
}

// Hash names this version of the library: its code with its name and where it runs.
func (s Skill) Hash() string {
	if s.Library == "" {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", s.Name, s.DomainPatterns, s.Library))
	return hex.EncodeToString(sum[:])
}

// IsApproved reports whether the user lets this version of the library run.
func (s Skill) IsApproved() bool { return s.Library != "" && s.Approved == s.Hash() }

// Matches reports whether the skill is about a page.
func (s Skill) Matches(address string) bool {
	return slices.ContainsFunc(s.DomainPatterns, func(pattern string) bool { return Matches(pattern, address) })
}

// check returns what is wrong with a skill.
func (s Skill) check() error {
	for _, text := range []struct {
		name, value string
		least, most int
	}{
		{"name", s.Name, 1, maxName}, {"shortDescription", s.ShortDescription, 1, maxShort}, {"description", s.Description, 0, maxDescription},
		{"examples", s.Examples, 0, maxExamples}, {"library", s.Library, 0, maxLibrary},
	} {
		if n := utf8.RuneCountInString(text.value); n < text.least || n > text.most || text.least > 0 && strings.TrimSpace(text.value) == "" {
			return invalid("%s has %d characters; it needs %d to %d", text.name, n, text.least, text.most)
		}
	}
	if n := len(s.DomainPatterns); n == 0 || n > maxPatterns {
		return invalid("a skill has 1 to %d domainPatterns, not %d", maxPatterns, n)
	}
	for _, pattern := range s.DomainPatterns {
		if err := checkPattern(pattern); err != nil {
			return err
		}
	}
	return nil
}

// checkPattern refuses a pattern that no address could ever match.
func checkPattern(pattern string) error {
	host, _, _ := strings.Cut(pattern, "/")
	switch {
	case utf8.RuneCountInString(pattern) > maxPattern:
		return invalid("a pattern has at most %d characters", maxPattern)
	case strings.Contains(pattern, "://") || strings.ContainsAny(pattern, "?# \t\n"):
		return invalid("the pattern %q has a scheme, a query or a space: write the host and the path, such as example.com/*/issues", pattern)
	case host == "" || strings.Contains(host, ":"):
		return invalid("the pattern %q does not begin with a host without a port", pattern)
	}
	return nil
}

func invalid(format string, args ...any) *fault.Error {
	return fault.New(fault.InvalidInput, format, args...).WithDispatched(fault.NotDispatched)
}
