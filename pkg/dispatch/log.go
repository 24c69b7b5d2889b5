package dispatch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/jsonnode"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/runhistory"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

const (
	maxLoggedURL    = 4 << 10 // bytes
	maxLoggedAction = 512
	maxLoggedTarget = 8 << 10 // of its JSON
)

func (d *Dispatcher) newRecord(in invocation, kind string, data any) (journal.Record, error) {
	raw, err := primitive.Output(data) // escaped for HTML, a page's source would fill its record many times over
	if err != nil {
		return journal.Record{}, fault.Wrap(err, fault.InternalError, "a log record cannot be written: %v", err)
	}
	r := journal.Record{SessionID: in.session.ID, Type: kind, CallID: in.id, Data: raw}
	if in.record != nil {
		r.Name = in.record.Name
	}
	if in.parent != nil {
		r.ParentID = in.parent.callID
	}
	return r, nil
}

// logIntent puts an acting call on disk before it is sent. The call of a stored
// action goes to disk with the first of its steps that acts.
func (d *Dispatcher) logIntent(ctx context.Context, in invocation, tab tabs.Tab) error {
	if !hasIntent(in) {
		return nil
	}
	r, err := d.newRecord(in, journal.TypeIntent, journal.Intent{
		Action: loggedAction(in), Arguments: journal.FitArguments(withoutTyped(in), 0), TabID: tab.TabID, URL: loggedURL(tab.URL), Route: string(in.record.Route),
		Effect: in.record.Effect, Stored: in.stored(), Report: in.report.own(), ReportCall: in.report.call,
	})
	if err != nil {
		return err
	}
	if runsAction(in) {
		err = d.Journal.Append(ctx, r)
	} else {
		err = d.Journal.Commit(ctx, r)
	}
	if err != nil {
		return fault.From(err).WithDispatched(fault.NotDispatched)
	}
	return nil
}

func hasIntent(in invocation) bool { return in.record.Acts() || runsAction(in) }

// logOutcome logs how the call ended: on disk before an acting call's answer goes
// out, queued for reads and for steps, whose next intent carries it along. It
// is written even if the caller's context has ended.
func (d *Dispatcher) logOutcome(ctx context.Context, in invocation, tab tabs.Tab, acted bool, output json.RawMessage, err error, took time.Duration) error {
	data := journal.Outcome{
		OK: new(err == nil), DurationMS: float64(took.Microseconds()) / 1000, HasIntent: hasIntent(in), Output: output,
		Error: fault.From(err), Action: loggedAction(in), Map: in.meta.Map,
		Target: loggedTarget(in.meta.Target), Destination: loggedTarget(in.meta.Destination),
	}
	if in.meta.Steps != nil {
		var failed error
		if data.Steps, failed = primitive.Output(in.meta.Steps); failed != nil {
			return failed
		}
	}
	if in.meta.Tab != nil {
		data.TabID, data.URL = in.meta.Tab.TabID, loggedURL(in.meta.Tab.URL)
	}
	if from := originOf(tab.URL); from != originOf(data.URL) {
		data.Origin = from
	}
	if in.meta.Repaired != "" {
		data.Action = in.meta.Repaired
	}
	ran := runsAction(in) || in.meta.Repaired != ""
	if start := loggedURL(origin.Page(tab.URL)); ran && start != loggedURL(origin.Page(data.URL)) {
		data.StartURL = start
	}
	if d.History != nil && ran {
		d.History.Add(in.id, runhistory.Action{Map: data.Map, Name: data.Action}, time.Now(), data)
	}
	if in.stored() {
		in.texts.collect(in, output, err)
	}
	switch {
	case namesAction(in):
		data.Arguments = in.texts.arguments(in.args)
	case !in.record.Acts():
		data.Arguments, data.Report, data.ReportCall = unlogged(in.record, in.args), in.report.own(), in.report.call
		data.Output = unlogged(in.record, output)
	case err != nil:
	case in.private, isSecret(in, output):
		data.Output = unlogged(in.record, redact.TypedText(output, in.record.Security.InjectableArguments...))
	default:
		data.Arguments, data.Output = unlogged(in.record, in.args), unlogged(in.record, output)
	}
	if previews(in) {
		data.Output = redact.TypedText(data.Output, "steps.values")
	}
	data.Output, data.Error = journal.Fit(data.Output), journal.FitError(data.Error)
	data.Arguments = journal.FitArguments(data.Arguments, len(data.Output))
	r, rerr := d.newRecord(in, journal.TypeOutcome, data)
	if rerr != nil {
		return rerr
	}
	ctx = context.WithoutCancel(ctx)
	if in.stored() || !acted {
		return d.Journal.Append(ctx, r)
	}
	return d.Journal.Commit(ctx, r)
}

