package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/paths"
)

func (a *app) logCommand() *cobra.Command {
	var from uint64
	dump := &cobra.Command{
		Use: "dump", Short: "Print the log, oldest first", Args: cobra.NoArgs,
		Long: "Print the log of the running profile, or of the only one there is.\n" +
			"With --json one record a line, with seq, at, session_id and type.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.dump(cmd.Context(), from, a.printRecord)
		},
	}
	dump.Flags().Uint64Var(&from, "from", 1, "sequence number to start at")
	return group("log", "What was done", dump, a.logSessionsCommand())
}

// dump reads through the host while it runs, else from the profile's file.
func (a *app) dump(ctx context.Context, from uint64, each func(journal.Record)) error {
	running, err := control.Discover(ctx, paths.Sockets())
	if err != nil {
		return err
	}
	if running = a.chosen(running); len(running) == 0 {
		return a.dumpFile(from, each)
	}
	client, err := one(running)
	if err != nil {
		return err
	}
	defer client.Close()
	for {
		var part control.LogPart
		if err := client.Call(ctx, control.MethodLog, control.LogParams{From: from}, &part); err != nil {
			return err
		}
		for _, r := range part.Records {
			each(r)
		}
		if from = part.Next; from == 0 {
			return nil
		}
	}
}

func (a *app) dumpFile(from uint64, each func(journal.Record)) error {
	names, err := databases(a.profile)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fault.New(fault.StorageUnavailable, "there is no log yet in %s", paths.State()).
			WithNextStep("The log starts with the first browser that connects.")
	}
	if len(names) > 1 {
		// Each browser of actions-host launch is a profile of its own.
		fmt.Fprintf(a.stderr, "actions-host: of the logs of %d profiles the one written last, %s; --profile names another\n", len(names), filepath.Base(names[0]))
	}
	log, err := journal.ReadFile(names[0], 0)
	if err != nil {
		return err
	}
	defer log.Close()
	for {
		records, err := log.Read(from, 0)
		if err != nil || len(records) == 0 {
			return err
		}
		for _, r := range records {
			each(r)
		}
		from = records[len(records)-1].Seq + 1
	}
}

// databases lists the databases of the profiles whose id starts with the
// prefix, the one written last first. The folder is listed, not globbed: its path may hold any sign.
func databases(prefix string) ([]string, error) {
	entries, err := os.ReadDir(paths.State())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var names []string
	written := map[string]time.Time{}
	for _, e := range entries {
		name := filepath.Join(paths.State(), e.Name())
		if strings.HasPrefix(name, strings.TrimSuffix(paths.Database(prefix), ".db")) && filepath.Ext(name) == ".db" {
			names = append(names, name)
			if info, err := e.Info(); err == nil { // gone meanwhile: it sorts last
				written[name] = info.ModTime()
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return written[b].Compare(written[a]) })
	return names, nil
}

// printRecord prints one record: a line of JSON, or a line for a person.
func (a *app) printRecord(r journal.Record) {
	if a.json {
		a.printJSON(r)
		return
	}
	indent := ""
	if r.ParentID != "" {
		indent = "  "
	}
	fmt.Fprintf(a.stdout, "%6d  %s  %-12s %s%s %s\n", r.Seq, r.At.Local().Format("15:04:05.000"), r.Type, indent, r.Name, summary(r))
}

// summary says in a few words what a record's data holds.
func summary(r journal.Record) string {
	var d struct {
		OK         *bool           `json:"ok"`
		Arguments  json.RawMessage `json:"arguments"`
		Output     json.RawMessage `json:"output"`
		Error      *fault.Error    `json:"error"`
		DurationMS float64         `json:"duration_ms"`
		URL        string          `json:"url"`
	}
	if err := json.Unmarshal(r.Data, &d); err != nil {
		return short(r.Data)
	}
	switch {
	case d.Error != nil:
		return fmt.Sprintf("✗ %s: %s", d.Error.Code, d.Error.Message)
	case d.OK != nil:
		return fmt.Sprintf("✓ %.1f ms %s", d.DurationMS, short(d.Output))
	case len(d.Arguments) > 0:
		return short(d.Arguments)
	case d.URL != "":
		return d.URL
	default:
		return short(r.Data)
	}
}

const shortLength = 120

func short(raw json.RawMessage) string {
	text := []rune(string(raw))
	if len(text) > shortLength {
		return string(text[:shortLength]) + "…"
	}
	return string(text)
}
