package surface

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/shorten"
)

// Call runs a stored action of the page with its arguments, an object, and
// gives its output.
type Call func(ctx context.Context, tool string, args json.RawMessage) (json.RawMessage, error)

// Options of a run of checks.
type Options struct {
	Run bool // also those that run actions; the others are skipped without it
	// URL gives the tab's present address, which a step may change.
	URL func() string
}

// Mapped is the surface of one of a page's maps.
type Mapped struct {
	Path    string // in storage
	Surface *Surface
	Call    Call // runs this map's actions; nil where none can run
}

// CheckPage runs the checks of all maps of a page, one map after the other.
func CheckPage(ctx context.Context, read Read, maps []Mapped, catalogue Dictionary, opts Options) PageReport {
	page := PageReport{OK: true, URL: opts.URL(), Maps: []MapReport{}}
	for _, m := range maps {
		r := MapReport{Map: m.Path, Report: m.Surface.RunChecks(ctx, read, m.Call, opts), Support: m.Surface.Support(catalogue)}
		if len(r.Support.MissingRequired) > 0 {
			r.OK = false
		}
		page.OK = page.OK && r.OK
		page.Maps = append(page.Maps, r)
	}
	return page
}

// RunChecks runs the map's checks on the page as it is: the setup that a check
// declares is not run, the user chose the page. Assertions of a check with
// steps are looked at after the steps, for as long as an effect may take.
func (s *Surface) RunChecks(ctx context.Context, read Read, call Call, opts Options) Report {
	r := Report{OK: true, Checks: []CheckResult{}, Problems: s.Problems}
	l := newLook(read)
	r.States = s.evaluateStates(ctx, l, opts.URL())
	for _, c := range s.Checks {
		run := checkRun{surface: s, check: c, read: read, call: call, url: opts.URL}
		switch {
		case ctx.Err() != nil:
			r.add(run.result(Skipped, fault.From(ctx.Err()).Message))
		case c.acts() && !opts.Run:
			r.add(run.result(Skipped, "it runs actions, which it does only when asked"))
		case c.acts():
			r.add(run.act(ctx))
			// The page is another one now.
			l = newLook(read)
			states := s.evaluateStates(ctx, l, opts.URL())
			r.States = states
		default:
			result := run.look(ctx, l, r.States)
			if result.Status == Failed {
				run.evidence(ctx, l, &result)
			}
			r.add(result)
		}
	}
	return r
}

// checkRun is one check under way.
type checkRun struct {
	surface *Surface
	check   Check
	read    Read
	call    Call
	url     func() string
}

func (r checkRun) result(status Status, reason string) CheckResult {
	c := r.check
	return CheckResult{ID: c.ID, Description: c.Description, Severity: c.Severity, Status: status, Reason: reason}
}

// look decides the assertions at this moment.
func (r checkRun) look(ctx context.Context, l *look, states []StateResult) CheckResult {
	l.prefetch(ctx, targetsOf(r.check.assertions))
	result := r.result(Undecided, "the map gives it in words only")
	var verdicts []Verdict
	for _, a := range r.check.assertions {
		one := l.evaluate(ctx, a, r.url(), states)
		result.Assertions = append(result.Assertions, one)
		verdicts = append(verdicts, one.OK)
	}
	switch all(verdicts) {
	case Holds:
		result.Status, result.Reason = Passed, ""
	case Fails:
		result.Status, result.Reason = Failed, failing(result.Assertions)
	default:
		if i := slices.IndexFunc(result.Assertions, func(one Result) bool { return one.OK == Unknown }); i >= 0 {
			result.Reason = result.Assertions[i].Reason
		}
	}
	return result
}

// failing says in words what did not hold.
func failing(assertions []Result) string {
	var parts []string
	for _, one := range assertions {
		if one.OK == Fails {
			parts = append(parts, strings.TrimPrefix(one.Expected+": "+one.Reason, ": "))
		}
	}
	return strings.Join(parts, "; ")
}

// act runs the check's steps and then looks.
func (r checkRun) act(ctx context.Context) CheckResult {
	result := r.result(Passed, "")
	fail := func(reason string) CheckResult {
		result.Status, result.Reason = Failed, reason
		r.evidence(ctx, newLook(r.read), &result)
		return result
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
	if difference := unexpected(r.check.expected, output); difference != "" {
		return fail(difference)
	}
	if len(r.check.assertions) == 0 {
		return result
	}
	var looked CheckResult
	if _, err := poll(ctx, func() (bool, error) {
		l := newLook(r.read)
		looked = r.look(ctx, l, r.surface.evaluateStates(ctx, l, r.url()))
		return looked.Status != Failed, nil
	}); err != nil {
		return fail(fault.From(err).Message)
	}
	if looked.Steps = result.Steps; looked.Status == Failed {
		r.evidence(ctx, newLook(r.read), &looked)
	}
	return looked
}

// unexpected compares an action's output with expected_result and says what
// differs. Members named x_contains want a text inside x; the member ok may be
// left out by the output, as the call has succeeded.
func unexpected(expected, output json.RawMessage) string {
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
		part, contains := strings.CutSuffix(name, "_contains")
		text, isText := members[name].(string)
		switch {
		case !given && contains && isText:
			if actual, _ := values[part].(string); !strings.Contains(actual, text) {
				return fmt.Sprintf("the output's %s does not contain %q", part, shorten.Characters(text, maxEvidenceText))
			}
		case name == "ok" && !given && members[name] == true:
		case !reflect.DeepEqual(members[name], value):
			return "the output's " + name + " is not the expected one"
		}
	}
	return ""
}
