// Package clarify holds the questions that models ask the user, until the user
// answers, the time is over or the asking call ends.
//
// Rules of this package:
//   - Only a person answers, in a page of the extension: no call and no client can.
//   - No answer is no consent: a question that is left, or closed unanswered, says so.
//   - One question of a session is open at a time. A second one is refused and not
//     kept waiting: its time would run before anybody sees it.
//   - A question is asked only where something of the extension can show it now.
//   - Answers are kept nowhere: they go to the call that asked.
package clarify

import (
	"cmp"
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
)

const (
	// TTL is how long a question stays open.
	TTL = 60 * time.Second

	idLength = 8
)

// Question is one that waits for the user. Its words are the model's.
type Question struct {
	ID        string    `json:"id"`
	ExpiresAt time.Time `json:"expires_at"`
	Session   string    `json:"session"` // the kind
	SessionID string    `json:"session_id"`
	Caller    string    `json:"caller,omitzero"` // the session's name for people
	Text      string    `json:"question"`
	Options   []string  `json:"options"` // none: the user types
}

// Answer is what became of a question.
type Answer struct {
	Answered    bool   `json:"answered"`
	Answer      string `json:"answer,omitzero"`
	OptionIndex *int   `json:"option_index,omitempty"` // nil for a typed answer
}

// Questions holds the open questions of one profile. Its fields are set once, before the
// first question; its methods are safe for concurrent use.
type Questions struct {
	// CanShow reports whether something of the extension can show a question now.
	CanShow func(ctx context.Context) bool
	// Changed is called when a question was asked or has come to its end. It must not
	// block.
	Changed func()

	mu   sync.Mutex
	open map[string]*waiting // by the ID of the question
}

type waiting struct {
	Question
	answer chan Answer // takes one
}

// Ask shows the question and waits for its answer; its ID and its end are set here. The fault
// is clarify_unavailable where nothing can show it, and rate_limited while another one of the
// session is open.
func (q *Questions) Ask(ctx context.Context, question Question) (Answer, error) {
	if !q.CanShow(ctx) {
		if err := ctx.Err(); err != nil {
			return Answer{}, fault.From(err).WithDispatched(fault.NotDispatched)
		}
		return Answer{}, fault.New(fault.ClarifyUnavailable, "neither the popup nor a pane of the extension is open to show the question").
			WithDispatched(fault.NotDispatched)
	}
	asked, err := q.begin(ctx, question)
	if err != nil {
		return Answer{}, err
	}
	timer := time.NewTimer(TTL)
	defer timer.Stop()
	select {
	case answer := <-asked.answer:
		return answer, nil
	case <-timer.C:
	case <-ctx.Done():
		err = fault.From(ctx.Err())
	}
	if !q.end(asked.ID) {
		return <-asked.answer, nil // the user was a moment faster
	}
	return Answer{}, err
}

// begin opens the question, unless its session has one.
func (q *Questions) begin(ctx context.Context, question Question) (*waiting, error) {
	now := time.Now()
	question.ID, question.ExpiresAt = strings.ToLower(rand.Text()[:idLength]), now.Add(TTL)
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(question.ExpiresAt) {
		question.ExpiresAt = deadline
	}
	question.Options = append([]string{}, question.Options...)
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, other := range q.open {
		if other.SessionID == question.SessionID {
			return nil, fault.New(fault.RateLimited, "another question of this session is open").
				With("retry_after_ms", other.ExpiresAt.Sub(now).Milliseconds()).
				WithNextStep("Wait until the question that is open is answered or its time is over, then ask this one.").
				WithDispatched(fault.NotDispatched)
		}
	}
	if q.open == nil {
		q.open = map[string]*waiting{}
	}
	asked := &waiting{question, make(chan Answer, 1)}
	q.open[asked.ID] = asked
	q.changed()
	return asked, nil
}

// end closes the question; it reports whether it was open.
func (q *Questions) end(id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, ok := q.open[id]
	delete(q.open, id)
	if ok {
		q.changed()
	}
	return ok
}

// List returns the open questions, the oldest first.
func (q *Questions) List() []Question {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := make([]Question, 0, len(q.open))
	for _, asked := range q.open {
		list = append(list, asked.Question)
	}
	slices.SortFunc(list, func(x, y Question) int {
		return cmp.Or(x.ExpiresAt.Compare(y.ExpiresAt), cmp.Compare(x.ID, y.ID))
	})
	return list
}

// changed reports the change, outside of the lock: the function that is called asks
// for the list.
func (q *Questions) changed() {
	if q.Changed != nil {
		go q.Changed()
	}
}
