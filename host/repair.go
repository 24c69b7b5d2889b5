package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/repair"
	"github.com/actionsjson/actions-host/pkg/site"
)

func (a *app) repairCommand() *cobra.Command {
	var f callFlags
	var propose, undo bool
	cmd := &cobra.Command{
		Use: "repair [ACTION [ARGS]]", Short: "Mend a stored action that no longer fits its page, with proof", Args: cobra.MaximumNArgs(2),
		Long: "Mend a stored action that no longer fits its page. For each target that is gone or ambiguous the\n" +
			"host proposes the element that takes its place, from what the log knows of it since the last run\n" +
			"that went well. It refuses where two elements could be it, and where the one that could means\n" +
			"another thing.\n\n" +
			"The mended action is tried with ARGS, and written only where its postcondition then holds. The\n" +
			"extension asks you before: the code beside that question is what you type here. An action that\n" +
			"only reads is tried before it asks. Without a postcondition the proposal is printed, no more.\n" +
			"Without ACTION there is a proposal for each action of the page.\n\n" +
			"The last version of the map and a report with the evidence stay beside it; --undo brings the\n" +
			"last version back. Of several repairs of a map, the last one is undone first.",
		Example: "  actions-host repair teahouse.order '{\"tea\":\"Gyokuro\"}'\n  actions-host repair --undo teahouse.order",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case undo && len(args) != 1:
				return fmt.Errorf("--undo takes the name of an action and nothing else")
			case undo:
				return a.undoRepair(args[0])
			case len(args) == 0:
				return a.proposeAll(cmd.Context(), f)
			}
			input, err := argumentsOf(args[1:])
			if err != nil {
				return err
			}
			return a.repair(cmd, f, args[0], input, propose)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&propose, "propose", false, "print what would take the place, and try nothing")
	cmd.Flags().BoolVar(&undo, "undo", false, "bring back the map as it was before the action's repair")
	cmd.MarkFlagsMutuallyExclusive("propose", "undo")
	return cmd
}

