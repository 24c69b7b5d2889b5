package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/storage"
	"github.com/actionsjson/actions-host/pkg/wholefile"
)

// firstRun fills the usual storage folder at the host's first start. A folder
// that the user named must exist already: a slip in its name should show.
func firstRun(log *slog.Logger) {
	if os.Getenv(paths.EnvStorage) != "" {
		return
	}
	made, err := storage.FirstRun(paths.Storage())
	switch {
	case err != nil:
		log.Error("no storage folder", "error", err) // each listing says so too
	case made:
		log.Info("storage folder made", "path", paths.Storage())
	}
}

func (a *app) storageCommand() *cobra.Command {
	return group("storage", "The folder of the action maps",
		a.storageInitCommand(), a.storageListCommand(), a.storageExportCommand(), a.storageImportCommand())
}

// openStorage opens the folder to be shown or exported, so it must be there.
func openStorage() (*storage.Store, error) {
	if _, err := os.Stat(paths.Storage()); errors.Is(err, fs.ErrNotExist) {
		return nil, fault.New(fault.StorageUnavailable, "there is no storage folder %s yet", paths.Storage()).
			WithNextStep("actions-host storage init makes it, with an example.")
	}
	return storage.Open(paths.Storage())
}

func (a *app) storageInitCommand() *cobra.Command {
	return &cobra.Command{
		Use: "init", Short: "Make the storage folder, with an example; what is there stays", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			created, err := storage.Init(paths.Storage())
			if err != nil {
				return err
			}
			if a.json {
				a.printJSON(map[string]any{"ok": true, "path": paths.Storage(), "created": append([]string{}, created...)})
				return nil
			}
			for _, name := range created {
				fmt.Fprintln(a.stdout, "wrote", filepath.Join(paths.Storage(), filepath.FromSlash(name)))
			}
			if len(created) == 0 {
				fmt.Fprintln(a.stdout, paths.Storage(), "is complete; nothing was changed")
			}
			return nil
		},
	}
}

func (a *app) storageListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "What is in the storage folder, and what cannot be used", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			store, err := openStorage()
			if err != nil {
				return err
			}
			items, skipped := store.List()
			problems := store.Errors()
			if a.json {
				a.printJSON(map[string]any{
					"ok": true, "path": store.Root(), "files": items, "skipped": append([]storage.Skipped{}, skipped...),
					"errors": append([]storage.MapError{}, problems...),
				})
				return nil
			}
			fmt.Fprintln(a.stdout, store.Root())
			for _, i := range items {
				kind := "   "
				if i.Map {
					kind = "map"
				}
				fmt.Fprintf(a.stdout, "%s %9d  %s\n", kind, i.Bytes, i.Path)
			}
			a.printSkipped(skipped)
			for _, p := range problems {
				fmt.Fprintf(a.stderr, "✗ %s: %s\n", p.Path, p.Message)
			}
			return nil
		},
	}
}

func (a *app) storageExportCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use: "export", Short: "Write the whole storage as one bundle", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			store, err := openStorage()
			if err != nil {
				return err
			}
			bundle, skipped, err := store.Export()
			if err != nil {
				return err
			}
			a.printSkipped(skipped)
			if out == "" {
				a.printJSON(bundle)
				return nil
			}
			if err := writeBundle(out, bundle); err != nil {
				return err
			}
			if a.json {
				a.printJSON(map[string]any{"ok": true, "file": out, "entry_count": len(bundle.Entries), "skipped": append([]storage.Skipped{}, skipped...)})
			} else {
				fmt.Fprintf(a.stdout, "wrote %d files to %s\n", len(bundle.Entries), out)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "the bundle's file (default: stdout)")
	return cmd
}

// writeBundle writes the file whole or not at all; a bundle can hold private
// notes, so it is the owner's only.
func writeBundle(name string, bundle storage.Bundle) error {
	failed := func(err error) error {
		return fault.Wrap(err, fault.StorageUnavailable, "the bundle %s cannot be written: %v", name, err)
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(bundle); err != nil {
		return failed(err)
	}
	if err := wholefile.Replace(name, text.Bytes(), 0o600); err != nil {
		return failed(err)
	}
	return nil
}

func (a *app) storageImportCommand() *cobra.Command {
	return &cobra.Command{
		Use: "import FILE", Short: "Merge a bundle: newer files win, all or nothing", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			store, err := storage.Open(paths.Storage())
			if err != nil {
				return err
			}
			result, err := store.ImportFile(args[0])
			if err != nil {
				return err
			}
			if a.json {
				a.printJSON(map[string]any{"ok": true, "result": result})
				return nil
			}
			fmt.Fprintf(a.stdout, "%d files: %d written, %d left as they were\n", result.EntryCount, result.UpdatedCount, result.PreservedCount)
			for _, name := range result.Ignored {
				fmt.Fprintf(a.stdout, "left alone: %s (each storage folder has its own)\n", name)
			}
			return nil
		},
	}
}

// printSkipped lists the skipped files, apart from the output itself.
func (a *app) printSkipped(skipped []storage.Skipped) {
	for _, s := range skipped {
		fmt.Fprintf(a.stderr, "left out %s: %s\n", s.Path, s.Reason)
	}
}
