package main

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/journal"
)

func (a *app) logVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "verify", Short: "Check that no record of the log was changed or removed", Args: cobra.NoArgs,
		Long: "Check the whole chain of records: each one's hash covers the one before it, and a checkpoint\n" +
			"beside the file tells where the chain had come to. It says when the last transaction may be\n" +
			"missing, and what a start of the host found broken before. Exit status 1 when something is\n" +
			"wrong, or may be missing.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := a.openLog(cmd.Context())
			if err != nil {
				return err
			}
			defer log.close()
			report, err := log.verify(cmd.Context())
			if err != nil {
				return err
			}
			if a.json {
				a.printJSON(report)
			} else {
				a.printVerified(report)
			}
			if !report.OK || report.Doubt != "" {
				return status(exitFailed)
			}
			return nil
		},
	}
}

// printVerified prints the findings of a check of the log.
func (a *app) printVerified(report journal.Report) {
	switch {
	case !report.OK:
		fmt.Fprintf(a.stdout, "✗ Record %d: %s.\n  Keep a copy of the file before the browser starts again; what comes before that record is as it was written.\n", report.Bad, report.Problem)
	default:
		fmt.Fprintf(a.stdout, "✓ %d records, %d to %d, are as they were written.\n", report.Records, report.First, report.Last)
	}
	if report.Doubt != "" {
		fmt.Fprintf(a.stdout, "! What was written last may be missing: %s.\n  Keep a copy of the file before the browser starts again.\n", report.Doubt)
	}
	for _, gap := range report.Gaps {
		fmt.Fprintf(a.stdout, "· The records %d to %d were lost with a broken file.\n", gap[0], gap[1])
	}
	for _, r := range report.Recovered {
		var found journal.Damage
		if err := json.Unmarshal(r.Data, &found); err == nil { // else it is of another form than today's
			fmt.Fprintf(a.stdout, "· Record %d tells what a start of the host had found: %s.\n", r.Seq, &found)
		}
	}
}
