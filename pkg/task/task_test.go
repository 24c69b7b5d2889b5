package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/test/database"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/kv"
)

var here = Key{Session: "cli", TabID: 7}

// clock is a clock that a test turns.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func open(t testing.TB, c *clock) (*Queues, *bbolt.DB) {
	t.Helper()
	db := database.New(t)
	q, err := Open(db, c.now)
	if err != nil {
		t.Fatal(err)
	}
	return q, db
}

func wantCode(t testing.TB, err error, code fault.Code) {
	t.Helper()
	if f := fault.From(err); f == nil || f.Code != code || f.Dispatched != fault.NotDispatched {
		t.Errorf("want %s, nothing dispatched; got %v", code, err)
	}
}

func ids(tasks []Task) []string {
	var all []string
	for _, t := range tasks {
		all = append(all, t.ID+" "+string(t.Status))
	}
	return all
}

func TestLifeOfAQueue(t *testing.T) {
	// Ensure that tasks come in order, are completed with and without a name, and that a begun one comes again before those that wait.
	q, _ := open(t, &clock{})
	added, summary, err := q.Add(here, "one", "two", "three")
	if err != nil || len(added) != 3 || summary.Pending != 3 {
		t.Fatalf("%v %+v %v", added, summary, err)
	}
	wantNext := func(id string, remaining int) {
		t.Helper()
		got, left, done, _, err := q.Next(here)
		if err != nil || got.ID != id || left != remaining || done != (id == "") || id != "" && got.Status != InProgress {
			t.Fatalf("next gave %+v, %d left, done %v, %v", got, left, done, err)
		}
	}
	wantNext("task-1", 2)
	wantNext("task-1", 2) // begun, not completed
	if got, _, err := q.Complete(here, "", Done, json.RawMessage(`{"n":1}`)); err != nil || got.ID != "task-1" || string(got.Result) != `{"n":1}` {
		t.Fatalf("completed %+v, %v", got, err)
	}
	wantNext("task-2", 1)
	if _, _, err := q.Complete(here, "task-3", Failed, nil); err != nil {
		t.Fatal(err)
	}
	wantNext("task-2", 0)
	if got, summary, err := q.Complete(here, "", "", nil); err != nil || got.ID != "task-2" || summary.Completed != 2 || summary.Failed != 1 || summary.Pending != 0 {
		t.Fatalf("%+v %+v %v", got, summary, err)
	}
	wantNext("", 0)
	_, _, err = q.Complete(here, "", Done, nil)
	wantCode(t, err, fault.NoActiveTask)
	_, _, err = q.Complete(here, "task-9", Done, nil)
	wantCode(t, err, fault.UnknownTask)
	if got, _, err := q.Complete(here, "task-3", Done, nil); err != nil || got.Status != Done {
		t.Errorf("a finished task completed again: %+v %v", got, err)
	}
	if summary, err := q.Clear(here); err != nil || summary.Total != 0 || summary.Tasks == nil {
		t.Errorf("cleared: %+v %v", summary, err)
	}
	if added, _, err := q.Add(here, "again"); err != nil || added[0].ID != "task-4" {
		t.Errorf("an old id means another task: %+v %v", added, err)
	}
}

