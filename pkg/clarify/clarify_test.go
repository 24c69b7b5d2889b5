package clarify

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// asked is the result of a question.
type asked struct {
	answer Answer
	err    error
}

// tea asks for a kind of tea in the background.
func tea(ctx context.Context, q *Questions, session string, options ...string) <-chan asked {
	done := make(chan asked, 1)
	go func() {
		answer, err := q.Ask(ctx, Question{Session: "mcp", SessionID: session, Text: "Which tea?", Options: options})
		done <- asked{answer, err}
	}()
	synctest.Wait()
	return done
}

func newQuestions() *Questions {
	return &Questions{CanShow: func(context.Context) bool { return true }}
}

func TestAnswers(t *testing.T) {
	// Ensure that each reply which fits a question ends it with that answer, and that one which does not leaves it open.
	long := strings.Repeat("茶", maxAnswer)
	for _, test := range []struct {
		options []string
		reply   Reply
		want    string // empty: refused
	}{
		{[]string{"Sencha", "Gyokuro"}, Reply{Option: 1}, `{"answered":true,"answer":"Sencha","option_index":0}`},
		{[]string{"Sencha", "Gyokuro"}, Reply{Option: 2}, `{"answered":true,"answer":"Gyokuro","option_index":1}`},
		{[]string{"Sencha", "Gyokuro"}, Reply{Option: 3}, ""},
		{[]string{"Sencha", "Gyokuro"}, Reply{Option: -1}, ""},
		{[]string{"Sencha", "Gyokuro"}, Reply{Text: "Sencha"}, ""},
		{[]string{"Sencha", "Gyokuro"}, Reply{Option: 1, Text: "Sencha"}, ""},
		{[]string{"Sencha", "Gyokuro"}, Reply{}, `{"answered":false}`},
		{nil, Reply{Text: " the green one\n"}, `{"answered":true,"answer":" the green one\n"}`},
		{nil, Reply{Text: long}, `{"answered":true,"answer":"` + long + `"}`},
		{nil, Reply{Text: long + "!"}, ""},
		{nil, Reply{Text: " \n\t "}, ""},
		{nil, Reply{Option: 1}, ""},
		{nil, Reply{}, `{"answered":false}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := newQuestions()
			done := tea(t.Context(), q, "mcp", test.options...)
			id := q.List()[0].ID
			err := q.Answer(id, test.reply)
			if test.want == "" {
				if !fault.Is(err, fault.InvalidInput) || len(q.List()) != 1 {
					t.Errorf("%v %+v: %v", test.options, test.reply, err)
				}
				if err := q.Answer(id, Reply{}); err != nil {
					t.Error(err)
				}
				<-done
				return
			}
			got := <-done
			if err != nil || got.err != nil {
				t.Fatal(err, got.err)
			}
			if raw, err := json.Marshal(got.answer); err != nil || string(raw) != test.want {
				t.Errorf("%v %+v: %s, %v", test.options, test.reply, raw, err)
			}
			if err := q.Answer(id, test.reply); !fault.Is(err, fault.InvalidInput) || len(q.List()) != 0 {
				t.Errorf("a second answer: %v", err)
			}
		})
	}
}

func TestTimeIsOver(t *testing.T) {
	// Ensure that a question which nobody answers is open for 60 s, not a moment less or more, and ends without an answer and without an error.
	synctest.Test(t, func(t *testing.T) {
		q := newQuestions()
		done := tea(t.Context(), q, "mcp")
		if left := time.Until(q.List()[0].ExpiresAt); left != time.Minute {
			t.Errorf("it is open for %v", left)
		}
		time.Sleep(TTL - time.Nanosecond)
		synctest.Wait()
		if len(q.List()) != 1 {
			t.Error("it was closed early")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if got := <-done; got.err != nil || got.answer != (Answer{}) || len(q.List()) != 0 {
			t.Errorf("it ended with %+v", got)
		}
	})
}

func TestCallEnds(t *testing.T) {
	// Ensure that a question ends with its call, cancelled or out of time, that its time is then shown as the call's, and that the session may ask again.
	synctest.Test(t, func(t *testing.T) {
		q := newQuestions()
		ctx, cancel := context.WithCancel(t.Context())
		done := tea(ctx, q, "mcp")
		cancel()
		if got := <-done; !fault.Is(got.err, fault.Cancelled) || len(q.List()) != 0 {
			t.Errorf("a cancelled call: %v", got.err)
		}
		ctx, cancel = context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		done = tea(ctx, q, "mcp")
		if left := time.Until(q.List()[0].ExpiresAt); left != 5*time.Second {
			t.Errorf("it is shown for %v", left)
		}
		if got := <-done; !fault.Is(got.err, fault.HandlerTimeout) || len(q.List()) != 0 {
			t.Errorf("a call of 5 s: %v", got.err)
		}
	})
}

func TestOneAtATime(t *testing.T) {
	// Ensure that a second question of a session is refused at once with the time to wait, and that one of another session is not.
	synctest.Test(t, func(t *testing.T) {
		q := newQuestions()
		first := tea(t.Context(), q, "mcp:a")
		time.Sleep(20 * time.Second)
		refused := <-tea(t.Context(), q, "mcp:a")
		f := fault.From(refused.err)
		if f == nil || f.Code != fault.RateLimited || f.Dispatched != fault.NotDispatched || f.Evidence["retry_after_ms"] != int64(40_000) {
			t.Errorf("a second question: %+v", f)
		}
		second := tea(t.Context(), q, "mcp:b")
		list := q.List()
		if len(list) != 2 || list[0].SessionID != "mcp:a" || list[1].SessionID != "mcp:b" {
			t.Fatalf("open are %+v", list)
		}
		for _, open := range list {
			if err := q.Answer(open.ID, Reply{Text: open.SessionID}); err != nil {
				t.Error(err)
			}
		}
		if got := <-first; got.answer.Answer != "mcp:a" {
			t.Errorf("the first has %+v", got)
		}
		if got := <-second; got.answer.Answer != "mcp:b" {
			t.Errorf("the other session has %+v", got)
		}
		again := tea(t.Context(), q, "mcp:a")
		if err := q.Answer(q.List()[0].ID, Reply{}); err != nil {
			t.Error(err)
		}
		if got := <-again; got.err != nil {
			t.Errorf("once the first is answered: %v", got.err)
		}
	})
}

func TestLeave(t *testing.T) {
	// Ensure that a question which the user leaves by writing something else ends unanswered, and no other session's does.
	synctest.Test(t, func(t *testing.T) {
		q := newQuestions()
		left, other := tea(t.Context(), q, "mcp:a"), tea(t.Context(), q, "mcp:b")
		q.Leave("mcp:a")
		q.Leave("mcp:c")
		if got := <-left; got.err != nil || got.answer.Answered {
			t.Errorf("it ended with %+v", got)
		}
		if list := q.List(); len(list) != 1 || list[0].SessionID != "mcp:b" {
			t.Errorf("open are %+v", list)
		}
		q.Leave("mcp:b")
		<-other
	})
}

func TestAnswerInTheLastMoment(t *testing.T) {
	// Ensure that an answer which was accepted is not lost when the call has just ended.
	synctest.Test(t, func(t *testing.T) {
		q := newQuestions()
		ctx, cancel := context.WithCancel(t.Context())
		done := tea(ctx, q, "mcp")
		id := q.List()[0].ID
		q.mu.Lock()
		cancel() // the call wakes and waits for the lock
		accepted := q.open[id]
		delete(q.open, id)
		accepted.answer <- Answer{Answered: true, Answer: "Sencha"}
		q.mu.Unlock()
		if got := <-done; got.err != nil || got.answer.Answer != "Sencha" {
			t.Errorf("the call has %+v", got)
		}
	})
}

func TestNowhereToShow(t *testing.T) {
	// Ensure that a question which nothing can show is refused and never opened, and that a call which ended meanwhile says that instead.
	q := &Questions{CanShow: func(context.Context) bool { return false }, Changed: func() { t.Error("a question was opened") }}
	limited, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	_, err := q.Ask(limited, Question{SessionID: "mcp"})
	if f := fault.From(err); f == nil || f.Code != fault.ClarifyUnavailable || f.Dispatched != fault.NotDispatched {
		t.Errorf("nothing can show it: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Ask(ended, Question{SessionID: "mcp"}); !fault.Is(err, fault.Cancelled) {
		t.Errorf("a call that ended: %v", err)
	}
}

func TestChanges(t *testing.T) {
	// Ensure that each opening and each end is reported when the list has it already.
	synctest.Test(t, func(t *testing.T) {
		lists := make(chan int, 8)
		q := newQuestions()
		q.Changed = func() { lists <- len(q.List()) }
		wants := func(want int) {
			t.Helper()
			if got := <-lists; got != want {
				t.Errorf("reported was a list of %d, not %d", got, want)
			}
		}
		done := tea(t.Context(), q, "mcp")
		wants(1)
		if err := q.Answer(q.List()[0].ID, Reply{Text: "Sencha"}); err != nil {
			t.Error(err)
		}
		wants(0)
		<-done
		done = tea(t.Context(), q, "mcp")
		wants(1)
		<-done
		wants(0)
		if synctest.Wait(); len(lists) > 0 {
			t.Error("more was reported")
		}
	})
}

// session is the caller of a handler.
type session struct{ primitive.Session }

func (session) Kind() string      { return "mcp" }
func (session) SessionID() string { return "mcp:k3fj" }
func (session) Name() string      { return "Claude Code" }

func TestHandler(t *testing.T) {
	// Ensure that the question stands in the list with its words, its options and who asks, and that the output is what the record says.
	synctest.Test(t, func(t *testing.T) {
		record, ok := primitive.Load().Public("user.clarify")
		if !ok {
			t.Fatal("there is no record")
		}
		q := newQuestions()
		handler := q.Handlers()[record.Name]
		for _, reply := range []Reply{{Option: 2}, {}} {
			args := json.RawMessage(`{"question":"<b>Which?</b>","options":["<i>Sencha</i>","Gyokuro"]}`)
			if err := record.CheckInput(args); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() {
				output, err := handler(t.Context(), primitive.Call{Record: record, Arguments: args, Session: session{}})
				done <- errors.Join(err, record.CheckOutput(output))
			}()
			synctest.Wait()
			open := q.List()[0]
			if open.Text != "<b>Which?</b>" || len(open.Options) != 2 || open.Options[0] != "<i>Sencha</i>" || open.Session != "mcp" || open.SessionID != "mcp:k3fj" || open.Caller != "Claude Code" {
				t.Errorf("open is %+v", open)
			}
			if err := q.Answer(open.ID, reply); err != nil {
				t.Error(err)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}
