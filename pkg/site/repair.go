package site

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/compile"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/repair"
)

// Outcomes of a repair.
const (
	RepairFits     = "fits"     // all targets that can be looked for are there
	RepairProposed = "proposed" // nothing was written
	RepairDone     = "repaired"
)

// Repair is what a repair of an action found and did.
type Repair struct {
	Action        string         `json:"action"`
	Map           string         `json:"map"`
	Outcome       string         `json:"outcome"`
	Why           string         `json:"why,omitzero"` // why nothing was written
	Targets       []RepairTarget `json:"targets"`
	Diff          string         `json:"diff,omitzero"`
	Postcondition string         `json:"postcondition,omitzero"`
	Kept          string         `json:"kept,omitzero"`   // the last version of the map
	Report        string         `json:"report,omitzero"` // the diff with its evidence
}

// RepairTarget is a target of the action, and the element that takes its place.
type RepairTarget struct {
	Step      string            `json:"step,omitzero"`
	Pointer   string            `json:"pointer"` // in the map
	State     string            `json:"state"`
	Locator   json.RawMessage   `json:"locator"`
	New       json.RawMessage   `json:"new,omitzero"`
	By        string            `json:"by,omitzero"` // how the new one finds it
	Was       string            `json:"was,omitzero"`
	Candidate *repair.Candidate `json:"candidate,omitzero"`
}

// Sentences returns what takes the place of what, for a person.
func (r Repair) Sentences() []string {
	list := []string{}
	for _, t := range r.Targets {
		of := "of the action"
		if t.Step != "" {
			of = "of the step " + t.Step
		}
		if t.State == targetLater && t.Was != "" {
			list = append(list, fmt.Sprintf("nothing on the page takes the place of %s, the target %s; unless a step before brings it, the trial fails there", t.Was, of))
		}
		if t.New == nil || t.Candidate == nil {
			continue
		}
		list = append(list, fmt.Sprintf("%s takes the place of %s, the target %s, which is %s; it is found by its %s", repair.Title(t.Candidate.Target), t.Was, of, stateWords[t.State], t.By))
	}
	return list
}

var stateWords = map[string]string{targetGone: "gone", targetAmbiguous: "no longer the only one", targetAnother: "something else now"}

// States of a target.
const (
	targetFits      = "fits"
	targetGone      = "gone"
	targetAmbiguous = "ambiguous"
	targetAnother   = "another"   // it finds something that means another thing
	targetLater     = "later"     // a step before may bring it
	targetUnchecked = "unchecked" // it is made of the input
)

type repairKey struct{}

// ForRepair returns a context in which a preview of an action mends its map, or, with only, says
// how it would. No call of an agent has it.
func ForRepair(ctx context.Context, only bool) context.Context {
	return context.WithValue(ctx, repairKey{}, only)
}

func repairs(ctx context.Context) bool { return ctx.Value(repairKey{}) != nil }

// mending is a repair on its way.
type mending struct {
	running
	out     *Repair
	text    []byte // of the map's file
	changes []repair.Change
	only    bool // propose
}

