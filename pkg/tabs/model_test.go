package tabs

import (
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.etcd.io/bbolt"
	"pgregory.net/rapid"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// model is the registry written down a second time, without a disk.
type model struct {
	browser string
	tabs    map[int]Tab    // claimed
	stored  map[int]string // browser of each claim on disk
	opened  map[int]bool   // of the stored claims: opened by a call
}

func (m *model) list() []Tab {
	list := []Tab{}
	for _, tab := range m.tabs {
		list = append(list, tab)
	}
	slices.SortFunc(list, func(a, b Tab) int { return cmp.Compare(a.TabID, b.TabID) })
	return list
}

// resolve follows the order in which the rules are told to a person.
func (m *model) resolve(current int, target Target, single bool) (int, fault.Code) {
	if target == (Target{}) {
		_, ok := m.tabs[current]
		handed := slices.DeleteFunc(m.list(), func(t Tab) bool { return m.opened[t.TabID] && len(m.tabs) > 1 })
		switch {
		case ok:
			return current, ""
		case len(m.tabs) == 0:
			return 0, fault.TabNotClaimed
		case !single && current != 0:
			return 0, fault.NoCurrentTab
		case len(handed) == 1:
			return handed[0].TabID, ""
		case single:
			return 0, fault.AmbiguousRuntime
		}
		return 0, fault.NoCurrentTab
	}
	if _, ok := m.tabs[target.TabID]; target.TabID != 0 && !ok {
		return 0, fault.TabNotClaimed
	}
	var found []int
	for _, tab := range m.list() {
		if (target.TabID == 0 || target.TabID == tab.TabID) && (target.RuntimeID == "" || target.RuntimeID == tab.RuntimeID) &&
			strings.Contains(tab.URL, target.URLContains) {
			found = append(found, tab.TabID)
		}
	}
	switch len(found) {
	case 0:
		return 0, fault.RuntimeNotFound
	case 1:
		return found[0], ""
	}
	return 0, fault.AmbiguousRuntime
}

// Ensure the registry agrees with the model over random histories, restarts of
// host and browser included.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		folder, err := os.MkdirTemp("", "tabs")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(folder)
		db, err := bbolt.Open(filepath.Join(folder, "tabs.db"), 0o600, &bbolt.Options{NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		registry, err := Open(db)
		if err != nil {
			t.Fatal(err)
		}
		m := &model{tabs: map[int]Tab{}, stored: map[int]string{}, opened: map[int]bool{}}

		ids, runs, runtimes := rapid.IntRange(1, 4), rapid.SampledFrom([]string{"run1", "run2"}), rapid.SampledFrom([]string{"", "r1", "r2"})
		urls := rapid.SampledFrom([]string{"https://a.test/", "https://b.test/", "https://b.test/x"})
		draw := func(t *rapid.T) Tab {
			return Tab{TabID: ids.Draw(t, "id"), URL: urls.Draw(t, "url"), RuntimeID: runtimes.Draw(t, "runtime")}
		}
		t.Repeat(map[string]func(*rapid.T){
			"begin": func(t *rapid.T) {
				if rapid.Bool().Draw(t, "host restarts") {
					if registry, err = Open(db); err != nil {
						t.Fatal(err)
					}
				}
				m.browser, m.tabs = runs.Draw(t, "run"), map[int]Tab{}
				var open []Tab
				for id := 1; id <= 4; id++ {
					if rapid.Bool().Draw(t, "open") {
						open = append(open, Tab{TabID: id, URL: urls.Draw(t, "url")})
					}
				}
				stored := map[int]string{}
				for _, tab := range open {
					if m.stored[tab.TabID] == m.browser {
						m.tabs[tab.TabID], stored[tab.TabID] = tab, m.browser
					}
				}
				m.stored = stored
				if _, err := registry.Begin("p", m.browser, open); err != nil {
					t.Fatal(err)
				}
			},
			"claim": func(t *rapid.T) {
				tab := draw(t)
				err := registry.Claim(tab)
				if (err == nil) != (m.browser != "") {
					t.Fatalf("claim in %q: %v", m.browser, err)
				}
				if err == nil {
					m.tabs[tab.TabID], m.stored[tab.TabID], m.opened[tab.TabID] = tab, m.browser, false
				}
			},
			"opened": func(t *rapid.T) {
				id := ids.Draw(t, "id")
				if err := registry.Opened(id); err != nil {
					t.Fatal(err)
				}
				if _, ok := m.tabs[id]; ok {
					m.opened[id] = true
				}
			},
			"release": func(t *rapid.T) {
				id := ids.Draw(t, "id")
				if err := registry.Release(id); err != nil {
					t.Fatal(err)
				}
				delete(m.tabs, id)
				delete(m.stored, id)
			},
			"update": func(t *rapid.T) {
				tab := draw(t)
				known, claimed := m.tabs[tab.TabID]
				if registry.Update(tab) != claimed {
					t.Fatalf("update of %d", tab.TabID)
				}
				if claimed {
					if tab.RuntimeID == "" {
						tab.RuntimeID = known.RuntimeID
					}
					m.tabs[tab.TabID] = tab
				}
			},
			"resolve": func(t *rapid.T) {
				current, single := rapid.IntRange(0, 4).Draw(t, "current"), rapid.Bool().Draw(t, "single")
				target := Target{
					TabID: rapid.IntRange(0, 4).Draw(t, "target"), RuntimeID: runtimes.Draw(t, "document"),
					URLContains: rapid.SampledFrom([]string{"", "", "b.test", "/x"}).Draw(t, "part"),
				}
				id, code := m.resolve(current, target, single)
				tab, err := registry.Resolve(current, target, single)
				got := fault.Code("")
				if err != nil {
					got = fault.From(err).Code
				}
				if tab.TabID != id || got != code {
					t.Fatalf("resolve(%d, %+v, %v): got %d %q, want %d %q", current, target, single, tab.TabID, got, id, code)
				}
			},
			"": func(t *rapid.T) {
				if got := registry.List(); !slices.Equal(got, m.list()) {
					t.Fatalf("claimed %+v, want %+v", got, m.list())
				}
			},
		})
	})
}

