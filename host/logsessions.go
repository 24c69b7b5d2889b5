package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/journal"
)

// loggedSession is what the log holds of a session.
type loggedSession struct {
	SessionID string    `json:"session_id"`
	Name      string    `json:"name,omitzero"` // the last one that it was given
	Records   int       `json:"records"`
	First     time.Time `json:"first"`
	Last      time.Time `json:"last"`
}

func (a *app) logSessionsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "sessions", Short: "List the sessions of the log, in the order they began", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var all loggedSessions
			if err := a.dump(cmd.Context(), 1, all.add); err != nil {
				return err
			}
			for _, s := range all.list {
				if a.json {
					a.printJSON(s)
				} else {
					fmt.Fprintf(a.stdout, "%s  %s  %5d records  %s  %s\n",
						s.First.Local().Format(time.DateTime), s.Last.Local().Format(time.DateTime), s.Records, s.SessionID, s.Name)
				}
			}
			return nil
		},
	}
}

// loggedSessions gathers the sessions of a log.
type loggedSessions struct {
	list []*loggedSession
	byID map[string]*loggedSession
}

func (l *loggedSessions) add(r journal.Record) {
	if r.SessionID == "" {
		return
	}
	s, ok := l.byID[r.SessionID]
	if !ok {
		if l.byID == nil {
			l.byID = map[string]*loggedSession{}
		}
		s = &loggedSession{SessionID: r.SessionID, First: r.At}
		l.byID[r.SessionID] = s
		l.list = append(l.list, s)
	}
	s.Records++
	s.Last = r.At
	var named struct{ Name string }
	if r.Type == journal.TypeSessionNamed && json.Unmarshal(r.Data, &named) == nil {
		s.Name = named.Name
	}
}
