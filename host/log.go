package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/logview"
)

func (a *app) logCommand() *cobra.Command {
	cmd := group("log", "What was done", a.logDumpCommand(), a.logFollowCommand(), a.logSessionsCommand(), a.logReportCommand(), a.logTraceCommand(), a.logVerifyCommand())
	cmd.Example = `  What did the agent do yesterday on example.com?
    actions-host log dump --origin example.com --since yesterday --until today
  What does it do now?
    actions-host log follow
  What failed in the last hour, and why?
    actions-host log dump --failed --since 1h`
	return cmd
}

// errEnough ends a read that has returned all requested records.
var errEnough = errors.New("enough")

func (a *app) logDumpCommand() *cobra.Command {
	var from uint64
	var f logFlags
	cmd := &cobra.Command{
		Use: "dump", Short: "Print the log, oldest first", Args: cobra.NoArgs,
		Long: "Print the log of the running profile, or of the only one there is. Filters combine.\n" +
			"With --json one record a line, with seq, at, session_id and type; without it one line\n" +
			"for each call: when, ✓ or ✗, name, how long it took, what it was about → what it gave.\n\n" +
			"With --failed only calls that failed or were refused, one after the other in the order of\n" +
			"their ends, each with its intent and its steps. The other filters are then asked of the\n" +
			"end of a call, --name of the step that failed too, and --limit counts calls.\n\n" +
			"Of a broken file all that can be read is printed, a record of type damaged says at the end\n" +
			"what cannot, and the exit status is 1.",
		Example: `  actions-host log dump --origin example.com --since 24h
  actions-host log dump --failed --origin example.com --limit 5
  actions-host log dump --session mcp:4f2a --limit 50
  actions-host log dump --since "2026-11-20 14:00" --until 15:30 --name 'locator.*'
  actions-host log dump --type policy --since 7d`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := f.filter(time.Now())
			if err != nil {
				return err
			}
			return a.dump(cmd.Context(), filter, from, f.limit)
		},
	}
	cmd.Flags().Uint64Var(&from, "from", 0, "sequence number to start at; --limit then counts from there")
	f.add(cmd, 0, "at most so many records, the newest; 0: all")
	return cmd
}

// dump prints the records that match a filter.
func (a *app) dump(ctx context.Context, filter journal.Filter, from uint64, limit int) error {
	log, err := a.openLog(ctx)
	if err != nil {
		return err
	}
	defer log.close()
	if filter.Session, err = log.session(ctx, filter.Session); err != nil {
		return err
	}
	now := time.Now()
	show := a.recordPrinter(&logview.Lines{Now: now})
	left := limit
	p := control.LogParams{From: from, Filter: filter}
	if from == 0 {
		p.Newest = limit
	}
	count := func() error {
		if left--; left == 0 {
			return errEnough
		}
		return nil
	}
	if a.json && log.client != nil && !filter.Failed {
		err = log.client.LogJSON(ctx, p, func(record json.RawMessage) error {
			if err := show.encoded(record); err != nil {
				return err
			}
			return count()
		})
	} else {
		err = log.read(ctx, p, func(r journal.Record) error {
			if err := show.record(r); err != nil || filter.Failed && !r.EndsCall() {
				return err
			}
			return count()
		})
	}
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	damaged := log.damage()
	if damaged != nil {
		if err := show.record(*damaged); err != nil {
			return err
		}
	}
	if show.count == 0 && !a.json {
		fmt.Fprintln(a.stderr, "No record of the log is meant by this.")
	}
	if err := show.end(); err != nil || damaged == nil {
		return err
	}
	return status(exitFailed)
}

// recordPrinter prints records: as lines of JSON, or as lines for a person.
type recordPrinter struct {
	app   *app
	paint painter
	lines *logview.Lines
	count int
}

func (a *app) recordPrinter(lines *logview.Lines) *recordPrinter {
	p := &recordPrinter{app: a, paint: a.painter(), lines: lines}
	lines.Width = p.paint.width
	return p
}

func (p *recordPrinter) record(r journal.Record) error {
	p.count++
	if p.app.json {
		return p.app.encode(r)
	}
	return p.paint.lines(p.lines.Record(r))
}

// encoded prints a record that is JSON already: decoding and encoding it takes longer than
// printing it.
func (p *recordPrinter) encoded(record json.RawMessage) error {
	p.count++
	_, err := p.app.stdout.Write(append(record, '\n'))
	return err
}

func (p *recordPrinter) end() error { return p.paint.lines(p.lines.End()) }

// logFlags are the filters as they are typed.
type logFlags struct {
	since, until, session, name, origin string
	types                               []string
	tab, limit                          int
	failed                              bool
}

// add declares the flags; what the limit means, and which it is, differs.
func (f *logFlags) add(cmd *cobra.Command, limit int, limitHelp string) {
	flags := cmd.Flags()
	f.addTimes(cmd)
	flags.StringVar(&f.session, "session", "", "only of this session, by its id or the start of it")
	flags.IntVar(&f.tab, "tab", 0, "only of this tab")
	flags.StringSliceVar(&f.types, "type", nil, "only of these types: intent, outcome, policy, claim, …")
	flags.StringVar(&f.name, "name", "", "only of primitives or stored actions of this name, such as 'locator.*'")
	flags.StringVar(&f.origin, "origin", "", "only on this site: example.com (and its subdomains), localhost:8080 or https://example.com")
	flags.BoolVar(&f.failed, "failed", false, "only calls that failed or were refused, each with its intent and its steps")
	flags.IntVar(&f.limit, "limit", limit, limitHelp)
}

func (f *logFlags) addTimes(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.since, "since", "", "from then on: 90m, 24h or 7d ago, 2026-11-20, \"2026-11-20 14:30\", 14:30, today, yesterday")
	cmd.Flags().StringVar(&f.until, "until", "", "before then; written like --since")
}

// filter reads the flags. Its errors are those of a command line: they say what
// is accepted.
func (f *logFlags) filter(now time.Time) (journal.Filter, error) {
	filter := journal.Filter{Session: f.session, Types: f.types, Name: f.name, TabID: f.tab, Origin: f.origin, Failed: f.failed}
	for _, point := range []struct {
		flag, text string
		into       *time.Time
	}{{"--since", f.since, &filter.Since}, {"--until", f.until, &filter.Until}} {
		if point.text == "" {
			continue
		}
		at, err := logview.ParseTime(point.text, now)
		if err != nil {
			return filter, usage(point.flag, err)
		}
		*point.into = at.UTC()
	}
	if !filter.Since.IsZero() && !filter.Until.IsZero() && !filter.Since.Before(filter.Until) {
		return filter, fmt.Errorf("--since %s is not before --until %s", f.since, f.until)
	}
	if f.limit < 0 {
		return filter, fmt.Errorf("--limit %d: a number of records, or 0 for all, is accepted", f.limit)
	}
	if err := filter.Check(); err != nil {
		return filter, usage("", err)
	}
	return filter, nil
}

// usage is what is wrong with a flag, in one sentence and what is accepted.
func usage(flag string, err error) error {
	f := fault.From(err)
	if flag != "" {
		flag += ": "
	}
	return fmt.Errorf("%s%s\n  %s", flag, f.Message, f.NextStep)
}