// Ensure 10,000 concurrent claims and releases leave exactly what the last
// operation of each tab says, in memory and on disk.
func TestConcurrentClaims(t *testing.T) {
	const workers, operations = 20, 500
	db := openDB(t, filepath.Join(t.TempDir(), "tabs.db"))
	r := newRegistry(t, db)
	begin(t, r, "p", "run")
	want := make([][]int, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			// Each worker has tabs of its own, so that its last word is known.
			claimed := map[int]bool{}
			for range operations {
				id := w*10 + rand.IntN(10) + 1
				claimed[id] = rand.IntN(2) == 0
				var err error
				if claimed[id] {
					err = r.Claim(Tab{TabID: id, URL: "https://a.test/"})
				} else {
					err = r.Release(id)
				}
				if err != nil {
					t.Error(err)
				}
				// Others' tabs may be claimed or not; only claimed ones come back.
				if tab, err := r.Resolve(id, Target{}, false); err == nil && tab.TabID != id {
					t.Errorf("tab %d was resolved to %d", id, tab.TabID)
				}
			}
			for id, is := range claimed {
				if is {
					want[w] = append(want[w], id)
				}
			}
		})
	}
	wg.Wait()
	all := slices.Concat(want...)
	slices.Sort(all)
	var listed []int
	for _, tab := range r.List() {
		listed = append(listed, tab.TabID)
	}
	if !slices.Equal(listed, all) {
		t.Errorf("claimed %v, want %v", listed, all)
	}
	open := make([]int, 200)
	for i := range open {
		open[i] = i + 1
	}
	if got := begin(t, newRegistry(t, db), "p", "run", open...); !slices.Equal(got, all) {
		t.Errorf("stored %v, want %v", got, all)
	}
}
