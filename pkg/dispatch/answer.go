package dispatch

import (
	"context"
	"errors"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// Answer decides a waiting approval for the user and logs it, with the face through which the answer
// came. A question whose page is gone is withdrawn instead.
func (d *Dispatcher) Answer(ctx context.Context, answer policy.Answer) error {
	if err := d.WithdrawQuestions(ctx); err != nil {
		return err
	}
	answered, err := d.Approvals.Answer(answer)
	if answered.ID == "" || err != nil && fault.From(err).Evidence["wrong_codes"] == nil {
		return err
	}
	event := journal.PolicyEvent{Approval: answered.ID, Scope: answered.Scope, Origin: answered.Origin, Face: answer.Face}
	if err != nil {
		event.Event = journal.EventWrongCode
	}
	if answered.Outcome != "" {
		event.Allow = new(answered.Outcome == policy.Allowed)
	}
	return errors.Join(err, d.logPolicyEvent(ctx, answered.SessionID, answered.Name, event))
}

// RefuseAnswer logs an answer that was not offered and returns the error for it. The question stays
// open: nobody has answered it.
func (d *Dispatcher) RefuseAnswer(ctx context.Context, answer policy.Answer, text string) error {
	refused := fault.New(fault.InvalidArguments, "the form was answered with %.40q, which it does not offer", text).
		WithNextStep("Ask the user to answer it in the popup of the extension, then call again.").WithDispatched(fault.NotDispatched)
	for _, open := range d.Approvals.List() {
		if open.ID == answer.ID && open.SessionID == answer.SessionID {
			event := journal.PolicyEvent{Approval: open.ID, Event: journal.EventAnswerNotOffered, Origin: open.Origin, Scope: policy.ScopeOnce, Face: answer.Face}
			return errors.Join(refused, d.logPolicyEvent(ctx, open.SessionID, open.Name, event))
		}
	}
	return refused
}

// WithdrawQuestions ends the questions whose tab was closed or taken back, or shows a page of another
// origin: what the user would allow is not what they see.
func (d *Dispatcher) WithdrawQuestions(ctx context.Context) error {
	var failed []error
	for _, q := range d.Approvals.Withdraw(d.isGone) {
		event := journal.PolicyEvent{Approval: q.ID, Event: journal.EventQuestionWithdrawn, Origin: q.Origin, Scope: policy.ScopeOnce}
		failed = append(failed, d.logPolicyEvent(ctx, q.SessionID, q.Name, event))
	}
	return errors.Join(failed...)
}

func (d *Dispatcher) isGone(p policy.Place) bool {
	tab, claimed := d.Tabs.Get(p.TabID)
	return !claimed || originOf(tab.URL) != p.Origin
}

// unseen returns the error of a question that nothing can show.
func unseen(r policy.Request) error {
	return fault.New(fault.NeedsApproval, "%s needs the user's approval, and nothing is open that could show them the question", r.Name).
		With("effects", r.Ask).
		WithNextStep("Ask the user to open the popup of the extension, or the pane in the page, and call again then.").
		WithDispatched(fault.NotDispatched)
}
