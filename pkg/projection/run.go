package projection

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/expr"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// maxSchemaErrors is the maximum number of violations in an error: one changed field
// of a list violates the schema once for each record.
const maxSchemaErrors = 20

// Options configures a reading.
type Options struct {
	// Summary asks for this summary instead of the whole state.
	Summary string
	// MaxBytes is the caller's budget; 0 means the declared or the default one.
	MaxBytes int
	// Internal selects the whole state without a budget, for uses inside the host: a
	// difference, a postcondition.
	Internal bool
}

// Run evaluates the projection over an extraction. The errors are
// state_summary_not_found, state_projection_failed,
// state_schema_validation_failed, state_markers_failed, invalid_state_markers,
// state_summary_failed, state_payload_too_large, and [fault.From] of the
// context's error.
func (p *Projection) Run(ctx context.Context, in Extraction, opt Options) (Reading, error) {
	summary, found := p.summary(opt.Summary)
	if opt.Summary != "" && !found {
		return Reading{}, fault.New(fault.StateSummaryNotFound, "the state projection %q has no summary %q", p.Name, opt.Summary).
			With("projection", p.Name).With("available_summaries", p.SummaryNames())
	}
	if err := large.enter(ctx, len(in.Records)); err != nil {
		return Reading{}, err
	}
	defer large.leave(len(in.Records))
	records, err := expr.Decode(in.Records)
	if err != nil {
		return Reading{}, p.failed(fault.StateProjectionFailed, "reading of the records", err)
	}
	facts := []expr.Member{
		{Name: "records", Value: records},
		{Name: "url", Value: expr.String(in.URL)},
		{Name: "title", Value: expr.String(in.Title)},
		{Name: "projection", Value: expr.Object(expr.Member{Name: "name", Value: expr.String(p.Name)})},
	}
	state, err := p.evaluate(ctx, p.expression, fault.StateProjectionFailed, "projection", facts, maxInternalBytes)
	if err != nil {
		return Reading{}, err
	}
	text := state.JSON()
	if err := p.checkSchema(text); err != nil {
		return Reading{}, err
	}
	hash, err := Hash(text)
	if err != nil {
		return Reading{}, p.failed(fault.StateProjectionFailed, "hash", err)
	}
	reading := Reading{Projection: p.Name, StateHash: hash, ObservedAt: time.Now().UTC().Truncate(time.Millisecond), Diagnostics: in.Diagnostics.derived()}
	facts = append(facts, expr.Member{Name: "state", Value: state})
	if reading.Markers, err = p.markersOf(ctx, facts); err != nil {
		return Reading{}, err
	}
	if opt.Summary != "" {
		return p.summarize(ctx, reading, summary, facts, opt.MaxBytes)
	}
	if err := p.fits("state", text, budget(opt.MaxBytes, MaxStateBytes)); err != nil && !opt.Internal {
		return Reading{}, err
	}
	reading.State = text
	return reading, nil
}

// summarize completes the reading with a summary in place of the state.
func (p *Projection) summarize(ctx context.Context, r Reading, s Summary, facts []expr.Member, maxBytes int) (Reading, error) {
	value, err := p.evaluate(ctx, s.expression, fault.StateSummaryFailed, "summary "+s.Name, facts, maxInternalBytes)
	if err != nil {
		return Reading{}, err
	}
	r.SummaryName, r.Summary = s.Name, value.JSON()
	limit := min(budget(maxBytes, budget(s.MaxBytes, MaxSummaryBytes)), maxSummaryCeiling)
	return r, p.fits("summary "+s.Name, r.Summary, limit)
}

// budget returns the wanted number, or the other one if it is 0.
func budget(wanted, otherwise int) int {
	if wanted > 0 {
		return wanted
	}
	return otherwise
}

// fits returns an error if the text exceeds the budget.
func (p *Projection) fits(what string, text json.RawMessage, maxBytes int) error {
	if len(text) <= maxBytes {
		return nil
	}
	return fault.New(fault.StatePayloadTooLarge, "the %s of %q has %d bytes, the limit is %d", what, p.Name, len(text), maxBytes).
		With("projection", p.Name).With("bytes", len(text)).With("max_bytes", maxBytes).
		With("available_summaries", p.SummaryNames())
}

// evaluate runs one expression of the projection; an undefined result is a failure.
func (p *Projection) evaluate(ctx context.Context, e *expr.Expression, code fault.Code, what string, facts []expr.Member, maxBytes int) (expr.Value, error) {
	value, err := e.Eval(ctx, expr.Object(facts...), expr.Limits{MaxOutputBytes: maxBytes, LargeInput: true})
	switch {
	case err != nil && ctx.Err() != nil:
		return expr.Value{}, err // the caller's context ended: not an error of the map
	case code == fault.StateProjectionFailed && fault.Is(err, fault.ExpressionOutputTooLarge):
		// A summary would not help: each needs the state first.
		return expr.Value{}, fault.Wrap(err, fault.StatePayloadTooLarge, "the state of %q has more than %d bytes", p.Name, maxBytes).
			With("projection", p.Name).With("max_bytes", maxBytes).With("available_summaries", []string{}).
			WithNextStep("The projection selects too much of this page; repair the map, or read the page by other means.")
	case err != nil:
		return expr.Value{}, p.failed(code, what, err)
	case value.IsUndefined():
		return expr.Value{}, fault.New(code, "the %s of %q gives nothing on this page", what, p.Name).With("projection", p.Name)
	}
	return value, nil
}

// failed wraps an error; its own code is in the evidence.
func (p *Projection) failed(code fault.Code, what string, err error) *fault.Error {
	f := fault.From(err)
	return fault.Wrap(err, code, "the %s of %q failed: %s", what, p.Name, f.Message).With("projection", p.Name).With("cause", f.Code)
}

func (p *Projection) checkSchema(state json.RawMessage) error {
	if p.output == nil {
		return nil
	}
	violations := p.output.Validate(state)
	if len(violations) == 0 {
		return nil
	}
	type violation struct {
		Path    string `json:"path"`
		Message string `json:"message"`
	}
	var errors []violation
	for _, v := range violations[:min(len(violations), maxSchemaErrors)] {
		errors = append(errors, violation{v.Path, v.Message})
	}
	first := errors[0]
	return fault.New(fault.StateSchemaValidationFailed, "the state of %q breaks its output_schema at %q: %s", p.Name, first.Path, first.Message).
		With("projection", p.Name).With("errors", errors)
}

// derived sets the fields that follow from the others, regardless of the page's claims.
func (d Diagnostics) derived() Diagnostics {
	d.MissingRequiredFields = slices.Clone(d.MissingRequiredFields)
	if d.MissingRequiredFields == nil {
		d.MissingRequiredFields = []string{}
	}
	if d.SelectorCounts == nil {
		d.SelectorCounts = map[string]int{}
	}
	d.MissingRequiredCount = max(d.MissingRequiredCount, len(d.MissingRequiredFields))
	d.Complete = d.MissingRequiredCount == 0 && !d.Truncated
	d.SchemaValid = true
	return d
}
