package ui

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/compile"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/session"
	"github.com/actionsjson/actions-host/pkg/site"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// ProofPrefix begins the ids of the sessions in which the user runs a saved action from the
// extension. No client may have such an id.
const ProofPrefix = "proof-"

const (
	// maxSearched bounds the records that are read for the last session of a tab.
	maxSearched          = 20_000
	maxShownOutput       = 4000
	approvalPollInterval = 200 * time.Millisecond
)

// SavedAction is an action that was made of what a session did.
type SavedAction struct {
	site.Saved
	compile.Details
	SessionID   string `json:"session_id"`
	SessionName string `json:"session_name,omitzero"`
}

// Ran is what came of a run of a saved action.
type Ran struct {
	OK      bool         `json:"ok"`
	Already bool         `json:"already,omitzero"`
	Output  string       `json:"output,omitzero"` // indented JSON, cut
	Error   *fault.Error `json:"error,omitzero"`
	Step    string       `json:"step,omitzero"` // that failed
}

// saveAction makes an action of what was done last in a tab, or of the agent's own conversation.
func (b *Backend) saveAction(ctx context.Context, p protocol.ActionSave) (SavedAction, error) {
	job := site.Job{Tab: p.TabID, Name: p.Name, Preview: p.Preview, Replace: p.Replace, Check: b.check(ctx, p.TabID)}
	var err error
	if p.Conversation {
		if job.Session = b.Conversation(); job.Session == "" {
			return SavedAction{}, nothingDone("the agent has done nothing yet")
		}
	} else if job.Session, err = b.lastSession(ctx, p.TabID); err != nil {
		return SavedAction{}, err
	}
	saved, made, err := b.Saver.Save(ctx, job)
	if err != nil {
		return SavedAction{}, err
	}
	details, err := made.Details(b.Path.Catalogue)
	if err != nil {
		return SavedAction{}, err
	}
	out := SavedAction{Saved: saved, Details: *details, SessionID: job.Session}
	for _, named := range b.Sessions.Named() {
		if named.ID == job.Session {
			out.SessionName = named.Name
		}
	}
	return out, nil
}

func nothingDone(message string) error {
	return fault.New(fault.InvalidInput, "%s", message).WithDispatched(fault.NotDispatched).
		WithNextStep("Let an agent do the job in this tab first.")
}

// lastSession returns the session that worked in the tab last; the user's own trials are none.
func (b *Backend) lastSession(ctx context.Context, tabID int) (session string, err error) {
	searched := 0
	err = b.log.Backwards(ctx, journal.Filter{TabID: tabID, Types: []string{journal.TypeOutcome}}, func(r journal.Record) bool {
		searched++
		if r.ParentID != "" || r.SessionID == dispatch.OwnSession || isProof(r.SessionID) {
			return searched < maxSearched
		}
		session = r.SessionID
		return false
	})
	if err == nil && session == "" {
		err = nothingDone("nothing was done in this tab yet")
	}
	return session, err
}

func isProof(sessionID string) bool {
	return strings.HasPrefix(sessionID, string(policy.SessionCLI)+":"+ProofPrefix)
}

// check tries locators on the tab's page.
func (b *Backend) check(ctx context.Context, tabID int) func(string, json.RawMessage, *compile.Met) compile.Verdict {
	tab, ok := b.Tabs.Get(tabID)
	if !ok {
		return nil
	}
	return compile.OnPage(ctx, tab.URL, b.read(tabID))
}

// runAction runs a saved action once in the tab, from the page where it begins; that is loaded anew where
// the tab is on it already, with the parameters of its address, which no action keeps. Without an address it
// runs where the tab is. It is the user's own call, and takes the path of every other one.
func (b *Backend) runAction(ctx context.Context, p protocol.ActionRun) (ran Ran, err error) {
	tab, err := b.claimed(p.TabID)
	if err != nil {
		return Ran{}, err
	}
	if origin.Page(tab.URL) == p.URL {
		p.URL = tab.URL
	}
	err = b.withProof(ctx, p.TabID, func(own *dispatch.Session) (err error) {
		ran, err = b.tryOut(ctx, own, p)
		return err
	})
	return ran, err
}

