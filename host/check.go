package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
)

func (a *app) checkCommand() *cobra.Command {
	var f callFlags
	var run bool
	cmd := &cobra.Command{
		Use: "check", Short: "Check whether the page still fits its maps; exit 1 when it does not", Args: cobra.NoArgs,
		Long: "Check whether the page still fits its maps: whether the locators of their actions find what\n" +
			"they found in the last good run, and by the checks that the maps declare. A check\n" +
			"that acts on the page, by its setup or its steps, is skipped unless --run is given. The\n" +
			"exit status is 1 when a locator cannot be used or what it found is gone, when a major or\n" +
			"a critical check fails, or when a primitive that a map requires is missing.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			args, err := json.Marshal(map[string]any{"mode": "check", "run": run})
			if err != nil {
				return err
			}
			e, err := a.envelope(cmd.Context(), f, dispatch.SiteTool, args)
			if err != nil {
				return err
			}
			var report pagemodel.PageReport
			if !e.OK || json.Unmarshal(e.Output, &report) != nil {
				return a.printEnvelope(e)
			}
			if a.json {
				a.printJSON(e)
			} else {
				a.printReport(report)
			}
			if !report.OK {
				return status(exitFailed)
			}
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&run, "run", false, "also run the checks that act on the page")
	return cmd
}

// marks shows the statuses of checks.
var marks = map[pagemodel.Status]string{pagemodel.Passed: "✓", pagemodel.Failed: "✗", pagemodel.Undecided: "?", pagemodel.Skipped: "-"}

// printReport prints the results of each map's checks.
func (a *app) printReport(r pagemodel.PageReport) {
	if len(r.Maps) == 0 {
		fmt.Fprintf(a.stdout, "No map declares anything for %s.\n", r.URL)
	}
	for _, m := range r.Maps {
		if len(m.Checks) == 0 {
			fmt.Fprintf(a.stdout, "%s: declares no checks\n", m.Map)
		} else {
			fmt.Fprintf(a.stdout, "%s: %d passed, %d failed, %d unknown, %d skipped\n", m.Map, m.Passed, m.Failed, m.Unknown, m.Skipped)
		}
		for _, name := range m.Support.MissingRequired {
			fmt.Fprintf(a.stdout, "  ✗ the map requires %s, which this host does not have\n", name)
		}
		for _, p := range m.Problems {
			fmt.Fprintf(a.stdout, "  ! %s: %s\n", p.Pointer, p.Message)
		}
		for _, s := range m.States {
			fmt.Fprintf(a.stdout, "  state %s: %s\n", s.Name, s.Holds)
			for _, d := range s.Diagnostics {
				if d.OK == pagemodel.Fails {
					fmt.Fprintf(a.stdout, "      %s: %s\n", d.Expected, d.Reason)
				}
			}
		}
		a.printLocators(m.Locators)
		for _, c := range m.Checks {
			fmt.Fprintf(a.stdout, "  %s %s (%s)", marks[c.Status], c.ID, c.Severity)
			if c.Reason != "" {
				fmt.Fprintf(a.stdout, ": %s", c.Reason)
			}
			fmt.Fprintln(a.stdout)
			a.printEvidence(c)
		}
	}
}

// printLocators prints what the locators of the actions find.
func (a *app) printLocators(r *pagemodel.LocatorReport) {
	if r == nil {
		return
	}
	fmt.Fprintf(a.stdout, "  locators: %d find one element, %d several, %d none, %d have slots", r.Found, r.Several, r.Missing, r.Slots)
	if r.Untested > 0 {
		fmt.Fprintf(a.stdout, ", %d were not tested", r.Untested)
	}
	fmt.Fprintln(a.stdout)
	for _, f := range r.Findings {
		where := f.Tool
		if f.Step != "" {
			where += ", step " + f.Step
		}
		fmt.Fprintf(a.stdout, "    %s %s: %s %s\n", marks[f.Status], where, f.Locator, f.Reason)
	}
}

// printEvidence shows what helps to repair the map.
func (a *app) printEvidence(c pagemodel.CheckResult) {
	for _, one := range c.Assertions {
		if one.OK == pagemodel.Fails && one.Evidence != nil && one.Evidence.OtherText != "" {
			fmt.Fprintf(a.stdout, "      it reads: %s\n", one.Evidence.OtherText)
		}
	}
	there, _ := c.Evidence["alternate_selectors"].(map[string]any)
	for _, selector := range slices.Sorted(maps.Keys(there)) {
		if there[selector] == true {
			fmt.Fprintf(a.stdout, "      the alternative %s finds something\n", selector)
		}
	}
	if c.Status == pagemodel.Failed && c.Contingency != "" {
		fmt.Fprintf(a.stdout, "      the map's advice: %s\n", c.Contingency)
	}
}
