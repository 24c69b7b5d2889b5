package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/runhistory"
	"github.com/actionsjson/actions-host/pkg/storage"
)

func (a *app) siteCommand() *cobra.Command {
	return group("site", "The actions that the page's map declares", a.siteListCommand(), a.siteCallCommand(), a.siteStateCommand(), a.siteCancelCommand())
}

func (a *app) siteListCommand() *cobra.Command {
	var f callFlags
	cmd := &cobra.Command{
		Use: "list", Short: "What can be done on this page", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e, err := a.envelope(cmd.Context(), f, dispatch.SiteTool, json.RawMessage(`{"mode":"list","detail":true}`))
			if err != nil {
				return err
			}
			if a.json || !e.OK {
				return a.printEnvelope(e)
			}
			a.warnOfMaps(e)
			if err := a.printList(e); err != nil {
				return err
			}
			a.printPageTools(e.Output)
			return nil
		},
	}
	f.add(cmd)
	return cmd
}

func (a *app) siteStateCommand() *cobra.Command {
	var f callFlags
	var summary string
	var diff bool
	cmd := &cobra.Command{
		Use: "state [PROJECTION]", Short: "The page's state as its map projects it, a summary, or what changed", Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			call := map[string]any{"mode": "state_read"}
			switch {
			case diff:
				call["mode"] = "state_diff"
			case cmd.Flags().Changed("summary"):
				call["mode"], call["summary"] = "state_summary", summary
			}
			if len(args) == 1 {
				call["projection"] = args[0]
			}
			arguments, err := json.Marshal(call)
			if err != nil {
				return err
			}
			return a.call(cmd.Context(), f, dispatch.SiteTool, arguments)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&summary, "summary", "", "give this summary of the map, such as agent_context, instead of the whole state")
	cmd.Flags().BoolVar(&diff, "diff", false, "give what changed since the last look")
	cmd.MarkFlagsMutuallyExclusive("summary", "diff")
	return cmd
}

// warnOfMaps warns of the page's broken maps: without a warning their actions would
// seem never to have existed.
func (a *app) warnOfMaps(e dispatch.Envelope) {
	raw, err := json.Marshal(e.Meta.MapErrors)
	var broken []storage.MapError
	if err != nil || json.Unmarshal(raw, &broken) != nil {
		return // another host's form: --json shows it
	}
	for _, m := range broken {
		fmt.Fprintf(a.stderr, "✗ %s\n", strings.TrimPrefix(strings.TrimSpace(m.Path+" "+m.Tool)+": "+m.Message, ": "))
	}
}

// lastRuns describes how an action fared.
func lastRuns(r runhistory.Summary) string {
	text := fmt.Sprintf("passed %d of its last %d runs", r.Passed, r.Runs)
	if r.LastPassed != nil {
		text += fmt.Sprintf(", last %s, in %d ms", r.LastPassed.Local().Format(time.DateTime), r.MedianMS)
	}
	return text
}

// printList shows a person the actions with their arguments.
func (a *app) printList(e dispatch.Envelope) error {
	var list struct {
		Actions []struct {
			Name        string              `json:"name"`
			Description string              `json:"description"`
			LastRuns    *runhistory.Summary `json:"last_runs"`
			Unfit       string              `json:"unfit"`
			Unproven    bool                `json:"unproven"`
			InputSchema struct {
				Properties map[string]json.RawMessage `json:"properties"`
				Required   []string                   `json:"required"`
			} `json:"input_schema"`
		} `json:"actions"`
		Total            int             `json:"total"`
		Next             json.RawMessage `json:"next"`
		StateProjections []struct {
			Name string `json:"name"`
		} `json:"state_projections"`
		Guidance []struct {
			Prompt string `json:"prompt"`
		} `json:"guidance"`
	}
	if err := json.Unmarshal(e.Output, &list); err != nil {
		fmt.Fprintln(a.stdout, pretty(e.Output)) // a list too long to be whole
		return nil
	}
	if len(list.Actions) == 0 {
		fmt.Fprintln(a.stdout, "No map declares actions for this page. actions-host new SITE writes a first one; actions-host call page.snapshot shows the page.")
	}
	for _, action := range list.Actions {
		var names []string
		for _, r := range action.InputSchema.Required {
			names = append(names, r)
			delete(action.InputSchema.Properties, r)
		}
		for _, name := range slices.Sorted(maps.Keys(action.InputSchema.Properties)) {
			names = append(names, "["+name+"]")
		}
		unproven := ""
		if action.Unproven {
			unproven = " (unproven: it was recorded and has not run well yet)"
		}
		fmt.Fprintf(a.stdout, "%s%s\n    %s\n", strings.Join(append([]string{action.Name}, names...), " "), unproven, action.Description)
		if r := action.LastRuns; r != nil {
			fmt.Fprintf(a.stdout, "    %s\n", lastRuns(*r))
		}
		if action.Unfit != "" {
			fmt.Fprintf(a.stdout, "    ✗ It no longer fits: %s.\n", action.Unfit)
		}
	}
	if list.Next != nil {
		fmt.Fprintf(a.stdout, "\n%d of %d actions; the next: actions-host call actions.site '%s'\n", len(list.Actions), list.Total, list.Next)
	}
	for _, p := range list.StateProjections {
		fmt.Fprintf(a.stdout, "\nThe page's state can be read: %s\n", p.Name)
	}
	for _, g := range list.Guidance {
		if g.Prompt != "" {
			fmt.Fprintf(a.stdout, "\nFrom the map's author: %s\n", g.Prompt)
		}
	}
	return nil
}
