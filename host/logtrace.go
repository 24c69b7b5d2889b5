package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/trace"
)

func (a *app) logTraceCommand() *cobra.Command {
	return &cobra.Command{
		Use: "trace CALL FOLDER", Short: "Leave a folder about a call of the log", Args: cobra.ExactArgs(2),
		Long: "Leave a folder about a call of the log, from which its map can be mended: the records of the\n" +
			"call and its steps, the file and line of the map that failed, and the page as it is now, where\n" +
			"its tab still shows the same site: snapshot, picture, console and network, without secrets.\n" +
			"CALL is an id, or the number of one of its records that log dump prints first in a line.\n" +
			"FOLDER must be empty or not there yet.",
		Example: "  actions-host log trace 118 ./trace",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.logTrace(cmd.Context(), args[0], args[1]) },
	}
}

func (a *app) logTrace(ctx context.Context, call, folder string) error {
	if err := trace.CheckFolder(folder); err != nil {
		return err
	}
	log, err := a.openLog(ctx)
	if err != nil {
		return err
	}
	defer log.close()
	run, err := log.call(ctx, call)
	if err != nil {
		return err
	}
	look := func(context.Context, string, json.RawMessage) (dispatch.Envelope, error) {
		return dispatch.Envelope{}, fault.New(fault.BrowserNotConnected, "no browser with the extension is running")
	}
	if log.client != nil {
		run.StorageRoot = log.client.Status.StorageRoot
		params := new(callFlags).params()
		params.Target.TabID = run.Meta.Tab.TabID
		if at, err := origin.Parse(run.Meta.Tab.URL); err == nil {
			params.Target.URLContains = at.String() // another site is no trace of the call
		}
		look = looker(log.client, &params)
	}
	if err := trace.MakeFolder(folder); err != nil {
		return err
	}
	if err := trace.Write(ctx, folder, run, look); err != nil {
		return err
	}
	if a.json {
		a.printJSON(map[string]any{"ok": true, "folder": folder, "call_id": run.CallID})
		return nil
	}
	fmt.Fprintln(a.stdout, folder)
	return nil
}

// call returns a call, named by its id or by the number of one of its records.
func (s *logSource) call(ctx context.Context, name string) (trace.Run, error) {
	p := control.LogParams{Filter: journal.Filter{CallID: name}}
	if seq, err := strconv.ParseUint(name, 10, 64); err == nil {
		p = control.LogParams{From: max(1, seq), Limit: 1}
	}
	var first *journal.Record
	err := s.read(ctx, p, func(r journal.Record) error {
		first = &r
		return errEnough
	})
	if err != nil && !errors.Is(err, errEnough) {
		return trace.Run{}, err
	}
	if first == nil || first.CallID == "" || p.From > 0 && first.Seq != p.From {
		return trace.Run{}, fault.New(fault.InvalidArguments, "the log has no call %s", name).
			WithNextStep("actions-host log dump --failed lists the calls that failed: name one by the number before its line, or by its id.")
	}
	var records []journal.Record
	err = s.read(ctx, control.LogParams{Filter: journal.Filter{Session: first.SessionID}}, func(r journal.Record) error {
		records = append(records, r)
		return nil
	})
	if err != nil {
		return trace.Run{}, err
	}
	return trace.FromLog(first.CallID, records)
}
