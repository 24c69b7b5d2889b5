package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/lint"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// validationResult is what validate says of one file.
type validationResult struct {
	File      string                `json:"file"`
	OK        bool                  `json:"ok"`
	Findings  []actionmap.Finding   `json:"findings"`
	Authority []actionmap.Authority `json:"authority,omitzero"`
}

// validateFlags are the flags of validate.
type validateFlags struct {
	authority, sarif bool
	host             string
}

func (a *app) validateCommand() *cobra.Command {
	var flags validateFlags
	cmd := &cobra.Command{
		Use: "validate FILE...", Short: "Check maps by the strict rules; exit 1 when one has a fault", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error { return a.validate(files, flags) },
	}
	cmd.Flags().BoolVar(&flags.authority, "authority", false, "also print what each action can do: effects, privileged primitives, code, portability")
	cmd.Flags().StringVar(&flags.host, "host", "", "refuse actions that this kind of host cannot run: "+strings.Join(actionmap.Hosts(), ", "))
	cmd.Flags().BoolVar(&flags.sarif, "sarif", false, "print a SARIF 2.1.0 log, for editors and CI")
	return cmd
}

func (a *app) validate(files []string, flags validateFlags) error {
	if flags.host != "" && !slices.Contains(actionmap.Hosts(), flags.host) {
		return fmt.Errorf("--host takes %s", strings.Join(actionmap.Hosts(), ", "))
	}
	var results []validationResult
	failed := false
	for _, name := range files {
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			return fmt.Errorf("%s is a folder: name its actions.json; actions-host lint takes folders", name)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		r := validateText(name, text, primitive.Load(), flags)
		failed = failed || !r.OK
		results = append(results, r)
	}
	switch {
	case flags.sarif:
		if err := a.printSARIF(slices.Concat(actionmap.Rules, lint.Rules()), sarifFiles(results)); err != nil {
			return err
		}
	case a.json:
		a.printJSON(map[string]any{"ok": !failed, "files": results})
	default:
		a.printValidated(results)
	}
	if failed {
		return status(exitFailed)
	}
	return nil
}

// validateText checks one file. No finding is an empty list, never null.
func validateText(name string, text []byte, catalogue *primitive.Catalogue, flags validateFlags) validationResult {
	r := validationResult{File: name, OK: true, Findings: append([]actionmap.Finding{}, actionmap.Validate(text, catalogue)...)}
	if flags.host != "" {
		r.Findings = append(r.Findings, actionmap.CheckHost(text, catalogue, flags.host)...)
	}
	for _, f := range lint.Broken(text, catalogue) {
		if !slices.ContainsFunc(r.Findings, func(known actionmap.Finding) bool { return known.Pointer == f.Pointer }) {
			r.Findings = append(r.Findings, f.Finding)
		}
	}
	for _, f := range r.Findings {
		r.OK = r.OK && f.Severity != actionmap.SeverityError
	}
	if m, err := actionmap.Parse(text); err == nil && flags.authority {
		r.Authority = []actionmap.Authority{}
		for _, t := range m.Tools {
			r.Authority = append(r.Authority, t.Authority(catalogue))
		}
	}
	return r
}

func sarifFiles(results []validationResult) []lint.File {
	files := make([]lint.File, len(results))
	for i, r := range results {
		files[i].Path = r.File
		for _, f := range r.Findings {
			files[i].Findings = append(files[i].Findings, lint.Finding{Finding: f})
		}
	}
	return files
}

func (a *app) printSARIF(rules []actionmap.Rule, files []lint.File) error {
	text, err := lint.SARIF(version, rules, files)
	if err == nil {
		fmt.Fprintf(a.stdout, "%s\n", text)
	}
	return err
}

func (a *app) printValidated(results []validationResult) {
	for _, r := range results {
		a.printFile(r.File, r.OK)
		for _, f := range r.Findings {
			a.printFinding(r.File, f, "")
		}
		for _, authority := range r.Authority {
			a.printAuthority(authority)
		}
	}
}

func (a *app) printFile(name string, ok bool) {
	mark := "✓"
	if !ok {
		mark = "✗"
	}
	fmt.Fprintf(a.stdout, "%s %s\n", mark, name)
}

// printFinding prints a place as editors and terminals know it, the finding,
// and what to do.
func (a *app) printFinding(file string, f actionmap.Finding, note string) {
	pointer := f.Pointer
	if pointer == "" {
		pointer = "/"
	}
	fmt.Fprintf(a.stdout, "  %s:%d:%d: %s %s %s: %s%s\n", file, f.Line, f.Column, f.Severity, f.Rule, pointer, f.Message, note)
	if f.Hint != "" {
		fmt.Fprintf(a.stdout, "      %s\n", f.Hint)
	}
}

func (a *app) printAuthority(t actionmap.Authority) {
	portable := "portable"
	if !t.Portable {
		portable = "not portable"
	}
	effects := strings.Join(t.Effects, ", ")
	if effects == "" {
		effects = "no effect"
	}
	code := "runs no code"
	if t.RunsCode {
		code = "RUNS CODE"
	}
	fmt.Fprintf(a.stdout, "  %s: %s; %s; %s; %s\n", t.Name, t.Kind, effects, code, portable)
	for _, use := range t.Privileged {
		fmt.Fprintf(a.stdout, "      privileged: %s%s\n", use.Primitive, inStep(use.Step))
	}
	for _, need := range t.Needs {
		fmt.Fprintf(a.stdout, "      not in an embedded host: %s%s. %s\n", need.Primitive, inStep(need.Step), need.Reason)
	}
}

func inStep(step string) string {
	if step == "" {
		return ""
	}
	return " in step " + step
}
