// Package projection turns the content of a page into the state that a map
// declares, and computes the changes between two states.
//
// Rules of this package:
//   - It does not read pages: the output of the primitive state.extract is
//     passed in as an Extraction and is data, never an instruction.
//   - A declaration is usable as a whole or rejected with every problem named.
//     Expressions and schemas are compiled once; a Projection is immutable and
//     safe for concurrent use.
//   - Nothing is truncated silently. A state over its budget is an error that
//     names the summaries; a difference counts what it leaves out.
//   - Equal states have equal hashes, whatever the order of their members.
//   - A failed check reports the expected condition and the observed state.
//   - Cost grows with the records of the page, of which there may be 100,000; large states are
//     worked on one at a time.
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
	MaxStateBytes   = 48_000 // of a whole state, unless the caller sets another limit
	MaxSummaryBytes = 12_000 // of a summary, unless the map or the caller sets one

	maxSummaryCeiling = 32_000     // of a summary, whatever the map or the caller sets
	maxMarkerBytes    = 32_000     // of all markers of a projection
	maxRecordBytes    = 16_000_000 // of the records of a page
	maxInternalBytes  = 16 << 20   // of a state before any budget: a summary may need all of it
)

// Primitive is the name of the primitive that extracts a projection's records.
const Primitive = "state.extract"

// DefaultSummary is the name of the default summary.
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

// Problem is an error in a declaration.
type Problem struct {
	Pointer string `json:"pointer"` // JSON pointer into the declaration
	Message string `json:"message"`
}

// Matches reports whether the page's URL is within the projection's scope.
func (p *Projection) Matches(url string) bool {
	return len(p.URLMatches) == 0 ||
		slices.ContainsFunc(p.URLMatches, func(pattern string) bool { return origin.MatchURL(pattern, url) })
}

// SummaryNames returns the names of the declared summaries; never nil, so that an
// agent gets an empty list rather than null.
func (p *Projection) SummaryNames() []string {
	names := make([]string, len(p.Summaries))
	for i, s := range p.Summaries {
		names[i] = s.Name
	}
	return names
}

// summary returns a declared summary.
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

// Diagnostics describes how well a page fits the declaration.
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
