package journal

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// openFile opens or creates the database for writing. Of a broken file all that
// can be read goes on in a new one; the damage describes it and is nil for a
// sound file.
func openFile(path string, opt Options) (*bbolt.DB, *Damage, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, nil, fault.Wrap(err, fault.StorageUnavailable, "the journal's folder cannot be made: %v", err)
	}
	found, err := checkExisting(path, opt)
	if err != nil {
		return nil, nil, err
	}
	db, err := openBolt(path, opt.LockTimeout, false)
	if err == nil {
		db.NoSync = opt.noSync
		err = createBuckets(db)
		if err == nil {
			return db, found, nil
		}
		err = errors.Join(err, db.Close())
	}
	var f *fault.Error
	if errors.As(err, &f) {
		return nil, nil, f
	}
	return nil, nil, fault.Wrap(err, fault.StorageUnavailable, "the journal %s cannot be opened: %v", path, err)
}

// checkExisting looks at an existing file before anything writes to it and replaces it
// when it is broken. One that is gone, or empty, is no damage where nothing was written.
func checkExisting(path string, opt Options) (*Damage, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return lostWhole(path), nil
	case err == nil && !info.Mode().IsRegular():
		return nil, fault.New(fault.StorageUnavailable, "the journal %s is not a file", path)
	case err == nil && info.Size() == 0:
		return lostWhole(path), nil // bbolt begins a new database in an empty file
	}
	// For reading only, which takes a lock that a running host does not share:
	// no file is read, or moved, while it is in use.
	db, warning, err := openChecked(path, opt.LockTimeout)
	if f := openFault(path, err); f != nil {
		return nil, f
	}
	usable := err == nil
	if usable {
		saved, doubt := readCheckpoint(path)
		if doubt != nil && warning == "" {
			warning = doubt.Error()
		}
		err = checkEnd(db, saved)
		if closed := db.Close(); closed != nil {
			return nil, fault.Wrap(closed, fault.StorageUnavailable, "the journal %s cannot be closed: %v", path, closed)
		}
	}
	if err == nil && warning == "" {
		return nil, nil
	}
	if err == nil {
		return &Damage{Problem: warning}, nil
	}
	problem := err.Error()
	if warning != "" {
		problem = warning + "; " + problem
	}
	found, err := replace(path, opt.Now(), problem)
	switch {
	case err == nil:
		return found, nil
	case usable: // there may be no room for another one: better a log with a gap than none
		return &Damage{Problem: problem}, nil
	}
	return nil, fault.Wrap(err, fault.StorageUnavailable, "the journal %s is broken (%s) and cannot be moved aside: %v", path, problem, err)
}

// lostWhole describes the loss of a log of which only the checkpoint is left; nil
// where there was none.
func lostWhole(path string) *Damage {
	last := LastWritten(path)
	if last == 0 {
		return nil
	}
	return &Damage{Problem: missingRecords(1, last), Missing: [][2]uint64{{1, last}}}
}

// openFault returns the fault of a file that could not be opened for another reason
// than its content: a lock, no permission, a folder in its place; nil for none.
func openFault(path string, err error) *fault.Error {
	var f *fault.Error
	var io *fs.PathError
	switch {
	case errors.As(err, &f):
		return f
	case errors.Is(err, fs.ErrNotExist):
		if last := LastWritten(path); last > 0 {
			return fault.Wrap(err, fault.StorageUnavailable, "the journal %s is gone: its checkpoint names record %d as written", path, last).
				WithNextStep("Put the file back before the browser starts, whose host notes the loss and begins a new log.")
		}
		return fault.Wrap(err, fault.StorageUnavailable, "there is no journal at %s", path)
	case errors.As(err, &io):
		return fault.Wrap(err, fault.StorageUnavailable, "the journal %s cannot be opened: %v", path, err)
	}
	return nil
}

// replace moves a broken file aside and puts one in its place that holds all that
// can be read of it; nothing where nothing can.
func replace(path string, now time.Time, problem string) (*Damage, error) {
	next := path + ".next"
	found, copied, err := salvageTo(path, next, problem)
	if err != nil {
		return nil, err
	}
	to, err := moveAside(path, now, copied)
	if err == nil && copied {
		err = os.Rename(next, path)
	}
	found.MovedTo = filepath.Base(to)
	return found, err
}

