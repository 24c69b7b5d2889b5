// Package task holds the task queues: the to-do list that an agent keeps for a tab.
//
// Rules of this package:
//   - One queue for each session and claimed tab. It survives navigation and
//     restarts, and ends when the tab is released or closed, when the session
//     ends, or after a week in which nobody changed it.
//   - Tab ids belong to one run of a browser: no queue carries over to another.
//   - A method returns only what is on disk.
//   - Stored text that cannot be read costs that task, never the queue.
package task

import (
	"encoding/json"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/kv"
)

// Limits of a queue.
const (
	MaxTasks  = 500
	MaxText   = 4 << 10            // bytes of a task's text
	MaxResult = 16 << 10           // bytes of a task's result, as JSON
	TTL       = 7 * 24 * time.Hour // since the last change of the queue
)

// Status is the progress of a task.
type Status string

// The four statuses.
const (
	Pending    Status = "pending"
	InProgress Status = "in_progress"
	Done       Status = "done"
	Failed     Status = "failed"
)

// Task is one thing to do.
type Task struct {
	ID     string          `json:"id"` // task-1, task-2, … within its queue
	Text   string          `json:"text"`
	Status Status          `json:"status"`
	Result json.RawMessage `json:"result"` // null until it is completed with one
}

// Summary is a queue at a glance.
type Summary struct {
	Total     int    `json:"total"`
	Completed int    `json:"completed"`
	Failed    int    `json:"failed"`
	Pending   int    `json:"pending"` // those in progress too
	Tasks     []Task `json:"tasks"`
}

// Key names a queue.
type Key struct {
	Session string
	TabID   int
}

// Queues holds all queues of a profile. Its methods are safe for concurrent use.
type Queues struct {
	db  kv.DB
	now func() time.Time
}

// Open opens the queues of a database, whose owner closes it. A nil now is
// time.Now. The fault is storage_unavailable.
func Open(db *bbolt.DB, now func() time.Time) (*Queues, error) {
	if now == nil {
		now = time.Now
	}
	q := &Queues{db: kv.DB{Bolt: db, What: "the task queues"}, now: now}
	return q, q.db.CreateBuckets(bucketTasks)
}

// Add puts tasks at the end of a queue, all of them or none. The faults are
// invalid_task and task_limit_reached.
func (q *Queues) Add(key Key, texts ...string) (added []Task, summary Summary, err error) {
	if len(texts) == 0 {
		return nil, Summary{}, fault.New(fault.InvalidTask, "there is no task to add").WithDispatched(fault.NotDispatched)
	}
	for i, text := range texts {
		switch {
		case strings.TrimSpace(text) == "":
			return nil, Summary{}, fault.New(fault.InvalidTask, "the text of task %d is empty", i+1).WithDispatched(fault.NotDispatched)
		case len(text) > MaxText:
			return nil, Summary{}, fault.New(fault.InvalidTask, "the text of task %d has %d bytes; %d are allowed", i+1, len(text), MaxText).
				With("max_bytes", MaxText).WithDispatched(fault.NotDispatched)
		}
	}
	err = q.change(key, func(b queue) error {
		have := len(b.keys())
		if have+len(texts) > MaxTasks {
			return fault.New(fault.TaskLimitReached, "the queue has %d tasks and %d more were to be added; %d are allowed", have, len(texts), MaxTasks).
				With("max_tasks", MaxTasks).With("total", have).WithDispatched(fault.NotDispatched)
		}
		for _, text := range texts {
			t, err := b.append(text)
			if err != nil {
				return err
			}
			added = append(added, t)
		}
		summary = b.summary()
		return nil
	})
	return added, summary, err
}

// Next returns the task to do and how many wait after it: the one in progress, until
// it is completed, else the first pending one, which is in progress from then on. Of
// several in progress, which a queue of an earlier version can hold, it returns the
// first. done reports that no task is left.
func (q *Queues) Next(key Key) (next Task, remaining int, done bool, summary Summary, err error) {
	err = q.change(key, func(b queue) error {
		summary = b.summary()
		at := first(summary.Tasks, InProgress)
		if at < 0 {
			at = first(summary.Tasks, Pending)
		}
		if at < 0 {
			done = true
			return nil
		}
		next = summary.Tasks[at]
		next.Status = InProgress
		for i, t := range summary.Tasks {
			if t.Status == Pending && i != at {
				remaining++
			}
		}
		if err := b.put(next); err != nil {
			return err
		}
		return b.setActive(next.ID)
	})
	return next, remaining, done, summary, err
}

// Complete ends a task: the named one, or with an empty id the one in progress.
// A finished task may be completed again. The faults are invalid_task,
// unknown_task and no_active_task.
func (q *Queues) Complete(key Key, id string, status Status, result json.RawMessage) (t Task, summary Summary, err error) {
	if len(result) > MaxResult {
		return t, summary, fault.New(fault.InvalidTask, "the result has %d bytes; %d are allowed", len(result), MaxResult).
			With("max_bytes", MaxResult).WithDispatched(fault.NotDispatched)
	}
	err = q.change(key, func(b queue) error {
		tasks := b.tasks()
		at := -1
		if id != "" {
			if at = indexOf(tasks, id); at < 0 {
				return fault.New(fault.UnknownTask, "the queue has no task %q", id).WithDispatched(fault.NotDispatched)
			}
		} else if at = active(tasks, b.active()); at < 0 {
			return fault.New(fault.NoActiveTask, "no task is in progress").WithDispatched(fault.NotDispatched)
		}
		t = tasks[at]
		t.Status, t.Result = Done, result
		if status == Failed {
			t.Status = Failed
		}
		if err := b.put(t); err != nil {
			return err
		}
		summary = b.summary()
		return nil
	})
	return t, summary, err
}

// List returns the queue as it is.
func (q *Queues) List(key Key) (summary Summary, err error) {
	summary = summarize(nil)
	err = q.view(key, func(b queue) { summary = b.summary() })
	return summary, err
}

// Clear removes all tasks of a queue and returns the empty one.
func (q *Queues) Clear(key Key) (Summary, error) {
	return summarize(nil), q.change(key, queue.clear)
}

func summarize(tasks []Task) Summary {
	s := Summary{Total: len(tasks), Tasks: tasks}
	if tasks == nil {
		s.Tasks = []Task{} // a list also where it is empty
	}
	for _, t := range tasks {
		switch t.Status {
		case Done:
			s.Completed++
		case Failed:
			s.Failed++
		default:
			s.Pending++
		}
	}
	return s
}

func indexOf(tasks []Task, id string) int {
	for i, t := range tasks {
		if t.ID == id {
			return i
		}
	}
	return -1
}

func first(tasks []Task, status Status) int {
	for i, t := range tasks {
		if t.Status == status {
			return i
		}
	}
	return -1
}

// active finds the task that Next gave last, or else any that is in progress.
func active(tasks []Task, last string) int {
	if at := indexOf(tasks, last); at >= 0 && tasks[at].Status == InProgress {
		return at
	}
	return first(tasks, InProgress)
}