func TestSeveralInProgress(t *testing.T) {
	// Ensure that a queue which an earlier version left with two tasks in progress gives both of them in order before those that wait, and that completing without a name ends the one that was given last.
	for name, completed := range map[string][]string{
		"next first":     {"task-1", "task-2"},
		"complete first": {"task-2", "task-1"}, // task-2 was given last
	} {
		t.Run(name, func(t *testing.T) {
			q, _ := open(t, &clock{})
			if _, _, err := q.Add(here, "one", "two", "three"); err != nil {
				t.Fatal(err)
			}
			err := q.change(here, func(b queue) error { // what the earlier version did at the second task.next
				for _, task := range b.tasks()[:2] {
					task.Status = InProgress
					if err := errors.Join(b.put(task), b.setActive(task.ID)); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			complete := func(want string) {
				t.Helper()
				if got, _, err := q.Complete(here, "", Done, nil); err != nil || got.ID != want {
					t.Errorf("completed %+v, %v; want %s", got, err, want)
				}
			}
			if name == "complete first" {
				complete(completed[0])
				completed = completed[1:]
			}
			for i, want := range append(completed, "task-3") {
				if got, _, _, _, err := q.Next(here); err != nil || got.ID != want {
					t.Errorf("task %d is %+v, %v; want %s", i, got, err, want)
				}
				complete(want)
			}
			if _, _, done, _, err := q.Next(here); err != nil || !done {
				t.Errorf("done %v, %v", done, err)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	// Ensure that what is too much or nothing is refused and leaves the queue as it was.
	q, _ := open(t, &clock{})
	for _, texts := range [][]string{nil, {""}, {" \n"}, {"ok", ""}, {strings.Repeat("x", MaxText+1)}} {
		_, _, err := q.Add(here, texts...)
		wantCode(t, err, fault.InvalidTask)
	}
	if _, _, err := q.Add(here, slices.Repeat([]string{strings.Repeat("x", MaxText)}, MaxTasks)...); err != nil {
		t.Fatal(err)
	}
	_, _, err := q.Add(here, "one more")
	wantCode(t, err, fault.TaskLimitReached)
	_, _, err = q.Complete(here, "task-1", Done, json.RawMessage(`"`+strings.Repeat("x", MaxResult)+`"`))
	wantCode(t, err, fault.InvalidTask)
	if s, err := q.List(here); err != nil || s.Total != MaxTasks || s.Pending != MaxTasks {
		t.Errorf("%d tasks, %d pending, %v", s.Total, s.Pending, err)
	}
}

func TestQueuesEnd(t *testing.T) {
	// Ensure that a queue ends with its tab, its session, its browser and after a week, and that no other one does.
	c := &clock{at: time.Unix(1e9, 0)}
	q, _ := open(t, c)
	keys := []Key{{"cli", 1}, {"cli", 2}, {"mcp:a", 1}, {"mcp:b", 2}}
	fill := func() {
		t.Helper()
		if err := q.Begin("browser", []int{1, 2}); err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			if s, err := q.List(key); err != nil || s.Total > 0 {
				continue
			}
			if _, _, err := q.Add(key, "x"); err != nil {
				t.Fatal(err)
			}
		}
	}
	left := func() (left []Key) {
		t.Helper()
		for _, key := range keys {
			s, err := q.List(key)
			if err != nil {
				t.Fatal(err)
			}
			if s.Total > 0 {
				left = append(left, key)
			}
		}
		return left
	}
	for name, step := range map[string]struct {
		end  func() error
		want []Key
	}{
		"tab":           {func() error { return q.DropTab(1) }, []Key{keys[1], keys[3]}},
		"session":       {func() error { _, err := q.EndSession("cli"); return err }, keys[2:]},
		"same browser":  {func() error { return q.Begin("browser", []int{1, 2}) }, keys},
		"a closed tab":  {func() error { return q.Begin("browser", []int{2}) }, []Key{keys[1], keys[3]}},
		"other browser": {func() error { return q.Begin("another", []int{1, 2}) }, nil},
		"a week":        {func() error { c.at = c.at.Add(TTL + time.Second); return nil }, nil},
	} {
		fill()
		if err := step.end(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, left()); diff != "" {
			t.Errorf("%s (-want +left):\n%s", name, diff)
		}
	}
	fill()
	if tabs, err := q.EndSession("cli"); err != nil || !slices.Equal(tabs, []int{1, 2}) {
		t.Errorf("ended tabs %v, %v", tabs, err)
	}
}

func TestSurvivesReopening(t *testing.T) {
	// Ensure that a queue is the same in the next process.
	c := &clock{at: time.Unix(1e9, 0)}
	q, db := open(t, c)
	if _, _, err := q.Add(here, "a", "b"); err != nil {
		t.Fatal(err)
	}
	if _, _, _, _, err := q.Next(here); err != nil {
		t.Fatal(err)
	}
	again, err := Open(db, c.now)
	if err != nil {
		t.Fatal(err)
	}
	s, err := again.List(here)
	if diff := cmp.Diff([]string{"task-1 in_progress", "task-2 pending"}, ids(s.Tasks)); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

// Ensure that any run of calls leaves the queue as a plain list would be.
func TestModel(t *testing.T) {
	q, _ := open(t, &clock{at: time.Unix(1e9, 0)})
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		key := Key{Session: fmt.Sprint("s", run), TabID: 1}
		var model []Task
		number, last := 0, ""
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				text := rapid.StringN(0, 3, 9).Draw(t, "text")
				_, _, err := q.Add(key, text)
				if strings.TrimSpace(text) == "" {
					wantFault(t, err, fault.InvalidTask)
					return
				}
				number++
				model = append(model, Task{ID: fmt.Sprint("task-", number), Text: strings.ToValidUTF8(text, "\ufffd"), Status: Pending})
			},
			"next": func(t *rapid.T) {
				got, _, done, _, err := q.Next(key)
				at := first(model, InProgress)
				if at < 0 {
					at = first(model, Pending)
				}
				if err != nil || done != (at < 0) {
					t.Fatalf("done %v, %v", done, err)
				}
				if at >= 0 {
					model[at].Status = InProgress
					last = got.ID
					if got.ID != model[at].ID {
						t.Fatalf("gave %s, want %s", got.ID, model[at].ID)
					}
				}
			},
			"complete": func(t *rapid.T) {
				id := rapid.SampledFrom([]string{"", "task-1", "task-2", "task-x"}).Draw(t, "id")
				status := rapid.SampledFrom([]Status{Done, Failed}).Draw(t, "status")
				_, _, err := q.Complete(key, id, status, nil)
				at := indexOf(model, id)
				switch {
				case id == "":
					if at = active(model, last); at < 0 {
						wantFault(t, err, fault.NoActiveTask)
						return
					}
				case at < 0:
					wantFault(t, err, fault.UnknownTask)
					return
				}
				model[at].Status = status
			},
			"clear": func(t *rapid.T) {
				if _, err := q.Clear(key); err != nil {
					t.Fatal(err)
				}
				model = nil
			},
			"": func(t *rapid.T) {
				got, err := q.List(key)
				want := summarize(model)
				for i := range got.Tasks {
					got.Tasks[i].Result = nil // null
				}
				if diff := cmp.Diff(want, got, cmp.Transformer("empty", func(t []Task) []Task { return append([]Task{}, t...) })); err != nil || diff != "" {
					t.Fatalf("%v (-model +queue):\n%s", err, diff)
				}
			},
		})
	})
}

func wantFault(t *rapid.T, err error, code fault.Code) {
	if !fault.Is(err, code) {
		t.Fatalf("want %s, got %v", code, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(kv.Int(1), []byte(`{"id":"task-1","text":"x","status":"done","result":null}`))
	f.Add(kv.Int(uint64(1<<63)), []byte(`{"id":"","text":"","status":"pending","result":{"a":[1]}}`))
	f.Add([]byte("active"), []byte(`{}`))
	// Ensure that whatever stands in the file is a whole task or none, and stays the same when it is stored again.
	f.Fuzz(func(t *testing.T, key, value []byte) {
		task, ok := decode(key, value)
		if !ok {
			return
		}
		text, err := json.Marshal(task)
		if err != nil {
			t.Fatalf("%s was read and cannot be written: %v", value, err)
		}
		again, ok := decode(key, text)
		if diff := cmp.Diff(task, again); !ok || diff != "" {
			t.Fatalf("%s became %s: %s", value, text, diff)
		}
	})
}

func BenchmarkAddNext(b *testing.B) {
	q, _ := open(b, &clock{})
	for b.Loop() {
		if _, _, err := q.Add(here, "a task"); err != nil {
			b.Fatal(err)
		}
		if _, _, _, _, err := q.Next(here); err != nil {
			b.Fatal(err)
		}
		if _, err := q.Clear(here); err != nil {
			b.Fatal(err)
		}
	}
}