// withProof calls use with a session of its own for the user's trial in a tab.
func (b *Backend) withProof(ctx context.Context, tabID int, use func(*dispatch.Session) error) error {
	caller := session.Caller{Kind: policy.SessionCLI, ID: ProofPrefix + strings.ToLower(rand.Text()[:10])}
	own, err := b.Sessions.Open(caller)
	if err != nil {
		return err
	}
	own.SetCurrent(tabID)
	return errors.Join(use(own), b.Sessions.End(context.WithoutCancel(ctx), caller))
}

func (b *Backend) tryOut(ctx context.Context, own *dispatch.Session, p protocol.ActionRun) (Ran, error) {
	type call struct {
		name string
		args map[string]any
	}
	calls := []call{
		{"browser.navigate", map[string]any{"url": p.URL, "policy_exception_report": policy.Report{
			Kind: policy.KindGeneric, IntendedTool: "browser.navigate", ActionsJSONPath: "none", Reason: "The user runs a saved action from the page where it begins.",
		}}},
		{dispatch.SiteTool, map[string]any{"mode": "call", "action": p.Action, "arguments": p.Arguments}},
	}
	if p.URL == "" {
		calls = calls[1:]
	}
	var e dispatch.Envelope
	for _, c := range calls {
		var err error
		if e, err = b.callAsked(ctx, own, p.TabID, c.name, c.args); err != nil {
			return Ran{}, err
		}
		if !e.OK {
			break
		}
	}
	ran := Ran{OK: e.OK, Already: e.Already, Error: e.Error}
	if ran.Error != nil {
		ran.Step, _ = ran.Error.Evidence["step_id"].(string)
	} else if text, err := json.MarshalIndent(e.Output, "", "  "); err == nil {
		ran.Output = truncate.Characters(string(text), maxShownOutput)
	}
	return ran, nil
}

// callAsked makes a call in a tab, and makes it again once the user has answered what it had to
// ask, unless a step of it has acted by then. The error is that of arguments which make no call.
func (b *Backend) callAsked(ctx context.Context, own *dispatch.Session, tabID int, name string, arguments map[string]any) (dispatch.Envelope, error) {
	raw, err := primitive.Output(arguments)
	if err != nil {
		return dispatch.Envelope{}, err
	}
	args, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return dispatch.Envelope{}, err
	}
	for {
		e := b.Path.Call(ctx, own, dispatch.Call{Name: name, Arguments: args, Target: tabs.Target{TabID: tabID}})
		if e.OK || e.Error.Code != fault.NeedsApproval || !e.Error.Retryable {
			return e, nil
		}
		id, _ := e.Error.Evidence["id"].(string)
		expires, _ := e.Error.Evidence["expires_at"].(time.Time)
		if id == "" || !b.answered(ctx, id, expires) {
			return e, nil
		}
	}
}

// claimed returns the tab, or the fault where it is not under control.
func (b *Backend) claimed(tabID int) (tabs.Tab, error) {
	tab, ok := b.Tabs.Get(tabID)
	if !ok {
		return tab, fault.New(fault.TabNotClaimed, "the tab is not under control any more").WithDispatched(fault.NotDispatched)
	}
	return tab, nil
}

// read returns what reads the page of a tab for the host itself.
func (b *Backend) read(tabID int) func(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
	return func(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
		return b.Path.CallAsHost(ctx, tabID, name, args)
	}
}

// answered waits until a question is answered; false where nobody did in time.
func (b *Backend) answered(ctx context.Context, id string, expires time.Time) bool {
	tick := time.NewTicker(approvalPollInterval)
	defer tick.Stop()
	for time.Now().Before(expires) {
		if !slices.ContainsFunc(b.Path.Approvals.List(), func(a policy.Approval) bool { return a.ID == id }) {
			return time.Now().Before(expires)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return false
}
