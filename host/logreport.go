package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/logview"
)

// reportRecords is how many records a report is made of, where nobody says: as
// many as a page can still be read with.
const reportRecords = 2000

func (a *app) logReportCommand() *cobra.Command {
	var f logFlags
	var output string
	cmd := &cobra.Command{
		Use: "report SESSION", Short: "Write what a session did as one HTML file", Args: cobra.ExactArgs(1),
		Long: "Write what a session did as one HTML file that needs nothing beside it: its calls with\n" +
			"their steps, times, arguments and outputs, what failed and what to do then, questions and\n" +
			"answers. SESSION is an id that log sessions lists, or the start of it. With --json the\n" +
			"same as JSON.",
		Example: `  actions-host log report mcp:4f2a -o report.html
  actions-host log report cli --since yesterday -o report.html`,
		RunE: func(cmd *cobra.Command, args []string) error {
			filter, err := f.filter(time.Now())
			if err != nil {
				return err
			}
			if output == "" && !a.json && a.painter().terminal {
				return fmt.Errorf("a report is a file: name one with -o, as in -o report.html")
			}
			report, err := a.sessionReport(cmd.Context(), args[0], filter, f.limit)
			if err != nil {
				return err
			}
			return a.writeReport(report, output)
		},
	}
	f.addTimes(cmd)
	cmd.Flags().IntVar(&f.limit, "limit", reportRecords, "at most so many records, the newest; 0: all")
	cmd.Flags().StringVarP(&output, "output", "o", "", "the file to write; without it the report goes to stdout")
	return cmd
}

// sessionReport builds the report of a session, named by the start of its id.
func (a *app) sessionReport(ctx context.Context, session string, filter journal.Filter, limit int) (*logview.Report, error) {
	log, err := a.openLog(ctx)
	if err != nil {
		return nil, err
	}
	defer log.close()
	if filter.Session, err = log.session(ctx, session); err != nil {
		return nil, err
	}
	newest := limit
	if limit > 0 {
		newest++ // tells whether there are older ones
	}
	var records []journal.Record
	if err := log.read(ctx, control.LogParams{Filter: filter, Newest: newest}, func(r journal.Record) error {
		records = append(records, r)
		return nil
	}); err != nil {
		return nil, err
	}
	if len(records) == 0 {
		return nil, fault.New(fault.InvalidArguments, "the session %s did nothing in that time", filter.Session).
			WithNextStep("actions-host log sessions says when each session was.")
	}
	earlier := limit > 0 && len(records) > limit
	if earlier {
		records = records[len(records)-limit:]
	}
	report := logview.NewReport(records, time.Now())
	report.Earlier = earlier
	return report, nil
}

func (a *app) writeReport(report *logview.Report, output string) error {
	var text bytes.Buffer
	if a.json && output == "" {
		a.printJSON(report)
		return nil
	}
	if err := report.WriteHTML(&text, time.Local); err != nil {
		return err
	}
	if output == "" {
		_, err := a.stdout.Write(text.Bytes())
		return err
	}
	// For its user's eyes alone, like the log.
	if err := os.WriteFile(output, text.Bytes(), 0o600); err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the report cannot be written: %v", err).
			WithNextStep("Name a file in a folder that can be written with -o.")
	}
	if a.json {
		a.printJSON(map[string]any{"ok": true, "file": output})
		return nil
	}
	fmt.Fprintf(a.stdout, "✓ %s: open it in a browser.\n", output)
	return nil
}

func (a *app) logSessionsCommand() *cobra.Command {
	var f logFlags
	cmd := &cobra.Command{
		Use: "sessions", Short: "List the sessions of the log, in the order they began", Args: cobra.NoArgs,
		Long: "List the sessions of the log: who called, how many calls there were, how many failed or\n" +
			"were refused, when, for how long and on which sites.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := f.filter(time.Now())
			if err != nil {
				return err
			}
			log, err := a.openLog(cmd.Context())
			if err != nil {
				return err
			}
			defer log.close()
			sessions, err := log.sessions(cmd.Context(), filter)
			if err != nil {
				return err
			}
			if a.json {
				for _, s := range sessions {
					a.printJSON(s)
				}
				return nil
			}
			return a.painter().lines(logview.SessionTable(sessions, time.Now(), time.Local))
		},
	}
	f.addTimes(cmd)
	cmd.Flags().StringVar(&f.origin, "origin", "", "only what was done on this site")
	return cmd
}
