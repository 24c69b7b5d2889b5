package site

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/workflow"
)

const (
	showPrimitive = "target.show" // finds the target of a step, and marks it

	maxFound = 40 // targets that one preview looks for
	// planTimeout bounds what a question waits for its plan.
	planTimeout = 300 * time.Millisecond
)

// What a preview expects.
const (
	wouldRun      = "yes" // nothing that is known stops it
	wouldNotRun   = "no"
	wouldAsk      = "after_approval"
	wouldRunMaybe = "unknown" // a target of a later step is not there, which an earlier step may bring
)

// preview is what a stored action would do now.
type preview struct {
	Action        string          `json:"action"`
	Kind          actionmap.Kind  `json:"kind"`
	WouldRun      string          `json:"would_run"`
	Why           *fault.Error    `json:"why,omitzero"` // why not
	KnownSteps    int             `json:"known_steps"`
	TotalSteps    int             `json:"total_steps"`
	Decision      decision        `json:"decision"`
	Effects       []string        `json:"effects"`
	Addresses     []string        `json:"addresses"` // that would be opened or sent to, without secrets
	Marked        int             `json:"marked"`    // targets that are marked on the page for a moment
	Steps         []previewStep   `json:"steps"`
	Value         json.RawMessage `json:"value,omitzero"`         // of an action that only answers
	Postcondition string          `json:"postcondition,omitzero"` // the projection that is checked afterwards
}

// decision is the policy's, with the line that it comes from.
type decision struct {
	Verdict policy.Verdict  `json:"verdict"`
	Rule    string          `json:"rule"`
	Section string          `json:"section,omitzero"`
	Needs   []policy.Effect `json:"needs,omitzero"`
	Origin  string          `json:"origin,omitzero"`
}

// preview answers the mode of this name.
func (r running) preview(ctx context.Context) (json.RawMessage, error) {
	p := r.newPreview()
	action := r.action()
	names := action.Primitives
	decided, origin, err := r.Path.ExplainAction(ctx, action)
	if err != nil {
		return nil, err
	}
	p.Decision = decision{Verdict: decided.Verdict, Rule: decided.Rule, Needs: decided.Needs, Origin: origin}
	for _, line := range decided.Trace {
		if line.Rule == decided.Rule {
			p.Decision.Section = line.Section
		}
	}
	for _, name := range names {
		if effect := r.Catalogue.Effect(name); !slices.Contains(p.Effects, effect) {
			p.Effects = append(p.Effects, effect)
		}
	}
	slices.Sort(p.Effects)
	looking := r.Path.OnlyLook(ctx)
	if err := r.fill(looking, p, true); err != nil {
		return nil, err
	}
	if r.tool.Kind == actionmap.KindWorkflow || r.tool.Kind == actionmap.KindHandler {
		check, err := r.compiled.get(r.entry).projections.Postcondition(r.tool.Name)
		if p.add(err); check != nil {
			p.Postcondition = check.Projection
		}
		p.add(pagemodel.CheckTarget(looking, r.step, r.tool.Target))
		p.add(r.model().CheckGuards(looking, r.step, r.call.URL, r.tool.Name))
	}
	p.conclude(decided)
	raw, err := primitive.Output(p)
	return r.hidden().JSON(raw), err
}

// hidden returns the secrets of the input.
func (r running) hidden() redact.Hidden { return redact.Hide(r.tool.SecretTexts(r.input)) }

func (r running) newPreview() *preview {
	return &preview{Action: r.tool.Name, Kind: r.tool.Kind, Effects: []string{}, Addresses: []string{}, Steps: []previewStep{}}
}

// plan returns what a question about the action shows of it.
func (r running) plan(ctx context.Context) policy.Plan {
	ctx, cancel := context.WithTimeout(r.Path.OnlyLook(ctx), planTimeout)
	defer cancel()
	p := r.newPreview()
	if err := r.fill(ctx, p, false); err != nil {
		return nil // the call itself says why
	}
	var plan policy.Plan
	hidden := r.hidden()
	for _, s := range p.Steps {
		if s.State != stateSkipped {
			plan = append(plan, s.planned(hidden))
		}
	}
	return plan
}

// fill adds what the action would do. The error is that of an action that cannot run at all.
func (r running) fill(ctx context.Context, p *preview, mark bool) error {
	switch r.tool.Kind {
	case actionmap.KindStatic:
		p.Value = r.tool.StaticOutput
		return nil
	case actionmap.KindHandler:
		args, err := r.handlerArguments()
		if err != nil {
			return err
		}
		planned := workflow.Planned{ID: r.tool.Handler, Primitive: r.tool.Handler, Calls: []workflow.PlannedCall{{Arguments: args}}}
		r.describe(ctx, p, []workflow.Planned{planned}, mark)
		p.TotalSteps = 1
		return nil
	case actionmap.KindWorkflow:
		flow, err := r.tool.Compiled(r.Catalogue)
		if err != nil {
			return fault.From(err).WithDispatched(fault.NotDispatched)
		}
		planned, failed := flow.Preview(ctx, r.newRun(ctx), r.looks)
		if failed != nil {
			return failed
		}
		r.describe(ctx, p, planned, mark)
		p.TotalSteps = flow.Len()
		return nil
	default:
		return r.nothingToRun()
	}
}

// looks reports whether a preview runs a primitive for real: it reads in the page or in the
// host, sends nothing, and attaches no debugger. Of those that show, only the one whose output
// tells later steps where to press.
func (s *Site) looks(name string) bool {
	record, ok := s.Catalogue.Record(name)
	return ok && (name == "locator.element_info" ||
		record.Effect == string(policy.EffectRead) && record.URLArgument == "" && record.Route != primitive.RouteDebugger)
}

// describe adds the steps, one entry a call.
func (r running) describe(ctx context.Context, p *preview, planned []workflow.Planned, mark bool) {
	d := describer{running: r, preview: p, mark: mark}
	known := true
	for i, step := range planned {
		entries := d.entries(ctx, i+1, step)
		p.Steps = append(p.Steps, entries...)
		known = known && !slices.ContainsFunc(entries, func(s previewStep) bool { return s.State == stateUnknown || s.Error != nil })
		if known {
			p.KnownSteps = i + 1
		}
	}
}

// add notes why the action would not run; the first reason stands.
func (p *preview) add(err error) {
	if p.Why == nil && err != nil {
		p.Why = brief(err)
	}
}

// conclude sets whether the action would run.
func (p *preview) conclude(decided policy.Decision) {
	if decided.Verdict == policy.Deny && decided.Fault != nil {
		p.Why = brief(decided.Fault)
	}
	maybe := false
	for _, s := range p.Steps {
		switch {
		case s.Error == nil:
		case s.later:
			maybe = true
		default:
			p.add(s.Error)
		}
	}
	switch {
	case p.Why != nil:
		p.WouldRun = wouldNotRun
	case maybe:
		p.WouldRun = wouldRunMaybe
	case decided.Verdict == policy.Ask:
		p.WouldRun = wouldAsk
	default:
		p.WouldRun = wouldRun
	}
}

// brief returns an error with the evidence that says how to go on: a page may have much more.
func brief(err error) *fault.Error {
	short := *fault.From(err)
	short.Evidence = nil
	for _, name := range []string{"nearest", "match_count"} {
		if value, ok := fault.From(err).Evidence[name]; ok {
			short = *short.With(name, value)
		}
	}
	return short.WithDispatched(fault.NotDispatched)
}
