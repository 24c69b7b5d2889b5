package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/browser/primitives"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/policy"
)

func (a *app) tabsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "tabs", Short: "The tabs that were handed over, of all running profiles", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			clients, err := a.clients(cmd.Context())
			if err != nil {
				return err
			}
			var all []control.Tabs
			for _, c := range clients {
				defer c.Close()
				var t control.Tabs
				if err := c.Call(cmd.Context(), control.MethodTabs, control.SessionParams{Kind: policy.SessionCLI}, &t); err != nil {
					return err
				}
				all = append(all, t)
			}
			if a.json {
				a.printJSON(map[string]any{"profiles": all})
				return nil
			}
			return a.printTabs(all)
		},
	}
}

func (a *app) printTabs(all []control.Tabs) error {
	w := tabwriter.NewWriter(a.stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "PROFILE\tTAB\tTITLE\tURL")
	count := 0
	for _, t := range all {
		var rows []primitives.ClaimedTab
		if err := json.Unmarshal(t.Tabs, &rows); err != nil {
			return fault.Wrap(err, fault.InvalidResult, "the host's list of tabs is not readable: %v", err)
		}
		for _, row := range rows {
			count++
			mark := ""
			if row.Current {
				mark = "*"
			}
			fmt.Fprintf(w, "%s\t%d%s\t%s\t%s\n", t.ProfileLabel, row.TabID, mark, row.Title, row.URL)
		}
	}
	if count == 0 {
		fmt.Fprintln(a.stdout, "No tab is handed over. Open one and choose Take control of this tab in the extension's popup.")
		return nil
	}
	return w.Flush()
}