// loggedURL cuts an address that would leave no room in its record: a page makes its own
// as long as it likes.
func loggedURL(url string) string { return truncate.Bytes(url, maxLoggedURL) }

// loggedAction returns the name of the stored action that is called, which need not be one of any map.
func loggedAction(in invocation) string {
	if in.record == nil {
		return ""
	}
	return truncate.Bytes(actionOf(in.record.Name, in.args), maxLoggedAction)
}

// loggedTarget leaves out a target that its page has made so long, as by an attribute, that its
// record would have no room; in part it would find another one.
func loggedTarget(met *protocol.MetTarget) *protocol.MetTarget {
	if len(redact.Encode(met)) > maxLoggedTarget {
		return nil
	}
	return met
}

// runsAction reports whether the call runs a stored action, which may act.
func runsAction(in invocation) bool { return siteMode(in) == "call" }

// previews reports whether the call asks what a stored action would do.
func previews(in invocation) bool { return siteMode(in) == "preview" }

// namesAction reports whether the call's arguments hold those of a stored action.
func namesAction(in invocation) bool { return runsAction(in) || previews(in) }

// siteMode returns the mode of a call of actions.site, empty for any other call.
func siteMode(in invocation) string {
	if in.record.Name != SiteTool {
		return ""
	}
	return TextMember(in.args, "mode")
}

// logRefusal logs a call that was refused. The refusal holds whether or not it could be
// logged, so a failing log does not change the answer.
func (d *Dispatcher) logRefusal(ctx context.Context, in invocation, tab tabs.Tab, err error) {
	_ = d.appendRecord(ctx, in, journal.TypePolicy, journal.Outcome{
		OK: new(false), Error: journal.FitError(fault.From(err)), Action: loggedAction(in), Arguments: journal.FitArguments(withoutUnknown(in, withoutTyped(in)), 0),
		Report: in.report.own(), ReportCall: in.report.call, TabID: tab.TabID, URL: loggedURL(tab.URL),
	})
}

// withoutUnknown hides the arguments that the record does not have: text to be
// typed may be under a misspelt name.
func withoutUnknown(in invocation, args json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if in.record == nil || json.Unmarshal(args, &members) != nil {
		return args
	}
	known := primitive.Properties(in.record.InputSchema)
	for name, value := range members {
		if !slices.ContainsFunc(known, func(p jsonnode.Member) bool { return p.Name == name }) {
			members[name] = fmt.Appendf(nil, `{"length":%d}`, utf8.RuneCount(value))
		}
	}
	hidden, err := json.Marshal(members)
	if err != nil {
		return nil // not reachable: it was read a moment ago
	}
	return hidden
}

func (d *Dispatcher) appendRecord(ctx context.Context, in invocation, kind string, data any) error {
	r, err := d.newRecord(in, kind, data)
	if err != nil {
		return err
	}
	return d.Journal.Append(context.WithoutCancel(ctx), r)
}

