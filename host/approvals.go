package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/policy"
)

func (a *app) approvalsCommand() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "Show what waits, and what was granted or denied", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var waiting control.Approvals
			if err := a.ask(cmd.Context(), control.MethodApprovals, control.Empty{}, &waiting); err != nil {
				return err
			}
			if a.json {
				a.printJSON(waiting)
				return nil
			}
			if len(waiting.Approvals) == 0 {
				fmt.Fprintln(a.stdout, "Nothing waits for approval.")
			}
			for _, w := range waiting.Approvals {
				fmt.Fprintf(a.stdout, "%s  %s on %s %v, %s left\n    %s\n", w.ID, w.Name, w.Origin, w.Effects, time.Until(w.ExpiresAt).Round(time.Second), w.Summary)
				for i, step := range w.About.Plan {
					fmt.Fprintf(a.stdout, "    %d. %s\n", i+1, step.Does)
				}
			}
			a.printGrants(waiting.Grants)
			return nil
		},
	}
	return group("approvals", "Calls that wait for your approval, and your answers",
		list, a.answerCommand("allow", true), a.answerCommand("deny", false), a.revokeCommand())
}

// ask makes one request of the host that is meant.
func (a *app) ask(ctx context.Context, method string, params, result any) error {
	client, err := a.client(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	return client.Call(ctx, method, params, result)
}

func (a *app) printGrants(grants []policy.Grant) {
	for _, g := range grants {
		holds := string(g.Scope)
		switch {
		case g.Scope == policy.ScopeSession:
			holds = "for the session " + g.SessionID
		case !g.ExpiresAt.IsZero():
			holds = fmt.Sprintf("for %s more", time.Until(g.ExpiresAt).Round(time.Second))
		}
		fmt.Fprintf(a.stdout, "%s: %s on %s, %s\n", map[bool]string{true: "denied", false: "allowed"}[g.Deny], g.Effect, g.Origin, holds)
	}
}

func (a *app) answerCommand(verb string, allow bool) *cobra.Command {
	var scope, code string
	cmd := &cobra.Command{
		Use: verb + " ID", Short: "Answer one: " + verb + " it", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			answer := control.Answer{ID: args[0], Allow: allow, Scope: policy.Scope(scope)}
			switch answer.Scope {
			case policy.ScopeOnce, policy.ScopeSession, policy.ScopeAlways:
			default:
				return fmt.Errorf("--scope is once, session or always")
			}
			if answer.Code = code; allow && code == "" {
				return fmt.Errorf("--code is missing: the popup, the pane and the output of launch show it beside the question")
			}
			if err := a.ask(cmd.Context(), control.MethodAnswer, answer, &control.Empty{}); err != nil {
				return err
			}
			if a.json {
				a.printJSON(map[string]any{"ok": true, "id": args[0], "allowed": allow, "scope": scope})
			} else {
				fmt.Fprintf(a.stdout, "✓ %s: %s (%s)\n", args[0], map[bool]string{true: "allowed", false: "denied"}[allow], scope)
			}
			return nil
		},
	}
	if allow {
		cmd.Long = "Answer one: allow it. The code stands beside the question where only a person looks: in the\n" +
			"popup, the pane, a notification, or the output of launch. Three wrong ones refuse it."
		cmd.Example = "  actions-host approvals allow k3fj7abc --code 7kx4m"
		cmd.Flags().StringVar(&code, "code", "", "the code that the question shows")
	}
	cmd.Flags().StringVar(&scope, "scope", "once", "once, session (its caller's) or always, for that origin and effect")
	return cmd
}

func (a *app) revokeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "revoke ORIGIN [EFFECT]", Short: "Take back what was allowed on an origin", Args: cobra.RangeArgs(1, 2),
		Long: "Take back what was allowed on an origin, as approvals list shows it: one effect or all. From\n" +
			"then on such calls ask again, where policy.json says that they must. What was refused is taken\n" +
			"back in the options of the extension, where only a person looks.",
		Example: "  actions-host approvals revoke https://shop.example input",
		RunE: func(cmd *cobra.Command, args []string) error {
			params := control.Revoke{Origin: args[0]}
			if len(args) == 2 {
				params.Effect = policy.Effect(args[1])
			}
			var done control.Revoked
			if err := a.ask(cmd.Context(), control.MethodRevoke, params, &done); err != nil {
				return err
			}
			if a.json {
				a.printJSON(map[string]any{"ok": true, "revoked": done.Revoked})
				return nil
			}
			fmt.Fprintln(a.stdout, "✓ taken back:")
			a.printGrants(done.Revoked)
			return nil
		},
	}
}
