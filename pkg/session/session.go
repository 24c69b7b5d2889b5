// Package session holds the sessions of one browser profile and the primitives
// of what the host keeps for them: task queues, transfer buffer, pace, name and
// log.
//
// Rules of this package:
//   - Who calls with the same id and the same rights is in the same session.
//     Rights are part of what a session is: one caller's must not reach another.
//   - What a session was granted, its tasks and its values end with it. The
//     shared session of a kind ends with the host only.
package session

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/task"
	"github.com/actionsjson/actions-host/pkg/transfer"
)

// Caller says who calls.
type Caller struct {
	Kind      policy.SessionKind
	ID        string // empty: the kind's shared session
	Mode      policy.Mode
	AllowCode bool
	Origins   string // patterns of the pages that it may operate, joined by spaces; empty: all
}

// Sessions holds the sessions of a profile. Its fields are set once, before the
// first call; its methods are safe for concurrent use.
type Sessions struct {
	Path     *dispatch.Dispatcher
	Tasks    *task.Queues
	Buffer   *transfer.Buffer
	mu       sync.Mutex
	byCaller map[Caller]*dispatch.Session
}

// Named is a session that its caller gave a name.
type Named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Open gives the session of a caller, the same one for the same caller.
func (s *Sessions) Open(c Caller) (*dispatch.Session, error) {
	switch c.Kind {
	case policy.SessionCLI, policy.SessionMCP, policy.SessionVoice, policy.SessionAgent:
	default:
		return nil, fault.New(fault.InvalidInput, "%q is not a kind of session", c.Kind)
	}
	c.Mode = cmp.Or(c.Mode, policy.ModeAct)
	if c.Mode != policy.ModeAct && c.Mode != policy.ModeAsk {
		return nil, fault.New(fault.InvalidInput, "%q is not a mode: use ask or act", c.Mode)
	}
	origins := strings.Fields(c.Origins)
	for _, pattern := range origins {
		if err := origin.CheckPattern(pattern); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	session, ok := s.byCaller[c]
	if !ok {
		session = &dispatch.Session{ID: LogID(c), SessionKind: c.Kind, Mode: c.Mode, AllowCode: c.AllowCode, Origins: origins}
		if s.byCaller == nil {
			s.byCaller = map[Caller]*dispatch.Session{}
		}
		s.byCaller[c] = session
	}
	return session, nil
}

// LogID is the name of a caller's session in the log.
func LogID(c Caller) string {
	if c.ID == "" {
		return string(c.Kind)
	}
	return string(c.Kind) + ":" + c.ID
}

// End ends a session that its last caller has left, with all its rights.
func (s *Sessions) End(ctx context.Context, c Caller) error {
	id := LogID(c)
	s.mu.Lock()
	maps.DeleteFunc(s.byCaller, func(of Caller, _ *dispatch.Session) bool { return LogID(of) == id })
	s.mu.Unlock()
	s.Path.Policy.EndSession(id)
	s.Path.Approvals.EndSession(id)
	_, err := s.Tasks.EndSession(id)
	if _, bufferErr := s.Buffer.EndSession(id); err == nil {
		err = bufferErr
	}
	if logErr := s.Path.Journal.Append(ctx, journal.Record{SessionID: id, Type: journal.TypeSessionEnded}); err == nil {
		err = logErr
	}
	return err
}

// Named lists the sessions that have a name, by id.
func (s *Sessions) Named() []Named {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := map[string]string{}
	for _, session := range s.byCaller {
		if name := session.Name(); name != "" {
			names[session.ID] = name
		}
	}
	named := []Named{}
	for _, id := range slices.Sorted(maps.Keys(names)) {
		named = append(named, Named{id, names[id]})
	}
	return named
}

// Handlers gives the handlers of this package by the names of their primitives.
func (s *Sessions) Handlers() map[string]primitive.Handler {
	return map[string]primitive.Handler{
		"task.add":      s.taskAdd,
		"task.next":     s.taskNext,
		"task.complete": s.taskComplete,
		"task.list":     s.taskList,
		"task.clear":    s.taskClear,

		"transfer.write":  s.transferWrite,
		"transfer.read":   s.transferRead,
		"transfer.insert": s.transferInsert,
		"transfer.clear":  s.transferClear,

		"runtime.configure_pacing":      s.configurePacing,
		"runtime.session.log":           s.sessionLog,
		"runtime.session.name":          s.sessionName,
		"runtime.session.finalize_tabs": s.finalizeTabs,
	}
}
