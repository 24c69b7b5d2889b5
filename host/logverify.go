package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (a *app) logVerifyCommand() *cobra.Command {
	return &cobra.Command{
		Use: "verify", Short: "Check that no record of the log was changed or removed", Args: cobra.NoArgs,
		Long: "Check the whole chain of records: each one's hash covers the one before it. Records that\n" +
			"were cut off at the end cannot be noticed. Exit status 1 when something is wrong.",
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
			switch {
			case a.json:
				a.printJSON(report)
			case report.OK:
				fmt.Fprintf(a.stdout, "✓ %d records, %d to %d, are as they were written.\n", report.Records, report.First, report.Last)
			default:
				fmt.Fprintf(a.stdout, "✗ Record %d: %s.\n  Keep a copy of the file before the browser starts again; what comes before that record is as it was written.\n", report.Bad, report.Problem)
			}
			if !report.OK {
				return status(exitFailed)
			}
			return nil
		},
	}
}
