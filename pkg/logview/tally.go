package logview

import (
	"encoding/json"
	"slices"

	"github.com/actionsjson/actions-host/pkg/journal"
)

// tallied is a session in the tally of a run of records. Which of its calls run is not in it: the log has an
// index of those.
type tallied struct {
	*Session
	FirstCounted string `json:"first_counted,omitzero"`
	LastCounted  string `json:"last_counted,omitzero"`
}

// Tally returns the sessions of records in the form that [Sessions.Add] takes; nil where they cannot be written.
func Tally(records []journal.Record) []byte {
	var of Sessions
	for _, r := range records {
		of.Record(r)
	}
	all := make([]tallied, len(of.List))
	for i, s := range of.List {
		s.Running = 0
		all[i] = tallied{s, s.firstCounted, s.counted}
	}
	raw, err := json.Marshal(all)
	if err != nil {
		return nil
	}
	return raw
}

// Add counts the records of a tally, which follow those that were counted before. It reports false, and counts
// none, where the tally cannot be read.
func (l *Sessions) Add(raw []byte) bool {
	var all []tallied
	if json.Unmarshal(raw, &all) != nil || slices.ContainsFunc(all, func(t tallied) bool { return t.Session == nil || t.SessionID == "" }) {
		return false
	}
	for _, t := range all {
		l.session(t.SessionID, t.First).addTally(t)
	}
	return true
}

func (s *Session) addTally(t tallied) {
	if t.First.Before(s.First) {
		s.First = t.First
	}
	if t.Last.After(s.Last) {
		s.Last = t.Last
	}
	s.DurationMS = s.Last.Sub(s.First).Milliseconds()
	s.Records += t.Records
	s.Steps += t.Steps
	s.Failures += t.Failures
	s.Refusals += t.Refusals
	s.Approvals += t.Approvals
	if s.Calls += t.Calls; t.Calls > 0 {
		if t.FirstCounted == s.counted { // several records of one call count once
			s.Calls--
		}
		s.counted = t.LastCounted
	}
	if t.Name != "" {
		s.Name = t.Name
	}
	if t.Client != "" {
		s.Client = t.Client
	}
	for _, place := range t.Origins {
		if len(s.Origins) < maxOrigins && !slices.Contains(s.Origins, place) {
			s.Origins = append(s.Origins, place)
		}
	}
}

// SetRunning counts the calls that run, by the intents of those that have not ended, in place of what the records
// said.
func (l *Sessions) SetRunning(open []journal.Record) {
	for _, s := range l.List {
		s.Running = 0
	}
	for _, intent := range open {
		if s := l.byID[intent.SessionID]; s != nil && intent.ParentID == "" {
			s.Running++
		}
	}
}