// salvageTo writes all that can be read of a broken file into a new database; none
// is made where there is nothing to write.
func salvageTo(path, to, problem string) (found *Damage, copied bool, err error) {
	s, err := salvage(path)
	if err != nil {
		return nil, false, err
	}
	defer s.file.Close()
	if s.empty() {
		return s.damage(problem), false, nil
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err // of an attempt that was cut short
	}
	db, err := openBolt(to, defaultLockTimeout, false)
	if err != nil {
		return nil, false, err
	}
	if err := errors.Join(guard(func() error { return s.copyTo(db) }), db.Close()); err != nil {
		return nil, false, errors.Join(err, os.Remove(to))
	}
	return s.damage(problem), true, nil
}

// openChecked opens a file for reading and checks its pages. The error is a
// fault only for a lock that is held; any other error means a broken or
// unreadable file. The warning describes damage that bbolt itself repairs.
func openChecked(path string, timeout time.Duration) (db *bbolt.DB, warning string, err error) {
	db, err = openBolt(path, timeout, true)
	if err != nil {
		return nil, "", err
	}
	warning, err = checkPages(path)
	if err == nil {
		err = checkBuckets(db)
	}
	if err != nil {
		return nil, "", errors.Join(err, db.Close())
	}
	return db, warning, nil
}

// growth is by how many bytes the file grows. bbolt's own 16 MiB are a quarter of the log's limit.
const growth = 1 << 20

// openBolt opens the database. A panic of bbolt is an error; the file is then
// closed, which also releases its lock.
func openBolt(path string, timeout time.Duration, readOnly bool) (db *bbolt.DB, err error) {
	var file *os.File
	opt := *bbolt.DefaultOptions
	// The free list stays in the file: rebuilding it at each start reads every
	// page, and bbolt panics in a goroutine of its own when one is broken.
	opt.Timeout, opt.ReadOnly, opt.FreelistType = timeout, readOnly, bbolt.FreelistMapType
	opt.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		file, err = os.OpenFile(name, flag, mode)
		return file, err
	}
	panicked := true
	guarded := guard(func() error {
		db, err = bbolt.Open(path, 0o600, &opt)
		panicked = false
		return nil
	})
	switch {
	case panicked:
		// bbolt gave no database to close. The mapping stays until the process
		// ends; the descriptor must not, for it holds the lock.
		if file != nil {
			err = file.Close()
		}
		return nil, errors.Join(guarded, err)
	case errors.Is(err, bolterrors.ErrTimeout):
		return nil, fault.Wrap(err, fault.DatabaseLocked, "another process holds the journal %s", path)
	case err != nil:
		return nil, err
	}
	db.AllocSize = growth
	return db, nil
}

// createBuckets writes only to a file without them: a sound log opens even on a
// full disk.
func createBuckets(db *bbolt.DB) error {
	missing := false
	err := guard(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			for _, name := range [][]byte{bucketRecords, bucketOpen, bucketMeta} {
				missing = missing || tx.Bucket(name) == nil
			}
			return nil
		})
	})
	if err != nil || !missing {
		return err
	}
	err = guard(func() error {
		return db.Update(func(tx *bbolt.Tx) error {
			for _, name := range [][]byte{bucketRecords, bucketOpen, bucketMeta} {
				if _, err := tx.CreateBucketIfNotExists(name); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return fault.Wrap(err, fault.JournalUnavailable, "the journal could not be written: %v", err)
	}
	return nil
}

// checkBuckets reads what the writer relies on, so that damage there is found
// while the file can still be moved aside.
func checkBuckets(db *bbolt.DB) error {
	return guard(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			found := 0
			for _, name := range [][]byte{bucketRecords, bucketOpen, bucketMeta} {
				if tx.Bucket(name) != nil {
					found++
				}
			}
			switch found {
			case 0:
				return nil // a database without a journal: its buckets are made later
			case 3:
			default:
				return errNoBuckets // also where one flipped bit changed a name
			}
			if _, _, err := anchor(tx); err != nil {
				return err
			}
			if _, _, err := head(tx); err != nil {
				return err
			}
			_, err := openSeqs(tx)
			return err
		})
	})
}
