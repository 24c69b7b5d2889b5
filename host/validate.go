package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// validated is what validate says of one file.
type validated struct {
	File     string              `json:"file"`
	OK       bool                `json:"ok"`
	Findings []actionmap.Finding `json:"findings"`
}

func (a *app) validateCommand() *cobra.Command {
	return &cobra.Command{
		Use: "validate FILE...", Short: "Check maps by the strict rules; exit 1 when one has a fault", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			catalogue, err := primitive.Load()
			if err != nil {
				return err
			}
			var results []validated
			failed := false
			for _, name := range files {
				text, err := os.ReadFile(name)
				if err != nil {
					return err
				}
				r := validated{File: name, OK: true, Findings: actionmap.Validate(text, catalogue)}
				for _, f := range r.Findings {
					r.OK = r.OK && f.Severity != actionmap.SeverityError
				}
				failed = failed || !r.OK
				results = append(results, r)
			}
			if a.json {
				a.printJSON(map[string]any{"ok": !failed, "files": results})
			} else {
				a.printFindings(results)
			}
			if failed {
				return status(exitFailed)
			}
			return nil
		},
	}
}

func (a *app) printFindings(results []validated) {
	for _, r := range results {
		if r.OK {
			fmt.Fprintf(a.stdout, "✓ %s\n", r.File)
		} else {
			fmt.Fprintf(a.stdout, "✗ %s\n", r.File)
		}
		for _, f := range r.Findings {
			fmt.Fprintf(a.stdout, "  %s %s %s: %s\n", f.Severity, f.Rule, f.Pointer, f.Message)
		}
	}
}
