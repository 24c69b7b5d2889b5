package fairqueue

import (
	"context"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// model is a queue as one list: who waits, in the order in which they came.
type model struct {
	free    int
	turns   []int
	waiting []entry
}

type entry struct{ group, id int }

func (m *model) join(e entry) (entered bool) {
	if m.free > 0 {
		m.free--
		return true
	}
	if !slices.ContainsFunc(m.waiting, func(o entry) bool { return o.group == e.group }) {
		m.turns = append(m.turns, e.group)
	}
	m.waiting = append(m.waiting, e)
	return false
}

func (m *model) leave(e entry) {
	m.waiting = slices.DeleteFunc(m.waiting, func(o entry) bool { return o == e })
	if !slices.ContainsFunc(m.waiting, func(o entry) bool { return o.group == e.group }) {
		m.turns = slices.DeleteFunc(m.turns, func(g int) bool { return g == e.group })
	}
}

// next returns who gets the place that is given back.
func (m *model) next() (entry, bool) {
	if len(m.turns) == 0 {
		m.free++
		return entry{}, false
	}
	group := m.turns[0]
	m.turns = m.turns[1:]
	first := m.waiting[slices.IndexFunc(m.waiting, func(o entry) bool { return o.group == group })]
	m.leave(first)
	if slices.ContainsFunc(m.waiting, func(o entry) bool { return o.group == group }) {
		m.turns = append(m.turns, group)
	}
	return first, true
}

func TestQueueAgainstModel(t *testing.T) {
	// Ensure that places go round the groups as a plain model of one list has it, also when those who wait give up, and that all places are back in the end.
	rapid.Check(t, func(t *rapid.T) {
		places := rapid.IntRange(1, 3).Draw(t, "places")
		q, m := New[int](places), &model{free: places}
		entered := make(chan entry)
		cancels, left := map[entry]context.CancelFunc{}, make(chan entry)
		var held []func()
		var mu sync.Mutex
		hold := func(release func()) {
			mu.Lock()
			held = append(held, release)
			mu.Unlock()
		}
		give := func() {
			mu.Lock()
			release := held[0]
			held = held[1:]
			mu.Unlock()
			want, some := m.next()
			release()
			if !some {
				return
			}
			if got := <-entered; got != want {
				t.Fatalf("%+v got the place, not %+v", got, want)
			}
			delete(cancels, want)
		}
		for id := range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "step") {
			case 0, 1:
				e := entry{rapid.IntRange(0, 3).Draw(t, "group"), id}
				if m.join(e) {
					release, err := q.Acquire(t.Context(), e.group)
					if err != nil {
						t.Fatal(err)
					}
					hold(release)
					continue
				}
				ctx, cancel := context.WithCancel(t.Context())
				cancels[e] = cancel
				before := q.count()
				go func() {
					release, err := q.Acquire(ctx, e.group)
					if err != nil {
						left <- e
						return
					}
					hold(release)
					entered <- e
				}()
				for q.count() == before { // it stands in the queue before the next step
				}
			case 2:
				if len(held) > 0 {
					give()
				}
			case 3:
				if len(m.waiting) > 0 {
					e := m.waiting[rapid.IntRange(0, len(m.waiting)-1).Draw(t, "who")]
					m.leave(e)
					cancels[e]()
					delete(cancels, e)
					if got := <-left; got != e {
						t.Fatalf("%+v left, not %+v", got, e)
					}
				}
			}
		}
		for len(held) > 0 {
			give()
		}
		if q.free != places || len(q.turns) != 0 || len(q.waiting) != 0 {
			t.Fatalf("in the end %d of %d places are free, %v wait", q.free, places, q.turns)
		}
	})
}

func (q *Queue[K]) count() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for _, group := range q.waiting {
		n += len(group)
	}
	return n
}

func TestGivingUpInTheSameMoment(t *testing.T) {
	// Ensure that a place which comes in the very moment in which its waiter gives up is not lost.
	q := New[int](1)
	for range 2000 {
		release, err := q.Acquire(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			if release, err := q.Acquire(ctx, 1); err == nil {
				release()
			}
		}()
		go cancel()
		release()
		<-done
	}
	if q.free != 1 {
		t.Errorf("%d places are free", q.free)
	}
}
