package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/policy"
)

func (a *app) approvalsCommand() *cobra.Command {
	list := &cobra.Command{
		Use: "list", Short: "Show what waits", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := a.client(cmd.Context())
			if err != nil {
				return err
			}
			defer client.Close()
			var waiting control.Approvals
			if err := client.Call(cmd.Context(), control.MethodApprovals, control.Empty{}, &waiting); err != nil {
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
				fmt.Fprintf(a.stdout, "%s  %s on %s (%v), %s left\n    %s\n", w.ID, w.Name, w.Origin, w.Effects, time.Until(w.ExpiresAt).Round(time.Second), w.Summary)
			}
			return nil
		},
	}
	return group("approvals", "Calls that wait for your approval", list, a.answerCommand("allow", true), a.answerCommand("deny", false))
}

func (a *app) answerCommand(verb string, allow bool) *cobra.Command {
	return &cobra.Command{
		Use: verb + " ID", Short: "Answer one: " + verb + " it once", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := a.client(cmd.Context())
			if err != nil {
				return err
			}
			defer client.Close()
			answer := control.Answer{ID: args[0], Allow: allow, Scope: policy.ScopeOnce}
			if err := client.Call(cmd.Context(), control.MethodAnswer, answer, &control.Empty{}); err != nil {
				return err
			}
			if a.json {
				a.printJSON(map[string]any{"ok": true, "id": args[0], "allowed": allow})
			} else {
				fmt.Fprintf(a.stdout, "✓ %s: %s\n", args[0], map[bool]string{true: "allowed once", false: "denied"}[allow])
			}
			return nil
		},
	}
}
