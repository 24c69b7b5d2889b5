package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// Exit statuses of every command.
const (
	exitDone   = 0 // done
	exitFailed = 1 // the call failed; the envelope says why
	exitUsage  = 2 // the command line is not valid
	exitBroken = 3 // no browser, or a broken hop
)

// status carries an exit status; the message has already been printed.
type status int

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// app is the state that the commands share.
type app struct {
	stdout, stderr io.Writer
	json           bool
	profile        string
	wait           time.Duration
}

// runCommand runs one terminal command and returns the exit status.
func runCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	paths.MakeAbsolute()
	printed := &terminal{out: stdout}
	stderr = &terminal{out: stderr}
	a := &app{stdout: printed, stderr: stderr}
	root := &cobra.Command{
		Use:   "actions-host",
		Short: "Let agents operate the browser tabs that you hand over",
		Long: "Actions Host runs the actions that a site's actions.json map declares, in your own\n" +
			"browser, in the tabs that you handed over, and keeps a log of what was done.",
		SilenceUsage: true, SilenceErrors: true, Version: version,
	}
	root.SetArgs(args)
	root.SetOut(printed)
	root.SetErr(stderr)
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON and nothing else on stdout")
	root.PersistentFlags().StringVar(&a.profile, "profile", "", "browser profile, by the start of its id or by its label")
	root.PersistentFlags().DurationVar(&a.wait, "wait", 2*time.Second, "how long to wait for a browser that is not there yet")
	root.AddCommand(
		a.installCommand(), a.uninstallCommand(), a.doctorCommand(), a.launchCommand(), a.tabsCommand(),
		a.callCommand(), a.primitivesCommand(), a.siteCommand(), a.validateCommand(), a.lintCommand(), a.checkCommand(), a.testCommand(), a.newCommand(), a.mapCommand(), a.repairCommand(), a.recordCommand(), a.approvalsCommand(), a.stopCommand(), a.resumeCommand(), a.policyCommand(), a.keyCommand(), a.modelsCommand(), a.logCommand(), a.storageCommand(), a.mcpCommand(), a.serveCommand(), a.tokenCommand(), a.versionCommand(),
	)
	root.AddCommand(a.packagerCommands()...)
	root.InitDefaultHelpCmd()
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Args = checkHelpTopic
	}
	cmd, err := root.ExecuteContextC(ctx)
	var done status
	var f *fault.Error
	switch {
	case printed.failed != nil:
		fmt.Fprintf(stderr, "actions-host: the output was not written to its end: %v\n", printed.failed)
		return exitFailed
	case err == nil:
		return exitDone
	case errors.As(err, &done):
		return int(done)
	case errors.As(err, &f):
		a.printFault(f)
		return int(statusOf(f))
	default:
		if a.json = a.json || asksForJSON(args); a.json {
			a.printFault(fault.Wrap(err, fault.InvalidArguments, "%v", err).WithNextStep("See " + cmd.CommandPath() + " --help."))
		}
		fmt.Fprintf(stderr, "actions-host: %v\n", err)
		if !strings.Contains(err.Error(), "\n") { // else it says itself what is accepted
			fmt.Fprintf(stderr, "  Usage: %s (--help explains it)\n", usageLine(cmd))
		}
		return exitUsage
	}
}

// asksForJSON reports whether --json is among the flags. An error before it ends their
// parsing.
func asksForJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json")
}

// statusOf returns the exit status of a command that failed.
func statusOf(f *fault.Error) status {
	if f.Code == fault.BrowserNotConnected || f.Code == fault.TransportFailed {
		return exitBroken
	}
	return exitFailed
}

// checkHelpTopic rejects help for an unknown command.
func checkHelpTopic(cmd *cobra.Command, args []string) error {
	if _, rest, err := cmd.Root().Find(args); err != nil || len(rest) > 0 {
		return fmt.Errorf("there is no command %q", strings.Join(args, " "))
	}
	return nil
}

// usageLine shows how a command is called.
func usageLine(cmd *cobra.Command) string {
	if cmd.HasAvailableSubCommands() {
		return cmd.CommandPath() + " COMMAND [flags]"
	}
	return cmd.UseLine()
}

// printFault writes for a person what went wrong and what to do.
func (a *app) printFault(f *fault.Error) {
	if a.json {
		a.printJSON(map[string]any{"ok": false, "error": f})
		return
	}
	f = forTerminal(f)
	fmt.Fprintf(a.stderr, "✗ %s (%s)\n", f.Message, f.Code)
	if f.NextStep != "" {
		fmt.Fprintf(a.stderr, "  %s\n", f.NextStep)
	}
}

// warn writes what went wrong beside the command's work.
func (a *app) warn(err error) { fmt.Fprintf(a.stderr, "actions-host: %v\n", err) }

func (a *app) printJSON(v any) {
	if err := a.encode(v); err != nil {
		a.warn(err)
	}
}

func (a *app) encode(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// clients connects to the running hosts that --profile selects, waiting a
// little for a browser that is starting.
func (a *app) clients(ctx context.Context) ([]*control.Client, error) {
	all, err := control.AwaitWanted(ctx, paths.Sockets(), a.wait, a.wants)
	if fault.Is(err, fault.BrowserNotConnected) && a.profile != "" {
		return nil, fault.New(fault.BrowserNotConnected, "no running browser profile is named %q", a.profile)
	}
	return all, err
}

// wants reports whether --profile selects the profile.
func (a *app) wants(s control.Status) bool {
	return strings.HasPrefix(s.ProfileID, a.profile) || s.ProfileLabel == a.profile
}

// client connects to the host that --profile selects, or to the only one.
func (a *app) client(ctx context.Context) (*control.Client, error) {
	all, err := a.clients(ctx)
	if err != nil {
		return nil, err
	}
	return one(all)
}

// one returns the only client, and an error that names them where there are several.
func one(all []*control.Client) (*control.Client, error) {
	if len(all) == 1 {
		return all[0], nil
	}
	var names []string
	for _, c := range all {
		names = append(names, fmt.Sprintf("%s (%s)", c.Status.ProfileID[:8], c.Status.ProfileLabel))
		c.Close()
	}
	return nil, fault.New(fault.AmbiguousRuntime, "several browser profiles are running: %s", strings.Join(names, ", ")).
		WithNextStep("Name one with --profile.")
}

// group is a command that only holds others: alone it shows its help, and a
// word that is none of them is a usage error.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(commands...)
	return cmd
}
