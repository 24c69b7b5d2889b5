package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/draft"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/maptest"
	"github.com/actionsjson/actions-host/pkg/pagemodel"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/savedpage"
	"github.com/actionsjson/actions-host/pkg/storage"
)

func (a *app) newCommand() *cobra.Command {
	var f callFlags
	var out string
	cmd := &cobra.Command{
		Use: "new SITE", Short: "Write a first map of the claimed page, ready to be edited", Args: cobra.ExactArgs(1),
		Long: "Write a first map of the claimed page: what it is, where it leads, an action for each form\n" +
			"and for the buttons that stand alone. SITE begins the actions' names. The page is only read.\n" +
			"Nobody has reviewed what is written: read it and try it before you trust it.\n\n" +
			"With --out the page is saved beside the map, as actions-host test save does it, with first\n" +
			"cases for actions-host test.",
		Example: "  actions-host new teahouse --out ~/.actions-json/storage/scopes/private/sites/tea.example/shop/actions.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := a.client(cmd.Context())
			if err != nil {
				return err
			}
			defer client.Close()
			d, err := draft.Write(cmd.Context(), pageReader(client, f, "Write a first map of the page."), draft.Options{Site: args[0], Now: time.Now()})
			if err != nil {
				return err
			}
			if err := a.writeDraft(d, out); err != nil || out == "" {
				return err
			}
			saved, err := draftCases(cmd.Context(), client, f, d, out)
			if err != nil { // the map is there all the same
				d.Notes = append(d.Notes, "the page was not saved beside it: "+fault.From(err).Message)
			}
			a.printDraft(d, out, client.Status.StorageRoot)
			if saved != nil && !a.json { // what was printed of the map is the one value
				a.printSaved(*saved)
			}
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&out, "out", "", "file to write, which must not exist yet; stdout without it")
	return cmd
}

// pageReader reads the page by direct calls, each with the report that they need.
func pageReader(client *control.Client, f callFlags, reason string) pagemodel.Read {
	return func(ctx context.Context, name string, args json.RawMessage) (json.RawMessage, error) {
		args, err := withReport(name, args, reason)
		if err != nil {
			return nil, err
		}
		var e dispatch.Envelope
		if err := client.Call(ctx, control.MethodCall, f.callOf(name, args), &e); err != nil {
			return nil, err
		}
		if !e.OK {
			return nil, e.Error
		}
		return e.Output, nil
	}
}

// writeDraft writes the map to the file, or to stdout where none is named.
func (a *app) writeDraft(d draft.Draft, out string) error {
	if out == "" {
		// The map is JSON: with --json it is what is printed as well.
		_, err := a.stdout.Write(d.Text)
		return err
	}
	return writeNew(out, d.Text)
}

// printDraft prints what was written to the file.
func (a *app) printDraft(d draft.Draft, out, storageRoot string) {
	if a.json {
		a.printJSON(map[string]any{"ok": true, "file": out, "url": d.URL, "actions": d.Actions, "notes": d.Notes, "findings": d.Findings})
		return
	}
	fmt.Fprintf(a.stdout, "✓ %s: %d actions of %s\n", out, len(d.Actions), d.URL)
	for _, name := range d.Actions {
		fmt.Fprintf(a.stdout, "  %s\n", name)
	}
	for _, note := range d.Notes {
		fmt.Fprintf(a.stdout, "  ! %s\n", note)
	}
	for _, finding := range d.Findings {
		fmt.Fprintf(a.stdout, "  ✗ %s\n", finding)
	}
	fmt.Fprintf(a.stdout, "Nobody has reviewed it. Read it, run actions-host validate %s, and try each action.\n", quoted(out))
	if home := mapFolder(d.URL, storageRoot); home != "" && !within(out, home) {
		fmt.Fprintf(a.stdout, "It counts for this browser once it lies in %s.\n", filepath.Join(home, "NAME", "actions.json"))
	}
}

// draftCases saves the page with first cases beside the draft: for the actions that read it, else
// one that reads its state. What is there already is left alone. Without a case it returns nil.
func draftCases(ctx context.Context, client *control.Client, f callFlags, d draft.Draft, out string) (*savedpage.Written, error) {
	if _, err := os.Lstat(filepath.Join(filepath.Dir(out), maptest.FileName)); err == nil {
		return nil, fmt.Errorf("%s is there already and was left alone", maptest.FileName)
	}
	page, err := savedpage.Take(ctx, client, f.params())
	if err != nil {
		return nil, err
	}
	m, err := actionmap.Parse(d.Text)
	if err != nil {
		return nil, err
	}
	cases := maptest.ReadingCases(m, primitive.Load(), "", page.Address)
	if len(cases) == 0 && len(d.Actions) > 0 {
		cases = []maptest.Case{{
			Name: "the page has what it is called by", URL: page.Address, Action: d.Actions[0],
			State: &maptest.State{Expect: json.RawMessage(`{"title": {"$empty": false}}`)},
		}}
	}
	if len(cases) == 0 {
		return nil, nil
	}
	saved, err := savedpage.Write(out, page, cases)
	if err != nil {
		return nil, err
	}
	return &saved, nil
}

// mapFolder returns the folder below which this browser's host looks for private maps
// of the page; empty where its address has no host.
func mapFolder(page, storageRoot string) string {
	u, err := url.Parse(page)
	if err != nil || u.Hostname() == "" || storageRoot == "" {
		return ""
	}
	place := storage.Place{Scope: "private", Host: strings.TrimPrefix(u.Hostname(), "www.")}
	return filepath.Join(storageRoot, filepath.FromSlash(place.Path()))
}

func within(name, folder string) bool {
	full, err := filepath.Abs(name)
	if err != nil {
		return false
	}
	relative, err := filepath.Rel(folder, full)
	return err == nil && filepath.IsLocal(relative)
}

// quoted writes a file's name so that a shell takes it as one word.
func quoted(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("'\"$`\\&;()<>|*?!#~", r) }) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

// writeNew writes a file that must not exist: a map that somebody edited is
// never lost.
func writeNew(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the folder of %s cannot be made: %v", name, err)
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fault.New(fault.InstallConflict, "%s exists already and was left alone", name).With("path", name).
			WithNextStep("Name another file with --out, or remove this one.")
	}
	if err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "%s cannot be written: %v", name, err)
	}
	_, err = file.Write(text)
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "%s cannot be written: %v", name, err)
	}
	return nil
}