// unlogged hides what the record keeps out of the log, unless the members
// themselves allow it.
func unlogged(r *primitive.Record, members json.RawMessage) json.RawMessage {
	if len(members) == 0 || len(r.Security.Unlogged) == 0 {
		return members
	}
	if logsPayload(members) {
		return members
	}
	return redact.TypedText(members, r.Security.Unlogged...)
}

// logsPayload reports whether the members of a value allow the log to keep it.
func logsPayload(members json.RawMessage) bool {
	var fields struct {
		Redaction struct {
			LogPayload bool `json:"log_payload"`
		} `json:"redaction"`
	}
	return json.Unmarshal(members, &fields) == nil && fields.Redaction.LogPayload
}

// withoutTyped returns the arguments with typed text replaced by its length: who
// the text is for is not known before the target is.
func withoutTyped(in invocation) json.RawMessage {
	if in.record == nil { // a stored action as a whole
		return redact.TypedText(in.args, "arguments")
	}
	return redact.TypedText(in.args, slices.Concat(in.record.Security.InjectableArguments, in.record.Security.Unlogged)...)
}

// keyNames are those of keys that put no character anywhere.
var keyNames = []string{
	"Enter", "Tab", "Escape", "Backspace", "Delete", "Home", "End", "PageUp", "PageDown", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown",
}

// isSecret reports whether the text of an acting call may be one: the page says so
// of its target, or nobody has looked at the target, as with trusted input, which
// goes to whatever has the focus. The name of a key, such as Enter, is not a text,
// wherever it is pressed.
func isSecret(in invocation, output json.RawMessage) bool {
	var typed struct {
		Key string `json:"key"`
	}
	isKey := json.Unmarshal(in.args, &typed) == nil
	var fields struct {
		Sensitive *bool `json:"sensitive"`
	}
	if json.Unmarshal(output, &fields) == nil && fields.Sensitive != nil {
		return *fields.Sensitive && !(isKey && slices.Contains(keyNames, typed.Key))
	}
	named := isKey && utf8.RuneCountInString(typed.Key) > 1
	return in.record.Effect == string(policy.EffectInput) && len(in.record.Security.InjectableArguments) > 0 && !named
}

// Revoke takes back for the user the grants and denials that match, logs each, and
// returns them; that there were none is not an error. A denial that cannot be removed from the disk
// stays and keeps none of the others. What an earlier attempt could not store is stored as well.
func (d *Dispatcher) Revoke(ctx context.Context, match func(policy.Grant) bool) ([]policy.Grant, error) {
	var revoked []policy.Grant
	var failed error
	for _, g := range d.Policy.Grants() {
		if !match(g) {
			continue
		}
		switch err := d.Policy.Revoke(g); {
		case fault.Is(err, fault.InvalidArguments):
			continue // a call has used it up meanwhile
		case err != nil && g.Deny: // it stays
			failed = err
			continue
		} // an allow does not count any more; Flush tries once more to store that
		revoked = append(revoked, g)
		event := journal.PolicyEvent{Event: "grant_revoked", Origin: g.Origin, Effect: g.Effect, Scope: g.Scope, Deny: &g.Deny}
		if err := d.logPolicyEvent(ctx, g.SessionID, "", event); err != nil {
			return revoked, err
		}
	}
	return revoked, cmp.Or(failed, d.Policy.Flush())
}

func (d *Dispatcher) logPolicyEvent(ctx context.Context, session, name string, event journal.PolicyEvent) error {
	raw, err := json.Marshal(event)
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "a log record cannot be written: %v", err)
	}
	return d.Journal.Commit(ctx, journal.Record{SessionID: session, Type: journal.TypePolicy, Name: name, Data: raw})
}

// newDamage returns what was found wrong with the log and no answer has had yet; empty
// for nothing.
func (d *Dispatcher) newDamage() string {
	found := d.Journal.Damage()
	if d.answeredDamage.Swap(found) == found {
		return ""
	}
	return found.String()
}
