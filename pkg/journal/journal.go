// Package journal is the log of one browser profile: a chain of records in one
// bbolt file that loses nothing it has acknowledged.
//
// Rules of this package:
//   - Commit returns only when its records are on disk; a caller that acts on a
//     page commits the intent first and answers after committing the outcome.
//   - One goroutine writes. It commits at once when idle and gathers what
//     arrives during a running sync into the next group.
//   - Sequence numbers have no gap and never go back, whatever the clock does.
//     Each record's hash covers the record before it, and a checkpoint beside
//     the file records the end of the chain. Where that end is gone the next
//     record comes after it: a number never stands for two records.
//   - Redaction happens before a record is queued, so that no secret reaches
//     the file, not even a page of it that is free again.
//   - No code of others runs in a transaction: the file grows only when no reading is
//     under way, so one that waited for a writer would wait for itself.
//   - A broken file is moved aside; all that can be read of it goes on in a new
//     one, which records what is missing. No content of a file makes the host
//     panic.
package journal

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Limits of the queue and of the wait before an Append is written.
const (
	// AppendDelay is how long an appended record waits for a group to join.
	AppendDelay = 50 * time.Millisecond
	// MaxQueued is how many Appends may wait for a disk that refuses them; beyond
	// it Append fails instead of using up the memory. What is appended together
	// counts once: that many sessions end at a time must not close the log to others.
	MaxQueued = 8192

	retryDelay         = time.Second // between attempts to write appended records to a failing disk
	defaultLockTimeout = 3 * time.Second
)

// Options of Open; the zero value is ready for use.
type Options struct {
	LockTimeout time.Duration    // how long to wait for another process's lock; 0 is 3 s
	Retention   Retention        // what to keep; zero fields take DefaultRetention's
	Now         func() time.Time // the clock, safe for concurrent use; nil is time.Now
	OnDamage    func(*Damage)    // is called with each damage that Damage returns; nil: nobody is told
	// Tally makes of a run of records what [Reader.Tallied] gives in their place; it is called by the
	// writer, and nil as its answer is none. A nil Tally makes none.
	Tally func([]Record) []byte

	checkDelay time.Duration // before the chain is checked; 0 is defaultCheckDelay
	noSync     bool          // for tests that write much and never lose power
}

// Journal is an open log. Its methods are safe for concurrent use.
type Journal struct {
	Reader
	opt Options

	mu      sync.Mutex
	queue   []entry       // waits for the writer, in the order of its sequence numbers
	queued  int           // entries in queue that no caller waits for
	last    uint64        // last sequence number on disk
	changed chan struct{} // closed, and replaced, when last has grown or the journal has closed
	closed  bool

	found *Damage

	checkpoint *checkpoint
	missing    uint64 // last number that was written before and is not in the file; 0: none is

	urgent  chan struct{} // a caller waits: write now
	relaxed chan struct{} // something was appended: write within AppendDelay
	stop    chan struct{}
	stopped chan struct{}

	spent atomic.Int64 // on the disk, by callers of Commit, in nanoseconds

	cancelCheck context.CancelFunc
	checked     chan struct{} // the check of the chain has ended
}

