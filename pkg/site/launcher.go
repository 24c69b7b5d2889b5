package site

import (
	"cmp"
	"encoding/json"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/kv"
)

// Limits of a tab's registered launchers.
const (
	maxRegistrations     = 8
	maxLaunchersOfTab    = 20
	maxRegistrationBytes = 2 << 20 // of all, with their reports
)

// A registration's key is its tab (8 bytes, big endian) and its id.
var bucketLaunchers = []byte("launchers")

// Launchers keep the launchers that were registered for a tab until it is
// released, so that they come back in each of its documents, also after the
// host restarted.
type Launchers struct{ db kv.DB }

// registration is a set of launchers that open the same report.
type registration struct {
	ID        string       `json:"id"`
	Report    report       `json:"report"`
	Launchers []attachment `json:"launchers"`
}

// OpenLaunchers opens the launchers of a database, whose owner closes it.
func OpenLaunchers(db *bbolt.DB) (*Launchers, error) {
	l := &Launchers{kv.DB{Bolt: db, What: "the launchers"}}
	return l, l.db.CreateBuckets(bucketLaunchers)
}

// add stores a registration; one too many is launcher_failed.
func (l *Launchers) add(tabID int, r registration) error {
	value, err := json.Marshal(r)
	if err != nil {
		return fault.Wrap(err, fault.InternalError, "a registration cannot be written: %v", err)
	}
	return l.update(func(b *bbolt.Bucket) error {
		count, launchers, size := 1, len(r.Launchers), len(value)
		err := forEach(b, tabID, func(old registration, bytes int) {
			count, launchers, size = count+1, launchers+len(old.Launchers), size+bytes
		})
		if err != nil {
			return err
		}
		if count > maxRegistrations || launchers > maxLaunchersOfTab || size > maxRegistrationBytes {
			return fault.New(fault.LauncherFailed, "the tab has no room for more launchers").
				With("max_launchers", maxLaunchersOfTab).With("max_bytes", maxRegistrationBytes).
				WithNextStep("Remove the tab's launchers with overlay.close {\"launchers\":true}, or register smaller reports.")
		}
		return b.Put(launcherKey(tabID, r.ID), value)
	})
}

// remove forgets one registration.
func (l *Launchers) remove(tabID int, id string) error {
	return l.update(func(b *bbolt.Bucket) error { return b.Delete(launcherKey(tabID, id)) })
}

// DropTab forgets all of a tab and reports how many launchers there were. It forgets
// what it cannot read too.
func (l *Launchers) DropTab(tabID int) (int, error) {
	count := 0
	err := l.update(func(b *bbolt.Bucket) (err error) {
		for key, value := range kv.Entries(b, kv.Int(tabID)) {
			var r registration
			if json.Unmarshal(value, &r) == nil {
				count += len(r.Launchers)
			}
			err = cmp.Or(err, b.Delete(key))
		}
		return err
	})
	return count, err
}

// of returns the registrations of a tab.
func (l *Launchers) of(tabID int) ([]registration, error) {
	var all []registration
	err := l.db.View(func(tx *bbolt.Tx) error {
		return forEach(tx.Bucket(bucketLaunchers), tabID, func(r registration, _ int) { all = append(all, r) })
	})
	return all, err
}

// reportOf returns the report that a registered launcher opens.
func (l *Launchers) reportOf(tabID int, launcherID string) (r report, found bool, err error) {
	all, err := l.of(tabID)
	for _, one := range all {
		if slices.ContainsFunc(one.Launchers, func(a attachment) bool { return a.ID == launcherID }) {
			return one.Report, true, nil
		}
	}
	return report{}, false, err
}

func (l *Launchers) update(work func(b *bbolt.Bucket) error) error {
	return l.db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists(bucketLaunchers)
		if err != nil {
			return err
		}
		return work(b)
	})
}

func forEach(b *bbolt.Bucket, tabID int, take func(r registration, bytes int)) error {
	for _, value := range kv.Entries(b, kv.Int(tabID)) {
		var r registration
		if err := json.Unmarshal(value, &r); err != nil {
			return err
		}
		take(r, len(value))
	}
	return nil
}

func launcherKey(tabID int, id string) []byte { return append(kv.Int(tabID), id...) }
