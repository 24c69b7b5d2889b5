package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

func (a *app) policyCommand() *cobra.Command {
	return group("policy", "What may run, and which rule says so", a.explainCommand())
}

func (a *app) explainCommand() *cobra.Command {
	var f callFlags
	var origins []string
	cmd := &cobra.Command{
		Use:   "explain NAME [ARGS]",
		Short: "Tell which rule decides about a call, without making it",
		Long: "Tell which rule decides about a call of a primitive or of a stored action of the page,\n" +
			"and where that rule stands. Nothing is run, asked or used up.",
		Example: "  actions-host policy explain locator.click\n" +
			"  actions-host policy explain teahouse.order --mode ask",
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			arguments, err := argumentsOf(args[1:])
			if err != nil {
				return err
			}
			if arguments, err = withReport(args[0], arguments, f.reason); err != nil {
				return err
			}
			client, err := a.client(cmd.Context())
			if err != nil {
				return err
			}
			defer client.Close()
			var e dispatch.Explanation
			err = client.Call(cmd.Context(), control.MethodExplain, control.CallParams{
				Session: control.SessionParams{Kind: policy.SessionCLI, Mode: policy.Mode(f.mode), AllowCode: f.allowCode, Origins: origins},
				Name:    args[0], Arguments: arguments,
				Target: control.TargetParams{TabID: f.tab, RuntimeID: f.runtime, URLContains: f.urlContains},
			}, &e)
			if err != nil {
				return err
			}
			a.printExplanation(e)
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&f.allowCode, "allow-code", false, "as if the caller asked for JavaScript")
	cmd.Flags().StringVar(&f.reason, "reason", "Asked what would be decided.", "the reason of the report that a direct call carries")
	cmd.Flags().StringArrayVar(&origins, "origin", nil, "as if the session were restricted to pages of this origin; may be repeated")
	return cmd
}

// ruleMarks are how an outcome of a rule is shown.
var ruleMarks = map[string]string{policy.Passed: "✓", policy.NotApplicable: "–", policy.Denied: "✗", policy.Asked: "?"}

func (a *app) printExplanation(e dispatch.Explanation) {
	if a.json {
		a.printJSON(e)
		return
	}
	place := ""
	if e.Origin != "" {
		place = " on " + e.Origin
	}
	fmt.Fprintf(a.stdout, "%s: %s%s\n", e.Verdict, e.Name, place)
	for _, r := range e.Trace {
		fmt.Fprintf(a.stdout, "  %s %-24s %-14s %s\n", ruleMarks[r.Outcome], r.Rule, r.Outcome, r.Section)
	}
	if e.Fault != nil {
		f := fault.From(e.Fault)
		fmt.Fprintf(a.stdout, "  %s (%s)\n  → %s\n", f.Message, f.Code, f.NextStep)
	}
}
