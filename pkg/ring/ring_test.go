package ring

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestRing(t *testing.T) {
	// Ensure that the oldest entries go at either bound, that each reader learns how many went unseen, and that a removed entry is no lost one.
	r := New[string](3, 10)
	for _, v := range []string{"a", "b", "c", "d"} {
		r.Add(v, 2)
	}
	if got := values(r, 0); !slices.Equal(got, []string{"2b", "3c", "4d"}) || r.Dropped(0) != 1 || r.Dropped(1) != 0 {
		t.Fatalf("%v, dropped %d and %d", got, r.Dropped(0), r.Dropped(1))
	}
	r.Remove(3)
	r.Add("large", 9)
	if got := values(r, 2); !slices.Equal(got, []string{"5large"}) || r.Dropped(2) != 2 || r.Dropped(4) != 0 {
		t.Fatalf("%v, dropped %d", got, r.Dropped(2))
	}
	r.Add("larger than the ring", 99)
	if got := values(r, 0); !slices.Equal(got, []string{"6larger than the ring"}) {
		t.Fatalf("%v", got)
	}
	r.Clear()
	if len(values(r, 0)) != 0 || r.Dropped(0) != 0 || r.Last() != 6 {
		t.Errorf("after Clear: %v, dropped %d, last %d", values(r, 0), r.Dropped(0), r.Last())
	}
	r.Resume(100)
	if seq := r.Add("z", 1); seq != 101 {
		t.Errorf("went on with %d", seq)
	}
}

func TestNothingIsLostUntold(t *testing.T) {
	// Ensure that a reader who goes on from any number gets, together with what it is told was dropped, every entry that was ever added behind it.
	rapid.Check(t, func(t *rapid.T) {
		r := New[int](rapid.IntRange(1, 5).Draw(t, "count"), rapid.IntRange(1, 30).Draw(t, "bytes"))
		added := rapid.IntRange(0, 20).Draw(t, "added")
		for i := range added {
			r.Add(i, rapid.IntRange(0, 20).Draw(t, "size"))
		}
		for i := range rapid.IntRange(0, 3).Draw(t, "floods") { // some are dropped before they come
			skipped := rapid.IntRange(0, 3).Draw(t, "skipped")
			r.Skip(uint64(skipped))
			r.Add(i, 1)
			added += skipped + 1
		}
		since := uint64(rapid.IntRange(0, added).Draw(t, "since"))
		got := uint64(0)
		for range r.Since(since) {
			got++
		}
		if got+r.Dropped(since) != uint64(added)-since {
			t.Fatalf("%d given, %d dropped, %d added behind %d", got, r.Dropped(since), added, since)
		}
	})
}

func values(r *Ring[string], since uint64) []string {
	var all []string
	for seq, v := range r.Since(since) {
		all = append(all, fmt.Sprint(seq)+v)
	}
	return all
}
