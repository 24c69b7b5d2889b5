package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/logview"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// reconnectDelay is the time between two attempts to find a host.
const reconnectDelay = 250 * time.Millisecond

func (a *app) logFollowCommand() *cobra.Command {
	var f logFlags
	cmd := &cobra.Command{
		Use: "follow", Short: "Print the log as it is written, until Ctrl-C", Args: cobra.NoArgs,
		Long: "Print the newest records of the log and then each one as it is written, until Ctrl-C.\n" +
			"It waits for a browser that is not there yet, and goes on when one that went comes back.\n" +
			"Colours are for terminals; NO_COLOR switches them off. With --json one record a line.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := f.filter(time.Now())
			if err != nil {
				return err
			}
			return a.follow(cmd.Context(), filter, f.limit)
		},
	}
	f.add(cmd, 10, "how many of the records that are there already to begin with")
	return cmd
}

// follow prints records until the context ends, whichever hosts come and go.
func (a *app) follow(ctx context.Context, filter journal.Filter, newest int) error {
	f := follower{app: a, show: a.recordPrinter(&logview.Lines{Live: true}), params: control.LogParams{Filter: filter, Newest: newest}}
	for {
		client, err := f.connect(ctx)
		if err == nil {
			err = f.run(ctx, client)
		}
		if ctx.Err() != nil {
			return nil // Ctrl-C is how it ends
		}
		if err != nil {
			return err
		}
		pause(ctx, reconnectDelay) // a host that refuses is not asked without end
	}
}

type follower struct {
	app     *app
	show    *recordPrinter
	params  control.LogParams
	profile string // followed so far
	waiting bool   // and said so
	// begun says that params.From is set. Without newest records that is the end of the log as it
	// was, by the files where no browser was there: clocks go back.
	begun bool
	ends  map[string]uint64
	// reported is the last failure of a host that is there.
	reported string
}

// connect waits for the host of the profile.
func (f *follower) connect(ctx context.Context) (*control.Client, error) {
	for {
		all, err := control.Discover(ctx, paths.Sockets())
		if err != nil {
			return nil, err
		}
		if all = control.Choose(all, f.wants); len(all) > 0 {
			return one(all)
		}
		if !f.waiting {
			if !f.begun && f.ends == nil {
				if err := f.noteEnds(); err != nil {
					return nil, err
				}
			}
			f.waiting = true
			fmt.Fprintln(f.app.stderr, "actions-host: waiting for a browser with the extension; Ctrl-C ends this")
		}
		if pause(ctx, reconnectDelay); ctx.Err() != nil {
			return nil, fault.From(ctx.Err())
		}
	}
}

// noteEnds remembers where the logs end: what is written from now on is all to be seen.
func (f *follower) noteEnds() error {
	names, err := logFiles("") // --profile may be a label
	f.ends = map[string]uint64{}
	for _, name := range names {
		f.ends[name] = journal.LastWritten(name)
	}
	return err
}

// begin sets where to begin in the log of the host.
func (f *follower) begin(ctx context.Context, client *control.Client) error {
	if f.begun {
		return nil
	}
	switch {
	case f.ends != nil:
		f.params.From = f.ends[paths.Database(client.Status.ProfileID)] + 1
	case f.params.Newest == 0:
		var none control.LogPage
		if err := client.Call(ctx, control.MethodLog, control.LogParams{From: math.MaxUint64}, &none); err != nil {
			return err
		}
		f.params.From = none.Last + 1
	}
	f.begun = true
	return nil
}

// pause waits, or until the context ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// wants reports whether the profile is the one that is followed already, or that --profile selects.
func (f *follower) wants(s control.Status) bool {
	return f.app.wants(s) && (f.profile == "" || s.ProfileID == f.profile)
}

// run follows one connection until it ends. The error is one that a new connection
// would not solve.
func (f *follower) run(ctx context.Context, client *control.Client) error {
	defer client.Close()
	f.profile, f.waiting = client.Status.ProfileID, false
	var own error
	err := f.begin(ctx, client)
	if err == nil {
		f.params.From, err = client.Follow(ctx, f.params, func(r journal.Record) error {
			own = f.show.record(r)
			return own
		})
	}
	switch {
	case own != nil:
		return own
	case fault.Is(err, fault.InvalidArguments), fault.Is(err, fault.InvalidMessage):
		return err
	case ctx.Err() == nil && err.Error() != f.reported && !fault.Is(err, fault.TransportFailed):
		f.reported = err.Error() // it may pass
		fmt.Fprintf(f.app.stderr, "actions-host: %s; trying again, Ctrl-C ends this\n", fault.From(err).Message)
	}
	return nil
}
