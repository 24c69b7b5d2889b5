package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// callFlags are the flags of every command that makes a call.
type callFlags struct {
	tab         int
	runtime     string
	urlContains string
	timeout     time.Duration
	mode        string
	reason      string
	allowCode   bool
	allowAPI    bool
}

func (f *callFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.tab, "tab", 0, "tab id, from actions-host tabs")
	cmd.Flags().StringVar(&f.runtime, "runtime", "", "runtime id of one document")
	cmd.Flags().StringVar(&f.urlContains, "url-contains", "", "a part of the tab's URL")
	cmd.Flags().DurationVar(&f.timeout, "timeout", 0, "time limit, such as 2s (default 30s, 2m for a site action)")
	cmd.Flags().StringVar(&f.mode, "mode", "act", "act, or ask to read only")
}

// params returns a call with the session, the target and the time limit of the flags.
func (f *callFlags) params() control.CallParams {
	return control.CallParams{
		Session:   control.SessionParams{Kind: policy.SessionCLI, Mode: policy.Mode(f.mode), AllowCode: f.allowCode, AllowAPI: f.allowAPI},
		Target:    control.TargetParams{TabID: f.tab, RuntimeID: f.runtime, URLContains: f.urlContains},
		TimeoutMS: int(f.timeout.Milliseconds()),
	}
}

func (a *app) callCommand() *cobra.Command {
	var f callFlags
	cmd := &cobra.Command{
		Use:   "call NAME [ARGS]",
		Short: "Run one primitive; ARGS is JSON or @FILE",
		Example: "  actions-host call page.info\n" +
			"  actions-host call locator.text_content '{\"locator\":{\"selector\":\"h1\"}}'",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments, err := argumentsOf(args[1:])
			if err != nil {
				return err
			}
			if args[0] != dispatch.SiteTool {
				if arguments, err = withReport(args[0], arguments, f.reason); err != nil {
					return err
				}
			}
			return a.call(cmd.Context(), f, args[0], arguments)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.allowCode, "allow-code", false, "run JavaScript too, where the user's settings allow it")
	cmd.Flags().BoolVar(&f.allowAPI, "allow-api", false, "let your approval of an origin cover net.send_url too, which else asks each time")
	cmd.Flags().StringVar(&f.reason, "reason", "Typed by a person at a terminal.", "why a primitive and not a stored action; kept in the log")
	return cmd
}

// maxArgumentDepth leaves room for the envelope around the arguments on their way to
// the host.
const maxArgumentDepth = strictjson.DefaultMaxDepth - 10

// argumentsOf reads ARGS: JSON, @FILE, or nothing.
func argumentsOf(args []string) (json.RawMessage, error) {
	if len(args) == 0 {
		return json.RawMessage("{}"), nil
	}
	text := []byte(args[0])
	if name, ok := strings.CutPrefix(args[0], "@"); ok {
		var err error
		if text, err = os.ReadFile(name); err != nil {
			return nil, err
		}
	}
	// As strict as the host, which could not answer a frame that it cannot read.
	arguments, err := strictjson.Canonical(text, strictjson.Limits{MaxDepth: maxArgumentDepth})
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidInput, "the arguments are not valid JSON: %s", fault.From(err).Message).
			WithNextStep(`Write them as one JSON object in single quotes, such as '{"selector":"h1"}', or as @FILE.`)
	}
	return arguments, nil
}

// withReport adds the policy_exception_report that a direct call needs, unless
// the arguments have one.
func withReport(name string, arguments json.RawMessage, reason string) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(arguments, &members); err != nil {
		return arguments, nil // the host says what is wrong with it
	}
	if name == dispatch.BatchTool {
		return withReports(members, reason)
	}
	if _, ok := members["policy_exception_report"]; ok {
		return arguments, nil
	}
	kind := policy.KindGeneric
	if r, ok := primitive.Load().Record(name); ok {
		kind = policy.ReportKind(r.CapabilityClass, policy.Effect(r.Effect))
	}
	report, err := json.Marshal(policy.Report{Kind: kind, IntendedTool: name, ActionsJSONPath: "none", Reason: reason})
	if err != nil {
		return nil, err
	}
	if members == nil {
		members = map[string]json.RawMessage{}
	}
	members["policy_exception_report"] = report
	return json.Marshal(members)
}

