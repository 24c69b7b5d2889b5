package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/logview"
)

func (a *app) logSessionsCommand() *cobra.Command {
	var f logFlags
	cmd := &cobra.Command{
		Use: "sessions", Short: "List the sessions of the log, in the order they began", Args: cobra.NoArgs,
		Long: "List the sessions of the log: who called, how many calls there were, how many failed or\n" +
			"were refused, when, for how long and on which sites.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			filter, err := f.filter(time.Now())
			if err != nil {
				return err
			}
			log, err := a.openLog(cmd.Context())
			if err != nil {
				return err
			}
			defer log.close()
			sessions, err := log.sessions(cmd.Context(), filter)
			if err != nil {
				return err
			}
			if a.json {
				for _, s := range sessions {
					a.printJSON(s)
				}
				return nil
			}
			return a.painter().lines(logview.SessionTable(sessions, time.Now(), time.Local))
		},
	}
	f.addTimes(cmd)
	cmd.Flags().StringVar(&f.origin, "origin", "", "only what was done on this site")
	return cmd
}