// repair asks the host until the user has answered its question.
func (a *app) repair(cmd *cobra.Command, f callFlags, action string, input json.RawMessage, propose bool) error {
	ctx := cmd.Context()
	client, err := a.client(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	e, err := repairThrough(ctx, client, f, action, input, propose)
	if err != nil {
		return err
	}
	stdin, ok := cmd.InOrStdin().(*os.File)
	if e.Error == nil || e.Error.Code != fault.NeedsApproval || !e.Error.Retryable || !ok || a.json {
		return a.printRepair(e)
	}
	if person, _ := console(stdin); !person {
		return a.printRepair(e)
	}
	var proposal site.Repair
	if evidence(e.Error, "proposal", &proposal) {
		a.printProposal(proposal)
	}
	var id string
	evidence(e.Error, "id", &id)
	fmt.Fprint(a.stdout, "Try it, and keep it if it proves itself? Type the code that stands beside the question in the extension: ")
	line, err := untilEnded(ctx, func() (string, error) { return bufio.NewReader(stdin).ReadString('\n') })
	if code := strings.TrimSpace(line); err != nil || code == "" {
		return fault.New(fault.Cancelled, "nothing was changed")
	} else if err := client.Call(ctx, control.MethodAnswer, control.Answer{ID: id, Allow: true, Scope: policy.ScopeOnce, Code: code}, &control.Empty{}); err != nil {
		return err
	}
	if e, err = repairThrough(ctx, client, f, action, input, false); err != nil {
		return err
	}
	return a.printRepair(e)
}

func repairThrough(ctx context.Context, client *control.Client, f callFlags, action string, input json.RawMessage, propose bool) (e dispatch.Envelope, err error) {
	p, err := control.RepairCall(f.params(), action, input, propose)
	if err == nil {
		err = client.Call(ctx, control.MethodRepair, p, &e)
	}
	return e, err
}

// evidence reads a member of an error's evidence.
func evidence(f *fault.Error, name string, into any) bool {
	raw, err := json.Marshal(f.Evidence[name])
	return err == nil && f.Evidence[name] != nil && json.Unmarshal(raw, into) == nil
}

// proposeAll prints a proposal for each action of the page.
func (a *app) proposeAll(ctx context.Context, f callFlags) error {
	client, err := a.client(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	e, err := callThrough(ctx, client, f.callOf(dispatch.SiteTool, json.RawMessage(`{"mode":"list","names_only":true}`)))
	var list struct {
		Actions []struct {
			Name string `json:"name"`
		} `json:"actions"`
	}
	if err != nil {
		return err
	}
	if !e.OK || json.Unmarshal(e.Output, &list) != nil {
		return a.printEnvelope(e)
	}
	failed := false
	for _, action := range list.Actions {
		e, err := repairThrough(ctx, client, f, action.Name, json.RawMessage(`{}`), true)
		if err != nil {
			return err
		}
		if !a.json && !e.OK {
			fmt.Fprintf(a.stdout, "%s\n", action.Name)
		}
		failed = a.printRepair(e) != nil || failed
	}
	if failed {
		return status(exitFailed)
	}
	return nil
}

func (a *app) printRepair(e dispatch.Envelope) error {
	var r site.Repair
	if !e.OK {
		if evidence(e.Error, "proposal", &r) && !a.json {
			a.printProposal(r)
		}
		return a.printEnvelope(e)
	}
	if a.json || json.Unmarshal(e.Output, &r) != nil {
		return a.printEnvelope(e)
	}
	a.printProposal(r)
	switch {
	case r.Outcome == site.RepairFits && r.Why != "":
		fmt.Fprintf(a.stdout, "? %s: all targets that can be looked for now are there, but %s\n", r.Action, r.Why)
	case r.Outcome == site.RepairFits:
		fmt.Fprintf(a.stdout, "✓ %s: all targets that can be looked for now are there; nothing to repair\n", r.Action)
	case r.Outcome == site.RepairProposed:
		fmt.Fprintf(a.stdout, "? %s: proposed, and the map stays as it is: %s\n", r.Action, r.Why)
	case r.Outcome == site.RepairDone:
		fmt.Fprintf(a.stdout, "✓ %s is repaired: the postcondition on %s holds\n  why: %s\n  the last version: %s\n  undo: actions-host repair --undo %s\n", r.Action, r.Postcondition, quoted(r.Report), quoted(r.Kept), r.Action)
	}
	return nil
}

// printProposal prints the diff of the map, with its evidence.
func (a *app) printProposal(r site.Repair) {
	for _, t := range r.Targets {
		if t.Candidate == nil {
			continue
		}
		fmt.Fprintf(a.stdout, "%s %s: %s is %s\n  → %s, by its %s (%.2f)\n", r.Action, t.Step, t.Was, t.State, repair.Title(t.Candidate.Target), t.By, t.Candidate.Score)
		for _, one := range t.Candidate.Agreements {
			fmt.Fprintf(a.stdout, "    %-9s %3.0f%%  %s → %s\n", one.Attribute, 100*one.Agrees, one.Was, one.Now)
		}
	}
	if r.Diff != "" {
		fmt.Fprintf(a.stdout, "%s\n%s", r.Map, r.Diff)
	}
}

// undoRepair brings back the map as it was before the repair of the action.
func (a *app) undoRepair(action string) error {
	store, err := openStorage()
	if err != nil {
		return err
	}
	var maps []string
	items, _ := store.List()
	for _, i := range items {
		if i.Map {
			maps = append(maps, i.File())
		}
	}
	file, err := repair.Repaired(maps, action)
	if err != nil {
		return err
	}
	r, err := repair.Undo(file, action)
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(map[string]any{"ok": true, "action": r.Action, "map": r.Map})
	} else {
		fmt.Fprintf(a.stdout, "✓ %s is as it was before the repair of %s\n", r.Map, r.Action)
	}
	return nil
}
