package clarify

import (
	"strings"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// maxAnswer is how many characters the user may type.
const maxAnswer = 2000

// Reply is what the user did with a question: chose an option, typed a text, or neither,
// which closes it unanswered.
type Reply struct {
	Option int // from 1; 0 is none
	Text   string
}

// Answer closes an open question for the user. The fault is invalid_input where it is not
// open, or the reply does not fit it, which leaves it open.
func (q *Questions) Answer(id string, r Reply) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	asked, ok := q.open[id]
	if !ok {
		return fault.New(fault.InvalidInput, "this question is no longer open").
			WithNextStep("Tell the agent in your own words.").WithDispatched(fault.NotDispatched)
	}
	answer, err := asked.answerOf(r)
	if err != nil {
		return fault.From(err).WithDispatched(fault.NotDispatched)
	}
	delete(q.open, id)
	asked.answer <- answer
	q.changed()
	return nil
}

// Leave closes the question of a session unanswered, if one is open: the user has written to it
// instead.
func (q *Questions) Leave(sessionID string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for id, asked := range q.open {
		if asked.SessionID == sessionID {
			delete(q.open, id)
			asked.answer <- Answer{}
			q.changed()
		}
	}
}

// answerOf returns the answer that the reply is to the question.
func (q Question) answerOf(r Reply) (Answer, error) {
	typed := strings.TrimSpace(r.Text) != ""
	switch {
	case r == Reply{}:
		return Answer{}, nil
	case r.Option != 0 && r.Text != "":
		return Answer{}, fault.New(fault.InvalidInput, "an answer is an option or a text, not both")
	case r.Option != 0 && (r.Option < 0 || r.Option > len(q.Options)):
		return Answer{}, fault.New(fault.InvalidInput, "the question has %d options, and none with the number %d", len(q.Options), r.Option)
	case r.Option != 0:
		return Answer{Answered: true, Answer: q.Options[r.Option-1], OptionIndex: new(r.Option - 1)}, nil
	case len(q.Options) > 0:
		return Answer{}, fault.New(fault.InvalidInput, "the question is answered by one of its options")
	case !typed:
		return Answer{}, fault.New(fault.InvalidInput, "the answer has no words")
	case utf8.RuneCountInString(r.Text) > maxAnswer:
		return Answer{}, fault.New(fault.InvalidInput, "the answer has more than %d characters", maxAnswer)
	}
	return Answer{Answered: true, Answer: r.Text}, nil
}
