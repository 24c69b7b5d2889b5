// Package session holds the sessions of one browser profile and handles the
// primitives of their state in the host: task queues, transfer buffer, pace, name
// and log.
//
// Rules of this package:
//   - A caller with the same id and the same rights is in the same session.
//     Rights are part of what a session is: one caller's must not reach another.
//   - A session's grants, tasks and values end with it. The shared session of a kind
//     ends with the host only.
package session

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/task"
	"github.com/actionsjson/actions-host/pkg/transfer"
)

// Caller identifies a caller and its rights.
type Caller struct {
	Kind      policy.SessionKind
	ID        string // empty: the kind's shared session
	Mode      policy.Mode
	AllowCode bool
	AllowAPI  bool   // a grant for an origin covers requests that write
	Origins   string // patterns of the pages that it may operate, joined by spaces; empty: all
	// NoLoopGuard is no right: whoever repeats calls is only told less.
	NoLoopGuard bool
}

// Sessions holds the sessions of a profile. Its fields are set once, before the
// first call; its methods are safe for concurrent use.
type Sessions struct {
	Path   *dispatch.Dispatcher
	Tasks  *task.Queues
	Buffer *transfer.Buffer

	observers []Observer
	mu        sync.Mutex
	byCaller  map[Caller]*dispatch.Session
}

// Observer is notified of the end of sessions, by those who keep something for them. A
// nil function is not called.
type Observer struct {
	// SessionsEnded is called with the IDs of sessions in the log, before their rights
	// end. The end of the sessions waits for it.
	SessionsEnded func(ids ...string)
}

// Observe adds an observer, after those that were added before. All are added before
// the first call.
func (s *Sessions) Observe(o Observer) { s.observers = append(s.observers, o) }

// Named is a session that its caller has named.
type Named struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Open returns the session of a caller, the same one for the same caller.
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
		session = &dispatch.Session{ID: LogID(c), Began: time.Now(), SessionKind: c.Kind, Mode: c.Mode, AllowCode: c.AllowCode, Origins: origins, NoLoopGuard: c.NoLoopGuard}
		session.Permits = func(origin string) bool { return s.Path.Policy.FileRules().Permits(c.Kind, origin) }
		session.AllowAPI(c.AllowAPI)
		if s.byCaller == nil {
			s.byCaller = map[Caller]*dispatch.Session{}
		}
		s.byCaller[c] = session
	}
	return session, nil
}

// LogID returns the id of a caller's session in the log.
func LogID(c Caller) string {
	if c.ID == "" {
		return string(c.Kind)
	}
	return string(c.Kind) + ":" + c.ID
}

// End ends sessions that their last caller has left, with all their rights. They
// are ended together, however many they are: one transaction for each store, and
// no lock is held while waiting for the disk. Their calls must have ended.
func (s *Sessions) End(ctx context.Context, callers ...Caller) error {
	ids := make([]string, len(callers))
	ended := make(map[string]bool, len(callers))
	records := make([]journal.Record, len(callers))
	for i, c := range callers {
		ids[i] = LogID(c)
		ended[ids[i]] = true
		records[i] = journal.Record{SessionID: ids[i], Type: journal.TypeSessionEnded}
	}
	for _, o := range s.observers {
		if o.SessionsEnded != nil {
			o.SessionsEnded(ids...)
		}
	}
	s.mu.Lock()
	maps.DeleteFunc(s.byCaller, func(of Caller, _ *dispatch.Session) bool { return ended[LogID(of)] })
	s.mu.Unlock()
	s.Path.Policy.EndSessions(ids...)
	s.Path.Approvals.EndSessions(ids...)
	return errors.Join(s.Tasks.EndSessions(ids...), s.Buffer.EndSessions(ids...), s.Path.Journal.Append(ctx, records...))
}

// Named returns the sessions that have a name, by id.
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

// Handlers returns the handlers of this package by the names of their primitives.
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

		"agent.done": agentDone,

		"runtime.configure_pacing":      s.configurePacing,
		"runtime.session.log":           s.sessionLog,
		"runtime.session.name":          s.sessionName,
		"runtime.session.finalize_tabs": s.finalizeTabs,
	}
}
