package tabs

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
)

func TestObservers(t *testing.T) {
	// Ensure that observers are called in their order, before a claim and after a release, also of a tab that is not claimed, and that an error prevents the claim and keeps the observers behind it from being called; those of a release are all called.
	r := newRegistry(t, openDB(t, filepath.Join(t.TempDir(), "tabs.db")))
	begin(t, r, "p", "run")
	var calls []string
	var failure error
	note := func(name string) func(int) error {
		return func(tabID int) error {
			_, claimed := r.Get(tabID)
			calls = append(calls, fmt.Sprint(name, tabID, claimed))
			return failure
		}
	}
	r.Observe(Observer{BeforeClaim: note("a"), AfterRelease: note("A")})
	r.Observe(Observer{})
	r.Observe(Observer{BeforeClaim: note("b"), AfterRelease: note("B")})
	want := func(step string, err error, want ...string) {
		t.Helper()
		if !errors.Is(err, failure) || !slices.Equal(calls, want) {
			t.Errorf("%s: %v, called %q", step, err, calls)
		}
		calls = nil
	}
	want("claim", r.Claim(Tab{TabID: 7}), "a7 false", "b7 false")
	want("release", r.Release(7), "A7 false", "B7 false")
	want("release of an unclaimed tab", r.Release(8), "A8 false", "B8 false")
	failure = errors.New("no disk")
	want("claim that fails", r.Claim(Tab{TabID: 7}), "a7 false")
	if _, claimed := r.Get(7); claimed {
		t.Error("claimed in spite of an error")
	}
	want("release that fails", r.Release(7), "A7 false", "B7 false")
}
