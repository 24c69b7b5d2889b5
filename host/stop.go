package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// stopRetryDelay is the time between two attempts to stop a host that is too busy to be asked.
const stopRetryDelay = 100 * time.Millisecond

func (a *app) stopCommand() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "stop", Short: "Stop the agents: end what runs, and let nothing begin", Args: cobra.NoArgs,
		Long: "Stop the agents of a browser profile: the calls under way end as cancelled, and no other\n" +
			"begins until you let agents go on, in the extension's popup or with the code that this\n" +
			"command prints. The code is only for this stop: it takes back no stop of the popup, of the\n" +
			"page or of another terminal.",
		Example: "  actions-host stop --all",
		RunE: func(cmd *cobra.Command, _ []string) error {
			done, err := a.stopProfiles(cmd.Context(), all)
			if err != nil && len(done) == 0 {
				return err
			}
			if a.json {
				result := map[string]any{"ok": err == nil, "profiles": done}
				if err == nil {
					a.printJSON(result)
					return nil
				}
				result["error"] = fault.From(err)
				a.printJSON(result)
				return statusOf(fault.From(err))
			}
			for _, p := range done {
				fmt.Fprintf(a.stdout, "✓ %s: stopped, %d calls ended\n", p.ProfileLabel, p.Ended)
				if p.Code != "" {
					fmt.Fprintf(a.stdout, "  Agents wait until you choose Go on in the popup, or run: actions-host resume %s\n", p.Code)
				}
			}
			return err // of a profile that could not be stopped
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "of all browser profiles that run")
	return cmd
}

func (a *app) resumeCommand() *cobra.Command {
	return &cobra.Command{
		Use: "resume CODE", Short: "Let the agents go on that you stopped from a terminal", Args: cobra.ExactArgs(1),
		Long: "Take back a stop of a terminal, by the code that it printed. What was stopped in the popup,\n" +
			"in the page, with the keyboard or in the browser is let go on in the popup alone.",
		RunE: func(cmd *cobra.Command, args []string) error {
			sockets, err := control.Sockets(paths.Sockets())
			if err != nil {
				return err
			}
			err = noBrowser()
			for _, path := range sockets {
				var done control.WentOn
				failed := control.Request(cmd.Context(), path, control.MethodGoOn, control.GoOnParams{Code: args[0]}, &done)
				if failed == nil {
					return a.printWentOn(done)
				}
				if !fault.Is(failed, fault.BrowserNotConnected) {
					err = failed
				}
			}
			return err
		},
	}
}

func (a *app) printWentOn(done control.WentOn) error {
	if a.json {
		a.printJSON(map[string]any{"ok": true, "still_stopped": done.StillStopped})
		return nil
	}
	if done.StillStopped > 0 {
		fmt.Fprintf(a.stdout, "✓ This stop is taken back. %d others hold; choose Go on in the popup.\n", done.StillStopped)
		return nil
	}
	fmt.Fprintln(a.stdout, "✓ Agents may go on.")
	return nil
}

// stopProfiles stops the profile that is meant, or all. It returns those that it stopped also where
// another one failed.
func (a *app) stopProfiles(ctx context.Context, all bool) ([]control.Stopped, error) {
	sockets, err := control.Sockets(paths.Sockets())
	if err != nil {
		return nil, err
	}
	if !all && a.profile == "" && len(sockets) > 1 {
		client, err := a.client(ctx) // which of them runs, and that it is the only one
		if err != nil {
			return nil, fault.From(err).WithNextStep("Name one with --profile, or stop all with --all.")
		}
		client.Close()
	}
	// Side by side: one that hangs must not keep the others going.
	done, errs := make([]control.Stopped, len(sockets)), make([]error, len(sockets))
	var each sync.WaitGroup
	for i, path := range sockets {
		each.Go(func() { errs[i] = stopOne(ctx, path, control.StopParams{Profile: a.profile}, &done[i]) })
	}
	each.Wait()
	var stopped []control.Stopped
	var failed error
	for i, err := range errs {
		switch {
		case err == nil && !done[i].Skipped:
			stopped = append(stopped, done[i])
		case err != nil && !fault.Is(err, fault.BrowserNotConnected):
			failed = err
		}
	}
	if failed == nil && len(stopped) == 0 {
		failed = noBrowser()
	}
	return stopped, failed
}

// stopOne asks again while the host has no room to be asked.
func stopOne(ctx context.Context, path string, params control.StopParams, done *control.Stopped) error {
	for deadline := time.Now().Add(5 * time.Second); ; {
		err := control.Request(ctx, path, control.MethodStop, params, done)
		if !fault.Is(err, fault.TransportFailed) && !fault.Is(err, fault.RateLimited) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-time.After(stopRetryDelay):
		case <-ctx.Done():
			return fault.From(ctx.Err())
		}
	}
}

func noBrowser() error {
	return fault.New(fault.BrowserNotConnected, "no browser with the extension is running")
}
