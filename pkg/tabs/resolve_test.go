package tabs

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/fault"
)

// Ensure each way to name a tab gives the one claimed tab that matches or the
// fault that says why there is none.
func TestResolve(t *testing.T) {
	a := Tab{TabID: 1, URL: "https://a.test/x", Title: "A", RuntimeID: "ra"}
	b := Tab{TabID: 2, URL: "https://b.test/x", Title: "B", RuntimeID: "rb", Active: true}
	loading := Tab{TabID: 3, URL: "https://c.test/", Loading: true}
	tests := []struct {
		name    string
		claimed []Tab
		current int
		target  Target
		single  bool
		want    int
		code    fault.Code
	}{
		{"tab", []Tab{a, b}, 2, Target{TabID: 1}, false, 1, ""},
		{"unclaimed tab", []Tab{a, b}, 1, Target{TabID: 9}, true, 0, fault.TabNotClaimed},
		{"negative tab", []Tab{a}, 1, Target{TabID: -1}, true, 0, fault.TabNotClaimed},
		{"document", []Tab{a, b}, 1, Target{RuntimeID: "rb"}, false, 2, ""},
		{"document gone", []Tab{a, b}, 1, Target{RuntimeID: "rc"}, true, 0, fault.RuntimeNotFound},
		{"document of another tab", []Tab{a, b}, 1, Target{TabID: 1, RuntimeID: "rb"}, false, 0, fault.RuntimeNotFound},
		{"document and tab", []Tab{a, b}, 0, Target{TabID: 2, RuntimeID: "rb"}, false, 2, ""},
		{"URL", []Tab{a, b, loading}, 1, Target{URLContains: "b.test"}, false, 2, ""},
		{"URL in other letters", []Tab{a, b}, 1, Target{URLContains: "B.test"}, false, 0, fault.RuntimeNotFound},
		{"URL of none", []Tab{a, b}, 1, Target{URLContains: "d.test"}, true, 0, fault.RuntimeNotFound},
		{"URL of several", []Tab{a, b, loading}, 1, Target{URLContains: "/x"}, true, 0, fault.AmbiguousRuntime},
		{"URL of several, one named", []Tab{a, b}, 0, Target{TabID: 2, URLContains: "/x"}, false, 2, ""},
		{"current", []Tab{a, b}, 2, Target{}, false, 2, ""},
		{"current before single", []Tab{a, b}, 1, Target{}, true, 1, ""},
		{"current released", []Tab{a}, 2, Target{}, false, 0, fault.NoCurrentTab},
		{"current released, single", []Tab{a}, 2, Target{}, true, 1, ""},
		{"none chosen", []Tab{a}, 0, Target{}, false, 1, ""},
		{"none chosen of several", []Tab{a, b}, 0, Target{}, false, 0, fault.NoCurrentTab},
		{"the only one", []Tab{a}, 0, Target{}, true, 1, ""},
		{"one of several", []Tab{a, b}, 0, Target{}, true, 0, fault.AmbiguousRuntime},
		{"none claimed", nil, 0, Target{}, true, 0, fault.TabNotClaimed},
		{"none claimed, current", nil, 1, Target{}, false, 0, fault.TabNotClaimed},
		{"none claimed, URL", nil, 1, Target{URLContains: "a"}, false, 0, fault.RuntimeNotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRegistry(t, openDB(t, filepath.Join(t.TempDir(), "tabs.db")))
			begin(t, r, "p", "run")
			claim(t, r, tt.claimed...)
			got, err := r.Resolve(tt.current, tt.target, tt.single)
			if tt.code == "" {
				if err != nil || got.TabID != tt.want {
					t.Fatalf("got %d, %v, want %d", got.TabID, err, tt.want)
				}
				return
			}
			f := fault.From(err)
			if f == nil || f.Code != tt.code || f.Dispatched != fault.NotDispatched || got != (Tab{}) {
				t.Fatalf("got %+v, %v, want %s", got, err, tt.code)
			}
			if tt.code != fault.AmbiguousRuntime {
				return
			}
			candidates, ok := f.Evidence["candidates"].([]Candidate)
			if !ok || len(candidates) != 2 || candidates[0] != (Candidate{1, a.URL, "A", "ra"}) {
				t.Errorf("candidates %+v", f.Evidence["candidates"])
			}
		})
	}
}

func TestOpenedTabIsNotMeant(t *testing.T) {
	// Ensure that a tab which a call opened leaves a session without a choice its only tab, after a restart of the host too, until the user hands it over himself or nothing else is left.
	path := filepath.Join(t.TempDir(), "tabs.db")
	db := openDB(t, path)
	r := newRegistry(t, db)
	begin(t, r, "p", "run", 1, 2, 3)
	claim(t, r, Tab{TabID: 1}, Tab{TabID: 2}, Tab{TabID: 3})
	means := func(when string, want int) {
		t.Helper()
		for _, single := range []bool{false, true} {
			got, err := r.Resolve(0, Target{}, single)
			if got.TabID != want || (err == nil) != (want != 0) {
				t.Errorf("%s: %d is meant, %v; want %d", when, got.TabID, err, want)
			}
		}
		if got, err := r.Resolve(2, Target{}, false); err == nil && got.TabID != 2 {
			t.Errorf("%s: a session that has chosen 2 means %d", when, got.TabID)
		}
	}
	means("all handed over", 0)
	for _, id := range []int{2, 3, 9} {
		if err := r.Opened(id); err != nil {
			t.Fatal(err)
		}
	}
	means("two opened", 1)
	if _, ok := r.Get(9); ok {
		t.Error("a tab was claimed by being opened")
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	r = newRegistry(t, openDB(t, path))
	begin(t, r, "p", "run", 1, 2, 3)
	means("after a restart", 1)
	claim(t, r, Tab{TabID: 2})
	means("one of them handed over", 0)
	for _, id := range []int{1, 2} {
		if err := r.Release(id); err != nil {
			t.Fatal(err)
		}
	}
	means("one left", 3)
}

// Ensure that a tab which is gone is not asked for while others are handed over,
// and that the user is asked when there is none.
func TestResolveGone(t *testing.T) {
	for _, tt := range []struct {
		claimed []Tab
		says    string
	}{
		{[]Tab{{TabID: 1, URL: "https://a.test/"}}, "browser.claimed_tabs.list"},
		{nil, "Ask the user"},
	} {
		r := newRegistry(t, openDB(t, filepath.Join(t.TempDir(), "tabs.db")))
		begin(t, r, "p", "run")
		claim(t, r, tt.claimed...)
		_, err := r.Resolve(0, Target{TabID: 9}, true)
		if f := fault.From(err); f == nil || f.Code != fault.TabNotClaimed || !strings.Contains(f.NextStep, tt.says) {
			t.Errorf("with %d tabs: %+v", len(tt.claimed), f)
		}
	}
}
