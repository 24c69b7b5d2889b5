package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/compile"
	"github.com/actionsjson/actions-host/pkg/compile/fromlog"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func (a *app) mapCommand() *cobra.Command {
	return group("map", "Make maps of what was done", a.mapFromLogCommand())
}

// fromLogFlags are the flags of map from-log.
type fromLogFlags struct{ calls, name, out string }

func (a *app) mapFromLogCommand() *cobra.Command {
	var f fromLogFlags
	var page callFlags
	cmd := &cobra.Command{
		Use: "from-log SESSION", Short: "Make a stored action of what a session did", Args: cobra.ExactArgs(1),
		Long: "Make a stored action of what a session did, by the log. SESSION is the start of an id that\n" +
			"actions-host log sessions lists. Calls that failed fall away, what was typed or chosen\n" +
			"becomes an input, and the last thing read is what the action gives. Values of secret fields\n" +
			"are never read. Locators are checked on the page, where it is open and handed over.\n\n" +
			"The action is printed as sentences; the map goes to the file, or to stdout without --out.\n" +
			"Nobody has run it yet: read it and try it.",
		Example: "  actions-host map from-log mcp:4f2a --calls 3-9 --name shop.order \\\n" +
			"    --out ~/.actions-json/storage/scopes/private/sites/shop.example/order/actions.json",
		RunE: func(cmd *cobra.Command, args []string) error { return a.mapFromLog(cmd.Context(), args[0], f, page) },
	}
	cmd.Flags().StringVar(&f.calls, "calls", "", "only these calls of the session, counted from 1: 3-8, 3- or -8")
	cmd.Flags().StringVar(&f.name, "name", "", "name of the action, such as shop.order; made from the page without it")
	cmd.Flags().StringVar(&f.out, "out", "", "file to write, which must not exist yet; stdout without it")
	cmd.Flags().IntVar(&page.tab, "tab", 0, "tab id of the page to check the locators on, from actions-host tabs")
	return cmd
}

func (a *app) mapFromLog(ctx context.Context, session string, f fromLogFlags, page callFlags) error {
	calls, err := fromlog.ParseRange(f.calls)
	if err != nil {
		return err
	}
	catalogue := primitive.Load()
	log, err := a.openLog(ctx)
	if err != nil {
		return err
	}
	defer log.close()
	if session, err = log.session(ctx, session); err != nil {
		return err
	}
	var records []journal.Record
	for _, filter := range fromlog.Filters(session) {
		err = log.read(ctx, control.LogParams{Filter: filter}, func(r journal.Record) error {
			records = append(records, r)
			return nil
		})
		if err != nil {
			return err
		}
	}
	if damaged := log.damage(); damaged != nil {
		records = append(records, *damaged)
	}
	run, err := fromlog.Read(catalogue, session, calls, records)
	if err != nil {
		return err
	}
	options := compile.Options{Name: f.name, Catalogue: catalogue}
	root := ""
	if log.client != nil {
		root = log.client.Status.StorageRoot
		options.Check = a.checkOnPage(ctx, log.client, page)
	}
	made, err := compile.Write(run, options)
	if err != nil {
		return err
	}
	return a.printMade(made, f.out, root)
}

// checkOnPage returns the check of locators on the claimed page; nil where none is open.
func (a *app) checkOnPage(ctx context.Context, client *control.Client, page callFlags) func(string, json.RawMessage, *compile.Met) compile.Verdict {
	page.mode = "ask" // it only looks
	read := pageReader(client, page, "Check the locators of a new map.")
	raw, err := read(ctx, "page.info", json.RawMessage(`{}`))
	var info struct {
		URL string `json:"url"`
	}
	if err != nil || json.Unmarshal(raw, &info) != nil {
		return nil
	}
	return compile.OnPage(ctx, info.URL, compile.Read(read))
}

// printMade writes the map, and shows a person what was made.
func (a *app) printMade(made compile.Action, out, storageRoot string) error {
	if out != "" {
		if err := writeNew(out, made.Text); err != nil {
			return err
		}
	}
	if a.json {
		a.printJSON(map[string]any{
			"ok": true, "file": out, "action": made.Name, "url": made.URL, "sentences": made.Sentences,
			"inputs": made.Inputs, "notes": made.Notes, "findings": made.Findings, "map": json.RawMessage(made.Text),
		})
		return nil
	}
	to := a.stdout
	if out == "" { // the map is what is printed
		to = a.stderr
	}
	fmt.Fprintf(to, "✓ %s on %s\n", made.Name, made.URL)
	printSentences(to, made)
	if out == "" {
		_, err := a.stdout.Write(made.Text)
		return err
	}
	fmt.Fprintf(to, "It is unproven. Read %s, hold it against actions-host validate, and run it once.\n", quoted(out))
	if home := mapFolder(made.URL, storageRoot); home != "" && !within(out, home) {
		fmt.Fprintf(to, "It counts for this browser once it lies in %s.\n", filepath.Join(home, "NAME", "actions.json"))
	}
	return nil
}

