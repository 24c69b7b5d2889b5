package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/actionsjson/actions-host/pkg/journal"
)

func TestLoggedSessions(t *testing.T) {
	// Ensure that the sessions of a log come with their last names, and that records of no session count for none.
	var all loggedSessions
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	for _, r := range []journal.Record{
		{SessionID: "cli", At: at(1), Type: journal.TypeIntent},
		{At: at(2), Type: journal.TypeClaim},
		{SessionID: "mcp:a", At: at(3), Type: journal.TypeSessionNamed, Data: []byte(`{"name":"first"}`)},
		{SessionID: "cli", At: at(4), Type: journal.TypeOutcome, Data: []byte(`{"name":"no name"}`)},
		{SessionID: "mcp:a", At: at(5), Type: journal.TypeSessionNamed, Data: []byte(`{"name":"second"}`)},
	} {
		all.add(r)
	}
	want := []*loggedSession{
		{SessionID: "cli", Records: 2, First: at(1), Last: at(4)},
		{SessionID: "mcp:a", Name: "second", Records: 2, First: at(3), Last: at(5)},
	}
	if diff := cmp.Diff(want, all.list); diff != "" {
		t.Error(diff)
	}
}
