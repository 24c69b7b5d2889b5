package journal

import (
	"cmp"
	"encoding/json"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

// The data of records whose writers and readers are in different packages. The
// order of the members is that of the stored bytes. A reader decodes any record with
// any of them: members of another kind's form stay empty.

// Intent is the data of a call's record before it is sent.
type Intent struct {
	Action    string          `json:"action,omitzero"` // the stored action that runs
	Arguments json.RawMessage `json:"arguments"`
	TabID     int             `json:"tab_id,omitzero"`
	URL       string          `json:"url,omitzero"`
	Route     string          `json:"route"`
	Effect    string          `json:"effect"`
	Stored    bool            `json:"stored,omitzero"` // a step of a stored action
	Report    *policy.Report  `json:"policy_exception_report,omitzero"`
	// ReportCall is the earlier call whose report held for this one.
	ReportCall string `json:"policy_exception_report_of,omitzero"`
}

// Outcome is the data of the record of how a call ended, or that it was refused.
type Outcome struct {
	OK         *bool           `json:"ok"` // nil in records of another kind, and in one that was truncated
	DurationMS float64         `json:"duration_ms"`
	HasIntent  bool            `json:"has_intent,omitzero"` // the log has an intent of the call
	Arguments  json.RawMessage `json:"arguments,omitzero"`  // as far as the log may show them; the intent's only measure what is typed
	Report     *policy.Report  `json:"policy_exception_report,omitzero"`
	ReportCall string          `json:"policy_exception_report_of,omitzero"` // as in Intent
	Output     json.RawMessage `json:"output,omitzero"`
	Error      *fault.Error    `json:"error,omitzero"`
	TabID      int             `json:"tab_id,omitzero"`
	URL        string          `json:"url,omitzero"`
	Action     string          `json:"action,omitzero"` // the stored action that ran
	Origin     string          `json:"origin,omitzero"` // that it was decided for, where the tab is elsewhere now
	// StartURL is the page on which a stored action began, without its parameters, where it led to another one.
	StartURL string          `json:"start_url,omitzero"`
	Steps    json.RawMessage `json:"steps,omitzero"` // summaries of the action's steps; see StepList
	Map      string          `json:"map,omitzero"`
	// Target is what the page met as the target, Destination where a drag ended.
	Target      *protocol.MetTarget `json:"target,omitzero"`
	Destination *protocol.MetTarget `json:"destination,omitzero"`
}

// Step is what a reader needs of the summary of a stored action's step. An assertion and a
// group of steps have no primitive.
type Step struct {
	ID        string `json:"id"`
	Primitive string `json:"primitive"`
	OK        bool   `json:"ok"`
	Skipped   bool   `json:"skipped"`
	Items     int    `json:"items,omitzero"` // that a loop ran, or that reached a step of a group
	Steps     []Step `json:"steps,omitzero"` // of a group
}

// Succeeded reports whether the call ended well.
func (o Outcome) Succeeded() bool { return o.OK != nil && *o.OK }

// Failed reports whether the record says that the call did not end well.
func (o Outcome) Failed() bool { return o.OK != nil && !*o.OK }

// StepList returns the steps of a stored action.
func (o Outcome) StepList() (steps []Step) {
	_ = json.Unmarshal(o.Steps, &steps) // other calls have none
	return steps
}

// ActionName returns the name of the stored action that the call, or the intent,
// is about; empty where it names none.
func (o Outcome) ActionName() string {
	var args struct {
		Action string `json:"action"`
	}
	_ = json.Unmarshal(o.Arguments, &args) // other tools have other arguments
	return cmp.Or(o.Action, args.Action)
}

// The events of records of the type policy beside plain answers.
const (
	EventStopped           = "stopped"
	EventLetGoOn           = "let_go_on"
	EventWrongCode         = "wrong_code"
	EventQuestionWithdrawn = "question_withdrawn"
	EventAnswerNotOffered  = "answer_not_offered"
)

// PolicyEvent is the data of the record of what a user decided: the answer to an
// approval, a grant taken back, or agents that were stopped and let go on.
type PolicyEvent struct {
	Allow    *bool         `json:"allow,omitzero"` // of an answer
	Approval string        `json:"approval,omitzero"`
	Deny     *bool         `json:"deny,omitzero"` // of a grant
	Effect   policy.Effect `json:"effect,omitzero"`
	Ended    int           `json:"ended,omitzero"` // calls, by a stop
	Event    string        `json:"event,omitzero"`
	Face     policy.Face   `json:"face,omitzero"` // where the user did it
	Origin   string        `json:"origin"`
	Scope    policy.Scope  `json:"scope"`
	TabID    int           `json:"tab_id,omitzero"` // of a stop of one tab
}
