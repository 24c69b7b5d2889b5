package logview

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/journal"
)

// maxOrigins bounds the sites that a session is listed with.
const maxOrigins = 50

// Session is a session as the log has it.
type Session struct {
	SessionID  string    `json:"session_id"`
	Kind       string    `json:"kind"`            // cli, mcp, voice or agent
	Client     string    `json:"client,omitzero"` // the program, as it named itself
	Name       string    `json:"name,omitzero"`   // the last one that it was given
	Records    int       `json:"records"`
	Calls      int       `json:"calls"`    // refused ones too; not the steps of actions
	Steps      int       `json:"steps"`    // of stored actions
	Failures   int       `json:"failures"` // calls that did not end well
	Refusals   int       `json:"refusals"` // calls and steps that were not let through
	Approvals  int       `json:"approvals"`
	Running    int       `json:"running"` // calls that have not ended
	First      time.Time `json:"first"`
	Last       time.Time `json:"last"`
	DurationMS int64     `json:"duration_ms"`
	Origins    []string  `json:"origins"`

	firstCounted, counted string          // call ids of the first and the last call that counted
	open                  map[string]bool // call ids of those that have not ended
}

// Sessions gathers the sessions of records that come in order.
type Sessions struct {
	List []*Session // in the order they began
	byID map[string]*Session
}

// Record counts the next record.
func (l *Sessions) Record(r journal.Record) {
	if r.SessionID == "" {
		return
	}
	l.session(r.SessionID, r.At).add(read(r))
}

// session returns the session, a new one where it is not known yet.
func (l *Sessions) session(id string, first time.Time) *Session {
	s, ok := l.byID[id]
	if !ok {
		if l.byID == nil {
			l.byID = map[string]*Session{}
		}
		s = &Session{SessionID: id, Kind: sessionKind(id), First: first, Origins: []string{}}
		l.byID[id] = s
		l.List = append(l.List, s)
	}
	return s
}

func (s *Session) add(e entry) {
	s.Records++
	if e.At.Before(s.First) { // the clock was set back
		s.First = e.At
	}
	if e.At.After(s.Last) {
		s.Last = e.At
	}
	s.DurationMS = s.Last.Sub(s.First).Milliseconds()
	if place := e.place(); place != "" && e.Type != journal.TypeDOMEvent && len(s.Origins) < maxOrigins && !slices.Contains(s.Origins, place) {
		s.Origins = append(s.Origins, place)
	}
	switch {
	case e.kind == started && e.ParentID == "":
		if s.open == nil {
			s.open = map[string]bool{}
		}
		s.open[e.CallID] = true
	case e.kind == refused:
		s.Refusals++
		s.call(e)
	case e.kind == ended && e.ParentID != "":
		s.Steps++
	case e.kind == ended:
		delete(s.open, e.CallID)
		s.call(e)
		if e.failed() {
			s.Failures++
		}
	case e.kind == asked:
		s.Approvals++
		s.call(e)
	case e.Type == journal.TypeSessionNamed:
		s.Name = e.payload.Name
	case e.Type == journal.TypeSessionStarted:
		s.Client = e.client()
	}
	s.Running = len(s.open)
}

// call counts a call once, also if several of its records count.
func (s *Session) call(e entry) {
	if e.ParentID == "" && e.CallID != s.counted {
		s.Calls++
		s.counted = e.CallID
		s.firstCounted = cmp.Or(s.firstCounted, e.CallID)
	}
}

// client is the program that a started session is of: its name, or its name
// and version.
func (e entry) client() string {
	var program struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	var name string
	if json.Unmarshal(e.payload.Client, &name) == nil {
		return name
	}
	_ = json.Unmarshal(e.payload.Client, &program)
	return joined(" ", program.Name, program.Version)
}
