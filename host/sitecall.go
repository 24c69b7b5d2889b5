package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/trace"
)

func (a *app) siteCallCommand() *cobra.Command {
	var f callFlags
	var dry bool
	var folder string
	cmd := &cobra.Command{
		Use: "call ACTION [ARGS]", Short: "Run a stored action; ARGS is JSON or @FILE", Args: cobra.RangeArgs(1, 2),
		Long: "Run a stored action; ARGS is JSON or @FILE.\n\n" +
			"With --dry-run nothing is pressed, typed or opened: each step is listed with its target, which is\n" +
			"marked on the page for a moment. Steps that only read run until the first that does more, so that\n" +
			"what comes after them can be told; the exit status says whether the action would run.\n\n" +
			"With --trace a folder is left, that somebody can mend the map from: the steps, the page's snapshot\n" +
			"and picture without secret fields, console, network, and the line of the map that failed.",
		Example: "  actions-host site call search.submit '{\"query\":\"tea\"}'\n" +
			"  actions-host site call search.submit '{\"query\":\"tea\"}' --dry-run\n" +
			"  actions-host site call search.submit '{\"query\":\"tea\"}' --trace ./trace",
		RunE: func(cmd *cobra.Command, args []string) error {
			input, err := argumentsOf(args[1:])
			if err != nil {
				return err
			}
			switch {
			case dry:
				return a.dryRun(cmd.Context(), f, args[0], input)
			case folder != "":
				return a.traceCall(cmd.Context(), f, args[0], input, folder)
			}
			call, err := siteCall("call", args[0], input)
			if err != nil {
				return err
			}
			return a.call(cmd.Context(), f, dispatch.SiteTool, call)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what it would do, and do nothing")
	cmd.Flags().StringVar(&folder, "trace", "", "leave a folder about the run; it must be empty or not there yet")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "trace")
	return cmd
}

// siteCall returns the arguments of actions.site for an action.
func siteCall(mode, action string, input json.RawMessage) (json.RawMessage, error) {
	return json.Marshal(map[string]any{"mode": mode, "action": action, "arguments": input})
}

// traceReason is in the log beside the calls that a trace makes.
const traceReason = "A trace of a stored action was asked for at a terminal."

// traceCall runs an action and leaves a folder about it.
func (a *app) traceCall(ctx context.Context, f callFlags, action string, input json.RawMessage, folder string) error {
	if err := trace.CheckFolder(folder); err != nil {
		return err
	}
	call, err := siteCall("call", action, input)
	if err != nil {
		return err
	}
	client, err := a.client(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	params := f.callOf(dispatch.SiteTool, call)
	look := looker(client, &params)
	if err := trace.Begin(ctx, folder, look); err != nil {
		return err
	}
	run := trace.Run{Action: action, Arguments: input, At: time.Now().UTC(), StorageRoot: client.Status.StorageRoot}
	if run.Envelope, err = callThrough(ctx, client, params); err != nil {
		return err
	}
	if tab := run.Meta.Tab; tab != nil { // the page may be another one by now
		params.Target = control.TargetParams{TabID: tab.TabID}
	}
	if err := trace.Write(ctx, folder, run, look); err != nil {
		return err
	}
	fmt.Fprintf(a.stderr, "trace: %s\n", folder)
	return a.printEnvelope(run.Envelope)
}

// looker returns the look at the page of a trace: the parameters name the tab.
func looker(client *control.Client, params *control.CallParams) trace.Look {
	return func(ctx context.Context, name string, args json.RawMessage) (dispatch.Envelope, error) {
		reported, err := withReport(name, args, traceReason)
		if err != nil {
			return dispatch.Envelope{}, err
		}
		p := *params
		p.Name, p.Arguments, p.TimeoutMS, p.Session.Mode = name, reported, 0, policy.ModeAsk
		return callThrough(ctx, client, p)
	}
}

// preview is what actions.site says of an action that it does not run.
type preview struct {
	Action     string       `json:"action"`
	Kind       string       `json:"kind"`
	WouldRun   string       `json:"would_run"`
	Why        *fault.Error `json:"why"`
	KnownSteps int          `json:"known_steps"`
	TotalSteps int          `json:"total_steps"`
	Decision   struct {
		Verdict string `json:"verdict"`
		Rule    string `json:"rule"`
		Section string `json:"section"`
		Origin  string `json:"origin"`
	} `json:"decision"`
	Effects   []string `json:"effects"`
	Addresses []string `json:"addresses"`
	Steps     []struct {
		Step     int          `json:"step"`
		State    string       `json:"state"`
		Does     string       `json:"does"`
		Needs    []string     `json:"needs"`
		Item     int          `json:"item"`
		Items    int          `json:"items"`
		Attempts int          `json:"attempts"`
		Runs     []string     `json:"runs"`
		Error    *fault.Error `json:"error"`
	} `json:"steps"`
	Value         json.RawMessage `json:"value"`
	Postcondition string          `json:"postcondition"`
}

// dryRun shows what an action would do. An action that would not run is exit status 1.
func (a *app) dryRun(ctx context.Context, f callFlags, action string, input json.RawMessage) error {
	call, err := siteCall("preview", action, input)
	if err != nil {
		return err
	}
	e, err := a.envelope(ctx, f, dispatch.SiteTool, call)
	if err != nil {
		return err
	}
	var p preview
	if !e.OK || json.Unmarshal(e.Output, &p) != nil { // one too long to be whole
		return a.printEnvelope(e)
	}
	if a.json {
		a.printJSON(e)
	} else {
		a.printPreview(p)
	}
	if p.WouldRun == "no" {
		return status(exitFailed)
	}
	return nil
}

// verdicts are the words for whether an action would run.
var verdicts = map[string]string{
	"yes": "would run", "no": "would not run", "after_approval": "would run once you have allowed it",
	"unknown": "may run: a target of a later step is not there yet",
}

func (a *app) printPreview(p preview) {
	fmt.Fprintf(a.stdout, "%s %s; nothing was done\n", p.Action, verdicts[p.WouldRun])
	for _, s := range p.Steps {
		line := s.Does
		if s.Items > 0 {
			line += fmt.Sprintf(" (item %d of %d)", s.Item, s.Items)
		}
		if s.Attempts > 1 {
			line += fmt.Sprintf(" (at most %d times)", s.Attempts)
		}
		mark := "  "
		switch s.State {
		case "ran":
			mark = "✓ "
		case "skipped":
			mark, line = "– ", line+": not due"
		case "unknown":
			mark, line = "? ", line+": known once "+strings.Join(s.Needs, " and ")+" has run"
		}
		if s.Error != nil {
			mark, line = "✗ ", line+fmt.Sprintf(": %s (%s)", s.Error.Message, s.Error.Code)
		}
		fmt.Fprintf(a.stdout, "%s%2d. %s\n", mark, s.Step, line)
		for _, inner := range s.Runs {
			fmt.Fprintf(a.stdout, "       %s\n", inner)
		}
	}
	if p.Value != nil {
		fmt.Fprintf(a.stdout, "  answers %s\n", pretty(p.Value))
	}
	if p.KnownSteps < p.TotalSteps {
		fmt.Fprintf(a.stdout, "  known up to step %d of %d\n", p.KnownSteps, p.TotalSteps)
	}
	if p.Postcondition != "" {
		fmt.Fprintf(a.stdout, "  then checks the page's state: %s\n", p.Postcondition)
	}
	if slices.Sort(p.Effects); len(p.Effects) > 0 {
		fmt.Fprintf(a.stdout, "  effects: %s\n", strings.Join(p.Effects, ", "))
	}
	for _, address := range p.Addresses {
		fmt.Fprintf(a.stdout, "  address: %s\n", address)
	}
	fmt.Fprintf(a.stdout, "  policy: %s on %s, by %s (%s)\n", p.Decision.Verdict, p.Decision.Origin, p.Decision.Rule, p.Decision.Section)
	if p.Why != nil {
		fmt.Fprintf(a.stdout, "  why not: %s (%s)\n  → %s\n", p.Why.Message, p.Why.Code, p.Why.NextStep)
	}
}