// withReports adds the report to each call of a batch.
func withReports(batch map[string]json.RawMessage, reason string) (json.RawMessage, error) {
	var calls []map[string]json.RawMessage
	if json.Unmarshal(batch["calls"], &calls) == nil {
		for _, call := range calls {
			var name string
			if json.Unmarshal(call["name"], &name) != nil || name == dispatch.BatchTool {
				continue // the host says what is wrong with it
			}
			if call["arguments"] == nil {
				call["arguments"] = json.RawMessage("{}")
			}
			arguments, err := withReport(name, call["arguments"], reason)
			if err != nil {
				return nil, err
			}
			call["arguments"] = arguments
		}
		raw, err := json.Marshal(calls)
		if err != nil {
			return nil, err
		}
		batch["calls"] = raw
	}
	return json.Marshal(batch)
}

// call makes one call and prints its envelope.
func (a *app) call(ctx context.Context, f callFlags, name string, arguments json.RawMessage) error {
	e, err := a.envelope(ctx, f, name, arguments)
	if err != nil {
		return err
	}
	return a.printEnvelope(e)
}

func (a *app) envelope(ctx context.Context, f callFlags, name string, arguments json.RawMessage) (dispatch.Envelope, error) {
	client, err := a.client(ctx)
	if err != nil {
		return dispatch.Envelope{}, err
	}
	defer client.Close()
	return callThrough(ctx, client, f.callOf(name, arguments))
}

// callOf returns a call as the flags say.
func (f callFlags) callOf(name string, arguments json.RawMessage) control.CallParams {
	p := f.params()
	p.Name, p.Arguments = name, arguments
	return p
}

// callThrough makes one call; one whose outcome is unknown is answered by its error.
func callThrough(ctx context.Context, client *control.Client, p control.CallParams) (dispatch.Envelope, error) {
	e, err := client.CallWithProgress(ctx, p, acts(p.Name), nil)
	if fault.Is(err, fault.OutcomeUnknown) {
		return dispatch.Envelope{Name: p.Name, Error: fault.From(err)}, nil
	}
	return e, err
}

// acts reports whether a call may change a page; an unknown one may.
func acts(name string) bool {
	r, ok := primitive.Load().Record(name)
	return !ok || dispatch.MayAct(r)
}

// printEnvelope prints JSON as it is, or, for a person, the output or what went
// wrong. A failed call is exit status 1.
func (a *app) printEnvelope(e dispatch.Envelope) error {
	switch {
	case a.json:
		a.printJSON(e)
	case e.OK:
		fmt.Fprintln(a.stdout, pretty(e.Output))
		if e.Already {
			fmt.Fprintln(a.stderr, "This was done already: the action changed nothing.")
		}
	default:
		a.warnOfMaps(e)
		a.printFault(e.Error)
		a.printFaultEvidence(forTerminal(e.Error).Evidence)
	}
	if !e.OK {
		return status(exitFailed)
	}
	return nil
}

func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return string(raw)
	}
	return b.String()
}

// A page may have thousands of characters to say; a person reads the first.
const (
	maxEvidence = 1000 // characters of an error's evidence
	maxURL      = 100  // characters of a tab's address
)

// forTerminal rewrites an error's next step for the command line: of several tabs it
// lists those that can be named.
func forTerminal(f *fault.Error) *fault.Error {
	candidates := candidatesOf(f)
	if len(candidates) == 0 {
		return f
	}
	step := "Name one with --tab, or with --url-contains:"
	for _, c := range candidates {
		step += fmt.Sprintf("\n    --tab %d  %s", c.TabID, truncate.Characters(c.URL, maxURL))
	}
	local := *f
	local.NextStep, local.Evidence = step, maps.Clone(f.Evidence)
	delete(local.Evidence, "candidates")
	return &local
}

// candidatesOf reads the tabs among which a call did not choose; none for other
// errors.
func candidatesOf(f *fault.Error) (candidates []tabs.Candidate) {
	if f.Code != fault.AmbiguousRuntime {
		return nil
	}
	raw, err := json.Marshal(f.Evidence["candidates"])
	if err != nil || json.Unmarshal(raw, &candidates) != nil {
		return nil
	}
	return candidates
}

// printFaultEvidence shows a person what the error rests on: how to go on in words,
// the rest as JSON.
func (a *app) printFaultEvidence(evidence map[string]any) {
	rest := maps.Clone(evidence)
	if words, ok := rest["safe_recovery"].(string); ok {
		fmt.Fprintf(a.stderr, "  safe_recovery: %s\n", words)
		delete(rest, "safe_recovery")
	}
	if len(rest) == 0 {
		return
	}
	if raw, err := primitive.Output(rest); err == nil {
		fmt.Fprintf(a.stderr, "  evidence: %s\n", shownEvidence(string(raw)))
	}
}

func shownEvidence(raw string) string {
	if short := truncate.Characters(raw, maxEvidence); short != raw {
		return short + " (--json shows all of it)"
	}
	return raw
}
