package task

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/kv"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// bucketTasks holds a bucket for each session, in it one for each tab (8 bytes, big
// endian), in it the tasks by number (8 bytes, big endian). No other key has 8 bytes,
// so that none can be taken for a number.
var (
	bucketTasks = []byte("tasks")
	keyBrowser  = []byte("browser_session") // in bucketTasks: the run of the browser that the tabs belong to
	keyActive   = []byte("active")          // in a queue: id of the task that was given last
	keyChanged  = []byte("changed_at")      // in a queue: RFC 3339
)

// queue is one queue within a transaction.
type queue struct{ *bbolt.Bucket }

// Begin starts with the run of the browser and its claimed tabs, at each
// handshake: queues of another run and of other tabs are dropped.
func (q *Queues) Begin(browserSession string, claimed []int) error {
	return q.db.Change(func(tx *bbolt.Tx) (changed bool, err error) {
		root := tx.Bucket(bucketTasks)
		same := string(root.Get(keyBrowser)) == browserSession
		err = eachQueue(root, func(session *bbolt.Bucket, key []byte) error {
			if tabID, ok := kv.ParseInt(key); ok && same && slices.Contains(claimed, tabID) && !q.old(queue{session.Bucket(key)}) {
				return nil
			}
			changed = true
			return session.DeleteBucket(key)
		})
		if err != nil || same {
			return changed, err
		}
		return true, root.Put(keyBrowser, []byte(browserSession))
	})
}

// DropTab ends the queues of a tab: it was released or closed.
func (q *Queues) DropTab(tabID int) error {
	return q.db.Change(func(tx *bbolt.Tx) (changed bool, err error) {
		err = eachQueue(tx.Bucket(bucketTasks), func(session *bbolt.Bucket, key []byte) error {
			if string(key) != string(kv.Int(tabID)) {
				return nil
			}
			changed = true
			return session.DeleteBucket(key)
		})
		return changed, err
	})
}

// EndSession ends the queues of a session and returns their tabs, sorted.
func (q *Queues) EndSession(session string) (tabs []int, err error) {
	err = q.db.Update(func(tx *bbolt.Tx) error {
		root := tx.Bucket(bucketTasks)
		bucket := root.Bucket([]byte(session))
		if bucket == nil {
			return nil
		}
		for _, key := range kv.Buckets(bucket) {
			if tabID, ok := kv.ParseInt(key); ok {
				tabs = append(tabs, tabID)
			}
		}
		return root.DeleteBucket([]byte(session))
	})
	return tabs, err
}

// EndSessions ends the queues of many sessions in one transaction. Sessions
// without a queue cost none.
func (q *Queues) EndSessions(sessions ...string) error {
	return q.db.DropBuckets(bucketTasks, sessions...)
}

// change edits a queue, which is made where there is none.
func (q *Queues) change(key Key, edit func(queue) error) error {
	return q.db.Update(func(tx *bbolt.Tx) error {
		session, err := tx.Bucket(bucketTasks).CreateBucketIfNotExists([]byte(key.Session))
		if err != nil {
			return err
		}
		if b := session.Bucket(kv.Int(key.TabID)); b != nil && q.old(queue{b}) {
			if err := session.DeleteBucket(kv.Int(key.TabID)); err != nil {
				return err
			}
		}
		b, err := session.CreateBucketIfNotExists(kv.Int(key.TabID))
		if err != nil {
			return err
		}
		if err := edit(queue{b}); err != nil {
			return err
		}
		return b.Put(keyChanged, q.now().UTC().AppendFormat(nil, time.RFC3339))
	})
}

// view reads a queue, if there is one.
func (q *Queues) view(key Key, look func(queue)) error {
	return q.db.View(func(tx *bbolt.Tx) error {
		session := tx.Bucket(bucketTasks).Bucket([]byte(key.Session))
		if session == nil {
			return nil
		}
		if b := session.Bucket(kv.Int(key.TabID)); b != nil && !q.old(queue{b}) {
			look(queue{b})
		}
		return nil
	})
}

// old reports whether the last change of the queue is longer ago than TTL. A queue
// whose time cannot be read is not old.
func (q *Queues) old(b queue) bool {
	changed, err := time.Parse(time.RFC3339, string(b.Get(keyChanged)))
	return err == nil && q.now().Sub(changed) > TTL
}

// eachQueue visits the queues of all sessions; visit may delete the one it is
// shown.
func eachQueue(root *bbolt.Bucket, visit func(session *bbolt.Bucket, key []byte) error) error {
	for _, name := range kv.Buckets(root) {
		session := root.Bucket(name)
		for _, key := range kv.Buckets(session) {
			if err := visit(session, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// append adds a task with the next number.
func (b queue) append(text string) (Task, error) {
	number, err := b.NextSequence()
	if err != nil {
		return Task{}, err
	}
	t := Task{ID: "task-" + strconv.FormatUint(number, 10), Text: text, Status: Pending}
	return t, b.put(t)
}

// put stores a task under its number.
func (b queue) put(t Task) error {
	number, err := strconv.ParseUint(strings.TrimPrefix(t.ID, "task-"), 10, 64)
	if err != nil {
		return err
	}
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	return b.Put(kv.Int(number), text)
}

// clear removes all tasks. Their numbers are not used again: an id that a caller
// still holds must not mean another task.
func (b queue) clear() error {
	for _, key := range b.keys() {
		if err := b.Delete(key); err != nil {
			return err
		}
	}
	return nil
}

// keys lists the keys of all tasks, readable or not.
func (b queue) keys() (keys [][]byte) {
	for key := range kv.Entries(b.Bucket, nil) {
		if len(key) == 8 {
			keys = append(keys, key)
		}
	}
	return keys
}

// tasks returns the tasks that can be read, in order.
func (b queue) tasks() []Task {
	var tasks []Task
	for key, value := range kv.Entries(b.Bucket, nil) {
		if t, ok := decode(key, value); ok {
			tasks = append(tasks, t)
		}
	}
	return tasks
}

// decode reads a stored task; its number is the one in the key.
func decode(key, value []byte) (Task, bool) {
	var t Task
	number, ok := kv.ParseInt(key)
	if !ok || strictjson.Decode(value, &t, strictjson.Limits{}) != nil {
		return Task{}, false
	}
	t.ID = "task-" + strconv.FormatUint(uint64(number), 10)
	if t.Result == nil {
		t.Result = json.RawMessage("null")
	}
	switch t.Status {
	case Pending, InProgress, Done, Failed:
		return t, true
	}
	return Task{}, false
}

func (b queue) summary() Summary { return summarize(b.tasks()) }

func (b queue) active() string { return string(b.Get(keyActive)) }

func (b queue) setActive(id string) error { return b.Put(keyActive, []byte(id)) }