func printSentences(to io.Writer, made compile.Action) {
	for i, sentence := range made.Sentences {
		fmt.Fprintf(to, "  %d. %s\n", i+1, sentence)
	}
	for _, note := range made.Notes {
		fmt.Fprintf(to, "  ! %s\n", note)
	}
	for _, finding := range made.Findings {
		fmt.Fprintf(to, "  ✗ %s\n", finding)
	}
}

// recordInterval is the time between two looks at a recording.
const recordInterval = 250 * time.Millisecond

func (a *app) recordCommand() *cobra.Command {
	var tab int
	cmd := &cobra.Command{
		Use: "record NAME", Short: "Make a stored action of what you do by hand", Args: cobra.ExactArgs(1),
		Long: "Make a stored action of what you do by hand in a tab that is handed over, until you press\n" +
			"Done in the mark at the foot of the page. NAME is the action's, such as shop.order. What you\n" +
			"type or choose becomes an input, unless you press Keep text. Ctrl-C gives it up.",
		Example: "  actions-host record shop.order",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.record(cmd.Context(), args[0], tab) },
	}
	cmd.Flags().IntVar(&tab, "tab", 0, "tab id, from actions-host tabs")
	return cmd
}

func (a *app) record(ctx context.Context, name string, tab int) error {
	client, err := a.client(ctx)
	if err != nil {
		return err
	}
	defer func() { client.Close() }()
	a.profile = client.Status.ProfileID // also where another browser starts meanwhile
	ask := func(ctx context.Context, do string) (out control.Recorded, err error) {
		err = client.Call(ctx, control.MethodRecord, control.Record{Target: control.TargetParams{TabID: tab}, Do: do, Name: name}, &out)
		return out, err
	}
	now, err := ask(ctx, "start")
	if err != nil {
		return err
	}
	tab = now.TabID
	fmt.Fprintf(a.stderr, "Recording tab %d. Do the job there by hand, then press Done in the mark of the page.\n", tab)
	tick := time.NewTicker(recordInterval)
	defer tick.Stop()
	for now.Recording != nil {
		select {
		case <-ctx.Done():
			if _, err := ask(context.WithoutCancel(ctx), "cancel"); err != nil {
				return err
			}
			return fault.New(fault.Cancelled, "the recording was given up, and nothing is stored")
		case <-tick.C:
		}
		next, err := ask(ctx, "view")
		switch {
		case ctx.Err() != nil: // the next round gives it up
		case err == nil:
			a.printFailedDone(now, next)
			now = next
		case fault.Is(err, fault.TabNotClaimed):
			return fault.New(fault.TabNotClaimed, "tab %d was closed or released, and with it the recording ended", tab)
		default: // the host ends with the extension's worker, and both come back
			again, err := a.client(ctx)
			if err != nil {
				return err
			}
			client.Close()
			client = again
		}
	}
	return a.printRecorded(now)
}

// printFailedDone prints why a Done made no action of a recording that goes on, once for each.
func (a *app) printFailedDone(before, now control.Recorded) {
	if now.Recording == nil || now.Result == nil || now.Result.Error == nil {
		return
	}
	if failed := now.Result.Error; before.Result == nil || before.Result.Error == nil || before.Result.Error.Message != failed.Message {
		fmt.Fprintf(a.stderr, "%s\n%s\n", failed.Message, failed.NextStep)
	}
}

func (a *app) printRecorded(done control.Recorded) error {
	r := done.Result
	if r == nil {
		return fault.New(fault.StateMismatch, "the recording has ended, and nothing is known of it")
	}
	if r.Error != nil {
		return r.Error
	}
	if a.json {
		a.printJSON(map[string]any{"ok": true, "action": r.Action, "url": r.URL, "path": r.Path, "unproven": true, "sentences": r.Sentences, "inputs": r.Inputs, "notes": r.Notes})
		return nil
	}
	fmt.Fprintf(a.stdout, "✓ %s on %s\n", r.Action, r.URL)
	printSentences(a.stdout, compile.Action{Sentences: r.Sentences, Notes: r.Notes})
	fmt.Fprintf(a.stdout, "Stored as %s. It is unproven: run it once.\n", r.Path)
	return nil
}
