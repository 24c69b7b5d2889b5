package site

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/projection"
	"github.com/actionsjson/actions-host/pkg/repair"
)

// maxRemembered bounds the look at the log.
const maxRemembered = 20_000

// memory is what the targets of an action were in its newest runs that went well.
type memory struct {
	byLocator map[string]*repair.Target
	others    []*repair.Target // of steps whose arguments the log withholds, the newest first
}

// of returns what the target of a locator was; nil for one that no run met.
func (m memory) of(locator json.RawMessage) *repair.Target {
	if t := m.byLocator[canonical(locator)]; t != nil {
		return t
	}
	for _, t := range m.others {
		if named(locator, *t) {
			return t
		}
	}
	return nil
}

// named reports whether each member of the locator is what the target was known by.
func named(locator json.RawMessage, t repair.Target) bool {
	var members map[string]string
	if json.Unmarshal(locator, &members) != nil || len(members) == 0 {
		return false
	}
	was := map[string]string{"test_id": t.TestID, "role": t.Role, "name": t.Name, "label": t.Label, "text_equals": t.Text, "selector": t.Selector}
	for name, value := range members {
		if value == "" || was[name] != value {
			return false
		}
	}
	return true
}

// remembered reads it from the log.
func (m *mending) remembered(ctx context.Context) (memory, error) {
	met := memory{byLocator: map[string]*repair.Target{}}
	if m.Log == nil {
		return met, nil
	}
	if err := m.Log.Commit(ctx); err != nil && !fault.Is(err, fault.JournalUnavailable) {
		return met, err
	}
	well, seen := map[string]bool{}, 0
	err := m.Log.Backwards(ctx, journal.Filter{Types: []string{journal.TypeOutcome}}, func(r journal.Record) bool {
		seen++
		var o journal.Outcome
		if json.Unmarshal(r.Data, &o) != nil || !o.Succeeded() {
			return seen < maxRemembered
		}
		if r.ParentID == "" && o.Action == m.tool.Name && o.Map == m.entry.Path {
			well[r.CallID] = true
		}
		if o.Target == nil || !well[r.ParentID] {
			return seen < maxRemembered
		}
		var args struct{ Locator, Target json.RawMessage }
		_ = json.Unmarshal(o.Arguments, &args) // those of a field for secrets are withheld
		if args.Locator == nil && args.Target == nil {
			met.others = append(met.others, o.Target)
		}
		for _, raw := range []json.RawMessage{args.Locator, args.Target} {
			if key := canonical(raw); len(raw) > 0 && met.byLocator[key] == nil {
				met.byLocator[key] = o.Target
			}
		}
		return seen < maxRemembered
	})
	return met, err
}

// accept tries the patched action, and writes it where its postcondition proves it.
func (m *mending) accept(ctx context.Context) error {
	m.out.Outcome = RepairProposed
	if m.only {
		m.out.Why = "it was only asked for"
		return nil
	}
	patched, err := repair.Patch(m.text, m.changes)
	if err != nil {
		return err
	}
	trial, err := m.trial(patched)
	if err != nil {
		return err
	}
	check, err := trial.compiled.get(trial.entry).projections.Postcondition(trial.tool.Name)
	if err != nil {
		return err
	}
	if check == nil {
		m.out.Why = "it has no postcondition that could prove it"
		return nil
	}
	m.out.Postcondition = check.Projection
	if err := trial.tool.CheckArguments(trial.input); err != nil {
		m.out.Why = "it cannot be tried with these arguments: " + fault.From(err).Message
		return nil
	}
	names := m.action().Primitives
	acts := slices.ContainsFunc(names, m.acts)
	if acts && !check.NeedsBefore {
		reading, err := trial.readFor(m.Path.OnlyLook(ctx), check)
		if err == nil {
			if holds, err := check.Check(ctx, projection.Facts{State: reading.State, Input: trial.input}); err == nil && holds {
				m.out.Why = "the postcondition holds already, so that it would prove nothing"
				return nil
			}
		}
	}
	if !acts { // what only reads is tried before anybody is asked
		if err := trial.prove(ctx); err != nil {
			return err
		}
	}
	if err := m.confirm(ctx, trial); err != nil {
		return err
	}
	if acts {
		trial.confirmed = true
		if err := trial.prove(ctx); err != nil {
			return err
		}
	}
	if m.call.Meta.Already {
		m.out.Why = "the action found everything done already, which proves nothing"
		return nil
	}
	record := repair.Record{Action: m.tool.Name, Map: m.entry.Path, Diff: m.out.Diff, Evidence: m.evidence(), Postcondition: check.Projection}
	if m.out.Kept, m.out.Report, err = repair.Write(m.entry.File, m.text, patched, record); err != nil {
		return err
	}
	m.out.Outcome, m.call.Meta.Repaired = RepairDone, m.tool.Name
	return nil
}

// trial returns the patched action, which only this call knows.
func (m *mending) trial(patched []byte) (running, error) {
	parsed, err := actionmap.Parse(patched)
	if err != nil {
		return running{}, err
	}
	tool, ok := parsed.Tool(m.tool.Name)
	if !ok || len(parsed.Tools) != len(m.entry.Map.Tools) {
		return running{}, fault.New(fault.InvalidMap, "the map is not valid with the new locators")
	}
	entry, trial := *m.entry, m.running
	entry.Map = parsed
	trial.tool, trial.entry = tool, &entry
	return trial, nil
}

// prove runs the action, whose postcondition it checks.
func (r running) prove(ctx context.Context) error {
	if _, err := r.runAction(ctx); err != nil {
		f := fault.From(err)
		if f.Code == fault.NeedsApproval && f.Retryable { // no step has acted
			return f
		}
		f = f.With("trial", true)
		f.Message = "the repaired action was tried and did not prove itself, so that the map stays as it is: " + f.Message
		return f
	}
	return nil
}

// confirm asks the user for this very repair: what is pressed now, in place of what.
func (m *mending) confirm(ctx context.Context, trial running) error {
	type swap struct {
		Pointer string          `json:"pointer"`
		Was     string          `json:"was"`
		Now     string          `json:"now"`
		Locator json.RawMessage `json:"locator"`
	}
	var swaps []swap
	plan := policy.Plan{}
	for _, t := range m.out.Targets {
		if t.New == nil {
			continue
		}
		now := repair.Title(t.Candidate.Target)
		swaps = append(swaps, swap{t.Pointer, t.Was, now, t.New})
		plan = append(plan, policy.PlannedStep{Primitive: "actions.repair", Does: fmt.Sprintf("change the map: %s takes the place of %s", now, t.Was), Role: t.Candidate.Target.Role, Target: t.Candidate.Target.Name})
	}
	args, err := json.Marshal(map[string]any{"mode": "call", "action": m.tool.Name, "arguments": m.input, "repair": swaps})
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "the question cannot be written: %v", err)
	}
	return m.Path.Confirm(ctx, m.action(), args, func() policy.Plan { return append(plan, trial.plan(ctx)...) })
}

// evidence returns why each new element takes the place of the old one.
func (m *mending) evidence() (list []repair.Evidence) {
	for _, t := range m.out.Targets {
		if t.New != nil {
			list = append(list, repair.Evidence{Step: t.Step, Pointer: t.Pointer, State: t.State, Was: t.Was, By: t.By, Candidate: *t.Candidate})
		}
	}
	return list
}
