package ui

import (
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
)

// Ensure that changes of the settings are taken whole or not at all, that what is in use is
// always valid, and that the next start reads the same from the file.
func FuzzSettings(f *testing.F) {
	log, err := journal.Open(filepath.Join(f.TempDir(), "j.db"), journal.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { log.Close() })
	log.Bolt().NoSync = true
	b, err := Open(log, true)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, changes []byte) {
		before := *b.settings.Load()
		err := b.changeSettings(changes)
		now := *b.settings.Load()
		switch {
		case err != nil && (!reflect.DeepEqual(now, before) || !fault.Known(fault.From(err).Code) || fault.From(err).NextStep == ""):
			t.Errorf("refused with %v, and %+v became %+v", err, before, now)
		case now.check() != nil || b.Choices().Pace < 0 || b.Choices().Pace > maxPacingDelay || b.Choices().Pace != time.Duration(now.PacingMS)*time.Millisecond:
			t.Errorf("%+v is in use", now)
		}
		if next, err := b.load(); err != nil || !reflect.DeepEqual(next, now) {
			t.Errorf("the next start has %+v of %+v: %v", next, now, err)
		}
	})
}
