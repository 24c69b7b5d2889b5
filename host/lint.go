package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/lint"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// lintResult is what lint says of one file.
type lintResult struct {
	File     string         `json:"file"`
	OK       bool           `json:"ok"`
	Findings []lint.Finding `json:"findings"`
}

func (a *app) lintCommand() *cobra.Command {
	var strict, sarif bool
	cmd := &cobra.Command{
		Use: "lint DIR|FILE...", Short: "Give advice on maps; exit 1 on errors, with --strict on any finding", Args: cobra.MinimumNArgs(1),
		Long: "Give advice on maps: what is allowed and will not work, or will hurt somebody. A folder\n" +
			"stands for all maps below it. A site's accepted-gaps.json lists findings that were weighed\n" +
			"and accepted; they are shown as such, and entries that nothing needs any more are reported.",
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := lintPaths(cmd.Context(), args)
			if err != nil {
				return err
			}
			return a.reportLint(files, strict, sarif)
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "also fail on advice that is not accepted")
	cmd.Flags().BoolVar(&sarif, "sarif", false, "print a SARIF 2.1.0 log, for editors and CI")
	return cmd
}

// lintPaths checks what the arguments name, each within its storage folder.
func lintPaths(ctx context.Context, args []string) ([]lint.File, error) {
	byRoot := map[string][]string{}
	var roots []string
	for _, arg := range args {
		root, name, err := storageRoot(arg)
		if err != nil {
			return nil, err
		}
		if byRoot[root] == nil {
			roots = append(roots, root)
		}
		byRoot[root] = append(byRoot[root], name)
	}
	var all []lint.File
	for _, root := range roots {
		files, err := lintRoot(ctx, root, byRoot[root], primitive.Load())
		if err != nil {
			return nil, err
		}
		for i := range files {
			files[i].Path = shown(filepath.Join(root, filepath.FromSlash(files[i].Path)))
		}
		all = append(all, files...)
	}
	return all, nil
}

// lintRoot opens the folder so that no link leads out of it.
func lintRoot(ctx context.Context, dir string, names []string, catalogue *primitive.Catalogue) ([]lint.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return lint.Folder(ctx, root.FS(), names, catalogue)
}

// scopeNames are the folders below scopes/ in a storage folder.
var scopeNames = []string{"private", "shared", "public"}

// storageRoot finds the storage folder of a path, the one that holds scopes/,
// and the path within. Elsewhere it is the folder itself, or that of the file.
func storageRoot(arg string) (root, name string, err error) {
	absolute, err := filepath.Abs(arg)
	if err != nil {
		return "", "", err
	}
	info, err := os.Stat(absolute)
	if err != nil {
		return "", "", err
	}
	segments := strings.Split(filepath.ToSlash(absolute), "/")
	for i := len(segments) - 1; i > 0; i-- {
		if segments[i] == "scopes" && (i == len(segments)-1 || slices.Contains(scopeNames, segments[i+1])) {
			return filepath.FromSlash(strings.Join(segments[:i], "/") + "/"), strings.Join(segments[i:], "/"), nil
		}
	}
	if info.IsDir() {
		return absolute, ".", nil
	}
	return filepath.Dir(absolute), filepath.Base(absolute), nil
}

// shown shortens a path below the current folder.
func shown(name string) string {
	here, err := os.Getwd()
	if err != nil {
		return name
	}
	relative, err := filepath.Rel(here, name)
	if err != nil || !filepath.IsLocal(relative) {
		return name
	}
	return relative
}

func (a *app) reportLint(files []lint.File, strict, sarif bool) error {
	results := make([]lintResult, 0, len(files))
	failed := false
	for _, file := range files {
		fails := slices.ContainsFunc(file.Findings, func(f lint.Finding) bool {
			return f.Severity == actionmap.SeverityError || strict && !f.Accepted
		})
		failed = failed || fails
		results = append(results, lintResult{File: file.Path, OK: !fails, Findings: append([]lint.Finding{}, file.Findings...)})
	}
	switch {
	case sarif:
		if err := a.printSARIF(lint.Rules(), files); err != nil {
			return err
		}
	case a.json:
		a.printJSON(map[string]any{"ok": !failed, "files": results})
	default:
		a.printLinted(results)
	}
	if failed {
		return status(exitFailed)
	}
	return nil
}

func (a *app) printLinted(results []lintResult) {
	if len(results) == 0 {
		fmt.Fprintln(a.stdout, "There is no actions.json here. A map of another name is linted when it is named itself.")
	}
	for _, r := range results {
		a.printFile(r.File, r.OK)
		for _, f := range r.Findings {
			note := ""
			if f.Accepted {
				note = " (accepted: " + f.Rationale + ")"
			}
			a.printFinding(r.File, f.Finding, note)
		}
	}
}