// repair proposes what takes the place of the action's targets that are gone or ambiguous, tries
// it, and writes it where the postcondition holds.
func (s *Site) repair(ctx context.Context, r running) (json.RawMessage, error) {
	if r.entry.Import != nil {
		return nil, fault.New(fault.InvalidInput, "%s is imported from %s, and an import is repaired where it is written", r.tool.Name, r.entry.Path).
			WithNextStep("Hand over a page of that map and repair it there, or mend that file by hand.").WithDispatched(fault.NotDispatched)
	}
	text, err := os.ReadFile(r.entry.File)
	if err != nil {
		return nil, fault.Wrap(err, fault.StorageUnavailable, "the map %s cannot be read: %v", r.entry.Path, err)
	}
	only, _ := ctx.Value(repairKey{}).(bool)
	m := &mending{running: r, only: only, text: text, out: &Repair{Action: r.tool.Name, Map: r.entry.Path, Targets: []RepairTarget{}}}
	if err := m.propose(s.Path.OnlyLook(ctx)); err != nil {
		return nil, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	if len(m.changes) == 0 {
		m.out.Outcome = RepairFits
		if fared, ran := r.History.Of(r.inHistory()); ran && fared.Drift != "" {
			m.out.Why = "its last runs failed with " + string(fared.Drift) + ": what they missed is on another page, or comes after a step; open the page on which it failed, and repair it there"
		}
	} else if err := m.accept(ctx); err != nil {
		return nil, fault.From(err).With("proposal", m.out)
	}
	return primitive.Output(m.out)
}

// propose looks for each target of the action.
func (m *mending) propose(ctx context.Context) error {
	acted := false
	met, err := m.remembered(ctx)
	if err != nil {
		return err
	}
	for _, p := range placesOf(m.tool) {
		t := RepairTarget{Step: p.step, Pointer: m.tool.Pointer() + p.pointer, Locator: p.raw, State: targetUnchecked}
		if !strings.Contains(string(p.raw), "{%") {
			if err := m.mend(ctx, &t, p, met.of(p.raw), acted); err != nil {
				return fault.From(err).With("step", t.Step).With("pointer", t.Pointer)
			}
		}
		if t.New != nil {
			m.changes = append(m.changes, repair.Change{Pointer: t.Pointer, Value: t.New})
		}
		m.out.Targets = append(m.out.Targets, t)
		acted = acted || m.acts(p.primitive)
	}
	m.out.Diff = repair.Diff(m.text, m.changes)
	return nil
}

func (m *mending) acts(name string) bool {
	effect := m.Catalogue.Effect(name)
	return effect != "" && effect != string(policy.EffectRead) && effect != string(policy.EffectView)
}

// mend sets what takes the place of a target, if anything has to.
func (m *mending) mend(ctx context.Context, t *RepairTarget, p place, old *repair.Target, acted bool) error {
	now, err := m.describe(ctx, p.raw)
	if err != nil && !fault.Is(err, fault.FrameNotFound) {
		return err
	}
	if t.State, err = m.stateOf(ctx, p, now, old); err != nil || t.State == targetFits {
		return err
	}
	if old == nil {
		if t.State == targetGone && acted {
			t.State = targetLater
			return nil
		}
		return fault.New(fault.TargetNotFound, "the target of %s is %s, and no run of the log that went well says what it was", titleOf(p), t.State).
			WithNextStep("Write the locator by hand: what it was before is known to the log only after a run that went well.")
	}
	t.Was = repair.Title(*old)
	around, err := m.candidates(ctx, *old)
	if err != nil {
		return err
	}
	best, err := repair.Choose(*old, around)
	if f := fault.From(err); err != nil && t.State == targetGone && acted && f.Code != fault.MultipleTargets {
		t.State = targetLater // the trial tells
		return nil
	}
	if err != nil {
		return err
	}
	check := compile.OnPage(ctx, m.call.URL, m.Path.Step)
	if t.New, t.By, err = compile.Durable(p.primitive, m.call.URL, &best.Target, check); err != nil {
		return err
	}
	again, err := m.describe(ctx, t.New)
	if err == nil && (len(again.Targets) != 1 || again.Targets[0].Selector != best.Target.Selector) {
		err = fault.New(fault.MultipleTargets, "%s does not find %s alone", t.New, repair.Title(best.Target))
	}
	t.Candidate = &best
	return err
}

// described is what a locator finds.
type described struct {
	Found   int             `json:"found"`
	Shown   int             `json:"shown"`
	Targets []repair.Target `json:"targets"`
}

// describe returns what the locator finds, each as the log would keep it.
func (m *mending) describe(ctx context.Context, locator json.RawMessage) (out described, err error) {
	args, err := primitive.Output(map[string]any{"locator": locator})
	if err != nil {
		return out, err
	}
	if _, err = m.checkPage(); err != nil {
		return out, err
	}
	raw, err := m.Path.InternalStep(ctx, "target.describe", args)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	return out, err
}

// stateOf judges what the locator of a place finds.
func (m *mending) stateOf(ctx context.Context, p place, now described, old *repair.Target) (string, error) {
	switch {
	case now.Found == 0:
		return targetGone, nil
	case now.Shown > 1 && isSingle(p.primitive) && p.primitive != waitPrimitive:
		args, err := primitive.Output(map[string]any{"locator": p.raw, "single": true})
		if err == nil {
			_, err = m.Path.InternalStep(ctx, showPrimitive, args)
		}
		if fault.Is(err, fault.MultipleTargets) {
			return targetAmbiguous, nil
		}
		return targetFits, err
	case now.Shown == 1 && old != nil && repair.IsAnother(*old, now.Targets[0]) != "":
		return targetAnother, nil
	}
	return targetFits, nil
}

const waitPrimitive = "locator.wait_for"

// candidates returns the elements that could be the old one: those of its role, and those that have
// its name, its test id, its label or its place, whatever they are.
func (m *mending) candidates(ctx context.Context, old repair.Target) ([]repair.Target, error) {
	kind := map[string]any{"role": old.Role}
	if old.Role == "" {
		kind = map[string]any{"selector": old.Tag}
	}
	ways := []map[string]any{kind}
	for member, value := range map[string]string{"name": old.Name, "test_id": old.TestID, "label": old.Label, "selector": old.Selector} {
		if value != "" {
			ways = append(ways, map[string]any{member: value})
		}
	}
	if old.Text != "" {
		ways = append(ways, map[string]any{"text_equals": old.Text})
	}
	known := map[string]bool{}
	var all []repair.Target
	for i, way := range ways {
		if len(old.Frame) > 0 {
			way["frame"] = old.Frame
		}
		raw, err := primitive.Output(way)
		if err != nil {
			return nil, err
		}
		found, err := m.describe(ctx, raw)
		if err != nil {
			return nil, err
		}
		if i == 0 && found.Shown > len(found.Targets) {
			return nil, fault.New(fault.MultipleTargets, "%s is gone, and the page has %d elements of its kind: too many to tell which one it is", repair.Title(old), found.Shown).
				WithNextStep("Write the locator by hand.")
		}
		for _, t := range found.Targets {
			if t.Selector == "" || !known[t.Selector] {
				known[t.Selector] = true
				all = append(all, t)
			}
		}
	}
	return all, nil
}

// place is a locator of an action, and where it stands in the tool.
type place struct {
	step, primitive, pointer string
	raw                      json.RawMessage
}

func titleOf(p place) string {
	if p.step == "" {
		return "the action"
	}
	return "the step " + p.step
}

// placesOf returns the locators of an action in the order of their use.
func placesOf(tool *actionmap.Tool) (list []place) {
	if tool.Target != nil {
		list = append(list, place{primitive: waitPrimitive, pointer: "/target", raw: tool.Target})
	}
	for _, use := range tool.Uses() {
		base, isCall := strings.CutSuffix(use.Pointer, "/primitive")
		switch {
		case tool.Kind == actionmap.KindHandler:
			base = "/x_actions/binding/arguments"
		case isCall:
			base += "/args"
		}
		for _, member := range locatorMembers(use) {
			list = append(list, place{use.Step, use.Primitive, base + member.Pointer, member.Raw})
		}
	}
	return list
}

// canonical returns a locator in one order of members.
func canonical(raw json.RawMessage) string {
	value := jsontext.Value(bytes.Clone(raw))
	if value.Canonicalize() != nil {
		return string(raw)
	}
	return string(value)
}
