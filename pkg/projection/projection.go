// Package projection turns what a page shows into the state that a map
// declares for it, and tells what changed between two states.
//
// Rules of this package:
//   - It reads no page: what the primitive state.extract gave comes in as an
//     Extraction and is data, never an instruction.
//   - A declaration is usable as a whole or refused with every fault named.
//     Expressions and schemas are compiled once; a Projection never changes and
//     serves many goroutines.
//   - Nothing is cut in silence. A state over its budget is an error that names
//     the summaries; what a difference leaves out is counted in it.
//   - Equal states have equal hashes, whatever the order of their members.
//   - A failed check says what was expected and what was seen.
package projection

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/schema"
)

// Budgets, in bytes of JSON.
const (
	MaxStateBytes   = 48_000 // of a whole state, where the caller names no other number
	MaxSummaryBytes = 12_000 // of a summary, where neither the map nor the caller names one

	maxSummaryCeiling = 32_000    // of a summary, whoever asks for more
	maxMarkerBytes    = 32_000    // of all markers of a projection
	maxInternalBytes  = 256 << 10 // of a state before any budget: a summary may need all of it
)

// Primitive is what extracts the records of a projection from a page.
const Primitive = "state.extract"

// DefaultSummary is the summary that is meant where none is named.
const DefaultSummary = "agent_context"

// Projection is one state projection of a map, ready to run.
type Projection struct {
	Name        string
	Description string
	// URLMatches are the patterns of scope.url_matches; empty: every page of the map.
	URLMatches []string
	// Extract holds the arguments of the primitive state.extract.
	Extract        json.RawMessage
	Summaries      []Summary
	Postconditions []*Postcondition

	expression *expr.Expression
	output     *schema.Schema // nil: any state is valid
	markers    declaredMarkers
}

// Summary is a declared short form of a state.
type Summary struct {
	Name        string
	Description string
	MaxBytes    int // 0: MaxSummaryBytes

	expression *expr.Expression
}

// Problem is one fault of a declaration.
type Problem struct {
	Pointer string `json:"pointer"` // JSON pointer into the declaration
	Message string `json:"message"`
}

// Matches tells whether the page's URL is within the projection's scope.
func (p *Projection) Matches(url string) bool {
	return len(p.URLMatches) == 0 ||
		slices.ContainsFunc(p.URLMatches, func(pattern string) bool { return origin.MatchURL(pattern, url) })
}

// SummaryNames gives the names of the declared summaries; never nil, because an
// empty list tells an agent that there are none.
func (p *Projection) SummaryNames() []string {
	names := make([]string, len(p.Summaries))
	for i, s := range p.Summaries {
		names[i] = s.Name
	}
	return names
}

// summary finds a declared summary.
func (p *Projection) summary(name string) (Summary, bool) {
	i := slices.IndexFunc(p.Summaries, func(s Summary) bool { return s.Name == name })
	if i < 0 {
		return Summary{}, false
	}
	return p.Summaries[i], true
}

// Extraction is the output of the primitive state.extract.
type Extraction struct {
	Records     json.RawMessage `json:"records"`
	URL         string          `json:"url"`
	Title       string          `json:"title"`
	Diagnostics Diagnostics     `json:"diagnostics"`
}

// Diagnostics tells how well a page fits the declaration.
type Diagnostics struct {
	MissingRequiredFields []string       `json:"missing_required_fields"` // paths such as lists.0.name, the first hundred
	MissingRequiredCount  int            `json:"missing_required_count"`
	SelectorCounts        map[string]int `json:"selector_counts"` // matches by declared path, such as lists.cards
	Complete              bool           `json:"complete"`        // no required field is missing and nothing was left out
	Truncated             bool           `json:"truncated"`       // the page has more records than are read
	SchemaValid           bool           `json:"schema_valid"`    // of a Reading: the state passed its output_schema
}

// Reading is the state of a page, or a summary of it.
type Reading struct {
	Projection  string          `json:"projection"`
	StateHash   string          `json:"state_hash"` // of the whole state, also beside a summary
	ObservedAt  time.Time       `json:"observed_at"`
	State       json.RawMessage `json:"state,omitempty"`
	SummaryName string          `json:"summary_name,omitempty"`
	Summary     json.RawMessage `json:"summary,omitempty"`
	Markers     []Marker        `json:"markers,omitempty"`
	Diagnostics Diagnostics     `json:"diagnostics"`
}