// Open opens or creates the log at path, together with its folder. Intents
// without an outcome, left by a host that ended in between, are closed with a
// record of type interrupted. The fault is database_locked when another process
// holds the file, storage_unavailable when it cannot be opened, and
// journal_unavailable when it cannot be written.
func Open(path string, opt Options) (*Journal, error) {
	if opt.LockTimeout == 0 {
		opt.LockTimeout = defaultLockTimeout
	}
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.checkDelay == 0 {
		opt.checkDelay = defaultCheckDelay
	}
	opt.Retention = opt.Retention.withDefaults()

	db, found, err := openFile(path, opt)
	if err != nil {
		return nil, err
	}
	j := &Journal{
		Reader:  Reader{db: db, turns: NewTurns(), path: path},
		opt:     opt,
		changed: make(chan struct{}),
		urgent:  make(chan struct{}, 1),
		relaxed: make(chan struct{}, 1),
		stop:    make(chan struct{}),
		stopped: make(chan struct{}),
		checked: make(chan struct{}),
	}
	if j.last, err = j.Last(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	if found != nil { // now that no other host writes it
		saved, _ := readCheckpoint(path)
		j.missing = saved.seq
	}
	j.checkpoint = openCheckpoint(path)
	go j.run() // before recovery, which commits like any caller
	ctx, cancel := context.WithCancel(context.Background())
	j.cancelCheck = cancel
	if err := j.recoverFrom(found); err != nil {
		close(j.checked)
		return nil, errors.Join(err, j.Close())
	}
	if found != nil {
		j.setDamage(found)
	}
	go j.checkChain(ctx)
	return j, nil
}

// Bolt returns the database, for packages that keep their own buckets in the
// profile's file. They must leave this package's buckets alone.
func (j *Journal) Bolt() *bbolt.DB { return j.db }

// Append queues records, which get consecutive sequence numbers, and returns
// without waiting for the disk: they are written with the next group or within
// AppendDelay. On a failing disk they stay queued. The fault is
// invalid_arguments for a record that cannot be stored and journal_unavailable
// when the journal is closed or MaxQueued is reached.
func (j *Journal) Append(ctx context.Context, records ...Record) error {
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	e, err := j.prepare(records...)
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return closedFault()
	}
	if j.queued >= MaxQueued {
		return fault.New(fault.JournalUnavailable, "%d entries wait for the disk, which does not take them", j.queued)
	}
	j.queue = append(j.queue, e)
	j.queued++
	signal(j.relaxed)
	return nil
}

// Commit writes records, which get consecutive sequence numbers, and returns
// when they are on disk. When ctx ends first, Commit stops waiting but the
// records are still written. The fault is journal_unavailable when they could
// not be written; a later Commit works again once the disk takes data. The
// outcome of a call that has an intent stays queued then. Without records it
// waits for those that were appended.
func (j *Journal) Commit(ctx context.Context, records ...Record) error {
	if err := ctx.Err(); err != nil {
		return fault.From(err)
	}
	e, err := j.prepare(records...)
	if err != nil {
		return err
	}
	e.done = make(chan error, 1) // room for one: the writer never waits for a caller that stopped waiting

	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		return closedFault()
	}
	j.queue = append(j.queue, e)
	// Under the lock, so that Close cannot stop the writer in between: what is
	// queued before Close is written.
	signal(j.urgent)
	j.mu.Unlock()

	began := time.Now()
	defer func() { j.spent.Add(int64(time.Since(began))) }()
	select {
	case err := <-e.done:
		return err
	case <-ctx.Done():
		return fault.From(ctx.Err())
	}
}

// Spent returns how long all callers of Commit so far waited for the disk; those side by side count
// each for itself.
func (j *Journal) Spent() time.Duration { return time.Duration(j.spent.Load()) }

// Wait returns when a record with a sequence number above after is on disk. The
// fault is journal_unavailable when the journal closes.
func (j *Journal) Wait(ctx context.Context, after uint64) error {
	for {
		// Read together: a record written after this closes this channel.
		j.mu.Lock()
		last, changed, closed := j.last, j.changed, j.closed
		j.mu.Unlock()
		switch {
		case last > after:
			return nil
		case closed:
			return closedFault()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fault.From(ctx.Err())
		}
	}
}

// Close writes what is queued and closes the file. The fault is
// journal_unavailable when queued records could not be written.
func (j *Journal) Close() error {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		<-j.stopped
		return nil
	}
	j.closed = true
	close(j.stop)
	j.mu.Unlock()
	<-j.stopped
	j.cancelCheck()
	<-j.checked

	j.mu.Lock()
	unwritten := 0 // requeued by the last attempt
	for _, e := range j.queue {
		unwritten += len(e.records)
	}
	close(j.changed) // Wait sees closed and gives up
	j.changed = make(chan struct{})
	j.mu.Unlock()
	if err := errors.Join(j.db.Close(), j.checkpoint.close()); err != nil {
		return fault.Wrap(err, fault.JournalUnavailable, "the journal could not be closed: %v", err)
	}
	if unwritten > 0 {
		return fault.New(fault.JournalUnavailable, "%d queued records could not be written before the journal closed", unwritten)
	}
	return nil
}

func closedFault() error {
	return fault.New(fault.JournalUnavailable, "the journal is closed")
}

// signal sets a flag that the writer clears; a flag that is set stays set.
func signal(flag chan struct{}) {
	select {
	case flag <- struct{}{}:
	default:
	}
}
