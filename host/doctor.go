package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/doctor"
	"github.com/actionsjson/actions-host/pkg/profile"
)

func (a *app) doctorCommand() *cobra.Command {
	var fix bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Look at every hop from here to the page and name the broken one", Args: cobra.NoArgs,
		Long: "Look at every hop from this program to the page and name the broken one, with the\n" +
			"reason and the fix. --fix repairs what is safe: stale sockets, modes, missing folders,\n" +
			"and manifests of this program that are missing or out of date. Exit status 3 when a\n" +
			"hop is broken.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := a.doctorOptions()
			if err != nil {
				return err
			}
			look := doctor.Examine
			if fix {
				look = doctor.Fix
			}
			report := look(cmd.Context(), o)
			if a.json {
				a.printJSON(report)
			} else {
				a.printHops(report)
			}
			if !report.OK {
				return status(exitBroken)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&fix, "fix", false, "repair what is safe to repair")
	return cmd
}

func (a *app) doctorOptions() (doctor.Options, error) {
	o := doctor.Options{Version: version, Wait: a.wait, Settings: func() error {
		_, err := profile.ReadSettings()
		return err
	}, Policy: profile.CheckPolicy}
	var err error
	if o.Platform, o.Browsers, err = thisPlatform(); err != nil {
		return o, err
	}
	if o.Program, err = ownPath(); err != nil {
		return o, err
	}
	// Without a built extension beside it nothing can be compared, which is not a fault.
	o.Extension, _ = extensionFolder("")
	return o, nil
}

// hopMarks are printed before the hops.
var hopMarks = map[doctor.Status]string{doctor.OK: "✓", doctor.Warning: "!", doctor.Broken: "✗", doctor.Skipped: "–"}

func (a *app) printHops(r doctor.Report) {
	for _, done := range r.Fixed {
		fmt.Fprintln(a.stdout, "fixed:", done)
	}
	for _, failed := range r.Failed {
		fmt.Fprintln(a.stdout, "not fixed:", failed)
	}
	fixable := false
	for _, h := range r.Hops {
		fmt.Fprintf(a.stdout, "%s %-10s %s\n", hopMarks[h.Status], h.Name, h.Message)
		if h.Fix != "" {
			fmt.Fprintf(a.stdout, "  %-10s → %s\n", "", h.Fix)
		}
		fixable = fixable || h.Fixable && h.Status != doctor.OK
	}
	switch {
	case r.OK:
		fmt.Fprintln(a.stdout, "All hops hold.")
	default:
		fmt.Fprintf(a.stdout, "The broken hop is: %s\n", r.Broken)
	}
	if fixable {
		fmt.Fprintln(a.stdout, "actions-host doctor --fix repairs what is marked here and safe to repair.")
	}
}
