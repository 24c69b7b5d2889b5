package pagemodel

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// Call runs a stored action of the page with its arguments, an object, and
// returns its output.
type Call func(ctx context.Context, tool string, args json.RawMessage) (json.RawMessage, error)

// Options of a run of checks.
type Options struct {
	Run bool // also those that act on the page, which are skipped without it
	// URL returns the tab's present address, which a step may change.
	URL func() string
}

// Mapped is the model of one of a page's maps.
type Mapped struct {
	Path  string // in storage
	Model *Model
	Call  Call  // runs this map's actions; nil where none can run
	Setup Setup // runs the setups of this map's checks; nil where none can run
	// Locators is what the locators of its actions find, before anything is run; nil where none were tested.
	Locators *LocatorReport
}

// CheckPage runs the checks of all maps of a page, one map after the other.
func CheckPage(ctx context.Context, read Read, maps []Mapped, catalogue Dictionary, opts Options) PageReport {
	page := PageReport{OK: true, URL: opts.URL(), Maps: []MapReport{}}
	for _, m := range maps {
		r := MapReport{Map: m.Path, Report: m.RunChecks(ctx, read, catalogue, opts), Support: m.Model.Support(catalogue), Locators: m.Locators}
		if len(r.Support.MissingRequired) > 0 || m.Locators != nil && !m.Locators.OK {
			r.OK = false
		}
		page.OK = page.OK && r.OK
		page.Maps = append(page.Maps, r)
	}
	return page
}

// RunChecks runs the map's checks, each on the page as the one before left it.
// Assertions of a check with a setup or with steps are evaluated after these, for as
// long as an effect may take.
func (m Mapped) RunChecks(ctx context.Context, read Read, known Dictionary, opts Options) Report {
	s := m.Model
	r := Report{OK: true, Checks: []CheckResult{}, Problems: s.Problems}
	l := newPageReader(read)
	r.States = s.evaluateStates(ctx, l, opts.URL())
	for _, c := range s.Checks {
		run := checkRun{model: s, check: c, read: read, call: m.Call, setup: m.Setup, url: opts.URL}
		switch {
		case ctx.Err() != nil:
			r.add(run.result(Skipped, fault.From(ctx.Err()).Message))
		case c.acts(known) && !opts.Run:
			r.add(run.result(Skipped, "it acts on the page, which it does only when asked"))
		case len(c.steps)+len(c.setup) > 0:
			r.add(run.act(ctx))
			// The steps may have changed the page.
			l = newPageReader(read)
			states := s.evaluateStates(ctx, l, opts.URL())
			r.States = states
		default:
			result := run.evaluate(ctx, l, r.States)
			if result.Status == Failed {
				run.evidence(ctx, l, &result)
			}
			r.add(result)
		}
	}
	return r
}

// checkRun is one running check.
type checkRun struct {
	model *Model
	check Check
	read  Read
	call  Call
	setup Setup
	url   func() string
}

func (r checkRun) result(status Status, reason string) CheckResult {
	c := r.check
	return CheckResult{ID: c.ID, Description: c.Description, Severity: c.Severity, Status: status, Reason: reason}
}

// evaluate decides the assertions at this moment.
func (r checkRun) evaluate(ctx context.Context, l *pageReader, states []StateResult) CheckResult {
	l.prefetch(ctx, targetsOf(r.check.assertions))
	result := r.result(Undecided, "the map gives it in words only")
	var verdicts []Verdict
	for _, a := range r.check.assertions {
		one := l.evaluate(ctx, a, r.url(), states)
		result.Assertions = append(result.Assertions, one)
		verdicts = append(verdicts, one.OK)
	}
	switch combine(verdicts) {
	case Holds:
		result.Status, result.Reason = Passed, ""
	case Fails:
		result.Status, result.Reason = Failed, failureReason(result.Assertions)
	default:
		if i := slices.IndexFunc(result.Assertions, func(one Result) bool { return one.OK == Unknown }); i >= 0 {
			result.Reason = result.Assertions[i].Reason
		}
	}
	return result
}

// failureReason describes what did not hold.
func failureReason(assertions []Result) string {
	var phrases []string
	for _, one := range assertions {
		if one.OK == Fails {
			phrases = append(phrases, strings.TrimPrefix(one.Expected+": "+one.Reason, ": "))
		}
	}
	return strings.Join(phrases, "; ")
}

// act runs the check's setup and its steps and then evaluates its assertions.
func (r checkRun) act(ctx context.Context) CheckResult {
	result := r.result(Passed, "")
	fail := func(reason string) CheckResult {
		result.Status, result.Reason = Failed, reason
		r.evidence(ctx, newPageReader(r.read), &result)
		return result
	}
	if len(r.check.setup) > 0 && r.setup == nil {
		result.Status, result.Reason = Undecided, "its setup cannot be run"
		return result
	}
	if err := r.prepare(ctx, &result); err != nil {
		return fail("its setup failed: " + fault.From(err).Message)
	}
	var output json.RawMessage
	for _, step := range r.check.steps {
		if step.kind != "call" || step.tool == "" || r.call == nil {
			result.Status, result.Reason = Undecided, fmt.Sprintf("a step of the kind %q cannot be run", step.kind)
			return result
		}
		var err error
		if output, err = r.call(ctx, step.tool, step.arguments); err != nil {
			f := fault.From(err)
			result.Steps = append(result.Steps, StepResult{Tool: step.tool, Error: f.Error()})
			return fail(step.tool + " failed: " + f.Message)
		}
		result.Steps = append(result.Steps, StepResult{Tool: step.tool, OK: true})
	}
	if difference := compareOutput(r.check.expected, output); difference != "" {
		return fail(difference)
	}
	if len(r.check.assertions)+len(r.check.steps) == 0 {
		result.Status, result.Reason = Undecided, "the map gives it in words only"
	}
	if len(r.check.assertions) == 0 {
		return result
	}
	var final CheckResult
	if _, err := poll(ctx, func() (bool, error) {
		l := newPageReader(r.read)
		final = r.evaluate(ctx, l, r.model.evaluateStates(ctx, l, r.url()))
		return final.Status != Failed, nil
	}); err != nil {
		return fail(fault.From(err).Message)
	}
	if final.Setup, final.Steps = result.Setup, result.Steps; final.Status == Failed {
		r.evidence(ctx, newPageReader(r.read), &final)
	}
	return final
}

// compareOutput compares an action's output with expected_result and returns what
// differs. Members named x_contains want a text inside x; the output may omit the
// member ok, as the call has succeeded.
func compareOutput(expected, output json.RawMessage) string {
	if len(expected) == 0 {
		return ""
	}
	var want, got any
	if json.Unmarshal(expected, &want) != nil || json.Unmarshal(output, &got) != nil {
		return "the action's output cannot be compared with the expected result"
	}
	members, isObject := want.(map[string]any)
	values, _ := got.(map[string]any)
	if !isObject {
		if reflect.DeepEqual(want, got) {
			return ""
		}
		return "the action's output is not the expected one"
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value, given := values[name]
		attribute, contains := strings.CutSuffix(name, "_contains")
		text, isText := members[name].(string)
		switch {
		case !given && contains && isText:
			if actual, _ := values[attribute].(string); !strings.Contains(actual, text) {
				return fmt.Sprintf("the output's %s does not contain %q", attribute, truncate.Characters(text, maxEvidenceText))
			}
		case name == "ok" && !given && members[name] == true:
		case !reflect.DeepEqual(members[name], value):
			return "the output's " + name + " is not the expected one"
		}
	}
	return ""
}
