//go:build manpages

package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// packagerCommands are for those who package the program; a user finds the pages
// installed. What turns Markdown into man weighs 0.6 MB, which users need not carry.
func (a *app) packagerCommands() []*cobra.Command {
	return []*cobra.Command{{
		Use: "man FOLDER", Short: "Write the manual pages into a folder", Hidden: true, Args: cobra.ExactArgs(1),
		Long: "Write the manual pages, one for each command, into a folder. SOURCE_DATE_EPOCH sets their date.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fault.Wrap(err, fault.StorageUnavailable, "the folder cannot be made: %v", err)
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true // the same program gives the same pages on every day
			head := &doc.GenManHeader{Title: "ACTIONS-HOST", Section: "1", Source: "Actions Host " + version, Manual: "Actions Host"}
			if t, err := time.Parse(time.RFC3339, ownIdentity().CommitDate); err == nil {
				head.Date = &t
			}
			if err := doc.GenManTree(root, head, args[0]); err != nil {
				return fault.Wrap(err, fault.StorageUnavailable, "the manual pages cannot be written: %v", err)
			}
			return nil
		},
	}}
}
