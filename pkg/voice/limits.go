package voice

import (
	"fmt"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// maxDone bounds what the end of a task says of what was done, in bytes.
const maxDone = 1000

// Limits bound what one message of the user leads to. The zero value has none.
type Limits struct {
	// Steps is how many responses may follow.
	Steps int
	// Duration is how long they, and the tools between them, may take.
	Duration time.Duration
}

// task is what follows from the user's last message.
type task struct {
	began       time.Time // zero before the first message
	steps       int
	done        []string // its tools, with what came of them
	stopped     bool     // at a limit
	interrupted bool     // by the user, after whom nothing was requested
}

func (t *task) add(o Outcome) {
	line := o.Name
	if !o.OK {
		line += " (" + o.Code + ")"
	}
	t.done = append(t.done, line)
}

// over returns why the task may not go on; nil if it may.
func (t *task) over(l Limits, now time.Time) *fault.Error {
	took := now.Sub(t.began)
	reached := ""
	switch {
	case l.Steps > 0 && t.steps >= l.Steps:
		reached = fmt.Sprintf("%d steps", l.Steps)
	case l.Duration > 0 && !t.began.IsZero() && took >= l.Duration:
		reached = l.Duration.String()
	default:
		return nil
	}
	done := "nothing"
	if len(t.done) > 0 {
		done = truncate.Bytes(strings.Join(t.done, ", "), maxDone)
	}
	return fault.New(fault.StepLimitReached, "the task was ended at its limit of %s; done was: %s", reached, done).
		With("steps", t.steps).With("seconds", int(took.Seconds())).With("done", t.done)
}

// followUp requests the response that follows tool calls, before those that wait, unless the
// task is at its limit.
func (s *Session) followUp(request string) {
	if f := s.task.over(s.options.Limits, time.Now()); f != nil {
		s.endTask(f, request)
		return
	}
	s.gate.requeue(responseRequest{id: request, textOnly: s.state.TextOnly || s.textOnly(request)})
}

// checkDuration ends a task that takes too long, whatever it is doing.
func (s *Session) checkDuration(now time.Time) {
	if s.options.Limits.Duration == 0 || s.task.stopped || !s.unanswered() {
		return
	}
	f := s.task.over(Limits{Duration: s.options.Limits.Duration}, now)
	if f == nil {
		return
	}
	request := s.gate.current.id
	for _, a := range s.gate.waiting {
		s.failWaiter(a.id, f)
	}
	s.gate.waiting = nil
	s.interrupt()
	s.endTask(f, request)
}

// endTask ends a task at its limit: the user and the model read why.
func (s *Session) endTask(f *fault.Error, request string) {
	s.task.stopped = true
	s.options.Observer.LogEvent(string(f.Code), f)
	s.options.Observer.RowChanged(Row{ID: "limit:" + newID(), Role: "note", Text: f.Message, Code: string(f.Code), NextStep: f.NextStep, Done: true})
	s.addItem(Item{Message: &Message{"system", "The host ended the task: " + f.Message + ". Go on only when the user says so."}})
	s.failWaiter(request, f)
}
