package tabs

import (
	"path/filepath"
	"slices"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// openDB opens a database that does not sync: these tests restart the registry,
// not the machine.
func openDB(t testing.TB, path string) *bbolt.DB {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func newRegistry(t testing.TB, db *bbolt.DB) *Registry {
	t.Helper()
	r, err := Open(db)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func begin(t testing.TB, r *Registry, profile, session string, open ...int) []int {
	t.Helper()
	var tabs []Tab
	for _, id := range open {
		tabs = append(tabs, Tab{TabID: id})
	}
	claimed, err := r.Begin(profile, session, tabs)
	if err != nil {
		t.Fatal(err)
	}
	return claimed
}

func claim(t testing.TB, r *Registry, tabs ...Tab) {
	t.Helper()
	for _, tab := range tabs {
		if err := r.Claim(tab); err != nil {
			t.Fatal(err)
		}
	}
}

// Ensure claims survive a restart of the host exactly while the same run of the
// same browser still has the tab.
func TestBegin(t *testing.T) {
	tests := []struct {
		name, profile, session string
		open                   []int
		want                   []int
	}{
		{"same run", "p", "run1", []int{1, 2, 3, 300}, []int{1, 3, 300}},
		{"a tab is gone", "p", "run1", []int{3, 4}, []int{3}},
		{"the browser restarted", "p", "run2", []int{1, 2, 3, 300}, nil},
		{"another profile", "q", "run1", []int{1, 2, 3, 300}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tabs.db")
			db := openDB(t, path)
			r := newRegistry(t, db)
			begin(t, r, "p", "run1", 1, 2, 3, 300)
			claim(t, r, Tab{TabID: 300}, Tab{TabID: 1}, Tab{TabID: 2}, Tab{TabID: 3})
			if err := r.Release(2); err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}

			r = newRegistry(t, openDB(t, path))
			if len(r.List()) != 0 {
				t.Error("tabs are claimed before the handshake")
			}
			if got := begin(t, r, tt.profile, tt.session, tt.open...); !slices.Equal(got, tt.want) {
				t.Errorf("claimed %v, want %v", got, tt.want)
			}
			// What was dropped does not come back with the next handshake.
			if got := begin(t, r, "p", "run1", 1, 2, 3, 300); !slices.Equal(got, tt.want) {
				t.Errorf("then claimed %v, want %v", got, tt.want)
			}
		})
	}
}

// Ensure a claim takes its page from the handshake and not from the disk.
func TestBeginTakesNewPage(t *testing.T) {
	r := newRegistry(t, openDB(t, filepath.Join(t.TempDir(), "tabs.db")))
	begin(t, r, "p", "run", 1)
	claim(t, r, Tab{TabID: 1, URL: "https://old.test", RuntimeID: "r1"})
	fresh := Tab{TabID: 1, URL: "https://new.test"}
	if _, err := r.Begin("p", "run", []Tab{fresh}); err != nil {
		t.Fatal(err)
	}
	if got, ok := r.Get(1); !ok || got != fresh {
		t.Errorf("got %+v", got)
	}
}

// Ensure claims need a handshake and a real id, and that what cannot be stored
// is not claimed while a release counts all the same.
func TestClaimFails(t *testing.T) {
	db := openDB(t, filepath.Join(t.TempDir(), "tabs.db"))
	r := newRegistry(t, db)
	if err := r.Claim(Tab{TabID: 1}); !fault.Is(err, fault.BrowserNotConnected) {
		t.Errorf("before the handshake: %v", err)
	}
	begin(t, r, "p", "run", 1, 2)
	for _, id := range []int{0, -1} {
		if err := r.Claim(Tab{TabID: id}); !fault.Is(err, fault.InvalidArguments) {
			t.Errorf("id %d: %v", id, err)
		}
	}
	claim(t, r, Tab{TabID: 1})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Claim(Tab{TabID: 2}); !fault.Is(err, fault.StorageUnavailable) {
		t.Errorf("without a database: %v", err)
	}
	if err := r.Release(1); !fault.Is(err, fault.StorageUnavailable) {
		t.Errorf("without a database: %v", err)
	}
	if list := r.List(); len(list) != 0 {
		t.Errorf("claimed: %v", list)
	}
	if _, err := r.Begin("p", "run", []Tab{{TabID: 1}}); !fault.Is(err, fault.StorageUnavailable) || len(r.List()) != 0 {
		t.Errorf("without a database: %v, %v", err, r.List())
	}
}

// Ensure news about tabs changes claimed ones only, and late news of a replaced
// document changes nothing.
func TestNews(t *testing.T) {
	r := newRegistry(t, openDB(t, filepath.Join(t.TempDir(), "tabs.db")))
	begin(t, r, "p", "run", 1, 2)
	claim(t, r, Tab{TabID: 1, URL: "https://a.test"})
	if r.Update(Tab{TabID: 2}) || r.SetRuntime(2, "r") || r.RemoveRuntime(2, "r") {
		t.Error("an unclaimed tab was changed")
	}
	if !r.SetRuntime(1, "r1") || !r.Update(Tab{TabID: 1, URL: "https://b.test"}) {
		t.Error("a claimed tab was not changed")
	}
	if got, _ := r.Get(1); got.RuntimeID != "r1" || got.URL != "https://b.test" {
		t.Errorf("got %+v", got)
	}
	r.SetRuntime(1, "r2")
	if r.RemoveRuntime(1, "r1") || r.RemoveRuntime(1, "") {
		t.Error("late news removed the new document")
	}
	if !r.RemoveRuntime(1, "r2") {
		t.Error("the document was not removed")
	}
	if got, _ := r.Get(1); got.RuntimeID != "" {
		t.Errorf("got %+v", got)
	}
}
