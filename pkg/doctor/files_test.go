package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/paths"
)

func TestDamagedDatabase(t *testing.T) {
	// Ensure that what a running host found wrong with its database is a warning that says it, and that nothing is said of a sound one.
	t.Setenv(paths.EnvHome, t.TempDir())
	name := filepath.Join(paths.State(), "profile-1.db")
	if err := os.MkdirAll(paths.State(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	host := &control.Client{Status: control.Status{Database: name, PID: 1, LogDamage: "record 7 cannot be read"}}
	e := &examiner{clients: []*control.Client{host}}
	if h := e.database()[0]; h.Status != Warning || !strings.Contains(h.Message, host.Status.LogDamage) || h.Fix == "" {
		t.Errorf("damaged: %+v", h)
	}
	host.Status.LogDamage = ""
	if h := e.database()[0]; h.Status != OK {
		t.Errorf("sound: %+v", h)
	}
}

func TestGoneDatabase(t *testing.T) {
	// Ensure that a database of which only the checkpoint is left is not taken for one that never was.
	t.Setenv(paths.EnvHome, t.TempDir())
	log, err := journal.Open(paths.Database("1"), journal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = log.Commit(t.Context(), journal.Record{Type: journal.TypeLifecycle})
	if err := errors.Join(err, log.Close(), os.Remove(paths.Database("1"))); err != nil {
		t.Fatal(err)
	}
	if h := new(examiner).database()[0]; h.Status != Warning || !strings.Contains(h.Message, "is gone") || h.Fix == "" {
		t.Errorf("%+v", h)
	}
}
