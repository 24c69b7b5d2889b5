package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/logview"
)

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
