package announcements

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actionsjson/actions-host/test/database"

	"go.etcd.io/bbolt"
)

var noon = time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)

func open(t *testing.T) (*Log, *bbolt.DB) {
	t.Helper()
	db := database.New(t)
	d, err := Open(db)
	if err != nil {
		t.Fatal(err)
	}
	must(t, d.Watch(1))
	return d, db
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// say has a region of tab 1 say the text so long after noon.
func say(t *testing.T, d *Log, after time.Duration, region, role, text string) {
	t.Helper()
	politeness := "polite"
	if role == "alert" {
		politeness = "assertive"
	}
	must(t, d.Add(1, []Item{{
		RuntimeID: "r", RegionID: region, Text: text, Politeness: politeness, Region: region, RegionRole: role, Relevant: "additions text", At: noon.Add(after),
	}}, 0))
}

func texts(all []Announcement) []string {
	var found []string
	for _, a := range all {
		found = append(found, a.Text)
	}
	return found
}

func want(t *testing.T, got []Announcement, texts_ ...string) {
	t.Helper()
	if !slices.Equal(texts(got), texts_) {
		t.Errorf("got %q, want %q", texts(got), texts_)
	}
}

func TestBursts(t *testing.T) {
	// Ensure that the same words of a region count once within two seconds, that of a rewritten region only the last word stays within five, and that a log keeps all.
	d, _ := open(t)
	say(t, d, 0, "a", "status", "1 of 3")
	say(t, d, time.Second, "a", "status", "1 of 3")
	say(t, d, 2*time.Second, "a", "status", "2 of 3")
	say(t, d, 2*time.Second, "b", "status", "other region")
	say(t, d, 8*time.Second, "a", "status", "3 of 3")
	say(t, d, 9*time.Second, "log", "log", "first line")
	say(t, d, 9*time.Second, "log", "log", "second line")
	say(t, d, 20*time.Second, "a", "status", "3 of 3")
	want(t, d.Read("s", 1, 0, 50).Announcements, "2 of 3", "other region", "3 of 3", "first line", "second line", "3 of 3")
}

func TestCursor(t *testing.T) {
	// Ensure that a reader who goes on from its cursor gets every announcement once, that the oldest go when there are too many, and that what the page lost is counted.
	d, _ := open(t)
	for i := range 310 {
		say(t, d, 0, fmt.Sprint(i), "status", fmt.Sprint(i))
	}
	r := d.Read("s", 1, 0, 2)
	want(t, r.Announcements, "10", "11")
	if r.Dropped != 10 || !r.Watching {
		t.Errorf("dropped %d, watching %t", r.Dropped, r.Watching)
	}
	r = d.Read("s", 1, r.NextCursor, 1)
	want(t, r.Announcements, "12")
	must(t, d.Add(1, nil, 4))
	if r = d.Read("s", 1, 310, 50); r.Dropped != 4 || len(r.Announcements) != 0 {
		t.Errorf("dropped %d of %v", r.Dropped, r.Announcements)
	}
	if r = d.Read("s", 2, 0, 50); r.Watching {
		t.Error("another tab is watched")
	}
}

func TestDue(t *testing.T) {
	// Ensure that a session that has not subscribed is told nothing, that one that has is told each assertive announcement once, few at a time and cut, and that modes hold for reading too.
	d, _ := open(t)
	say(t, d, 0, "a", "alert", "before")
	if due := d.Pending("s"); due != nil {
		t.Fatalf("told %v without a subscription", due)
	}
	if m := d.Subscribe("s", 1, Modes{}); m != defaultModes {
		t.Errorf("modes %v", m)
	}
	for i := range 7 {
		say(t, d, 0, fmt.Sprint(i), "alert", fmt.Sprint("alert ", i))
	}
	say(t, d, 0, "p", "status", "polite")
	want(t, d.Pending("s"), "alert 0", "alert 1", "alert 2", "alert 3", "alert 4")
	want(t, d.Pending("s"), "alert 5", "alert 6")
	want(t, d.Pending("other"))
	want(t, d.Pending("s"))
	d.Subscribe("s", 1, Modes{Polite: Inject, Assertive: Off})
	say(t, d, 0, "q", "status", strings.Repeat("é", 2000))
	say(t, d, 0, "r", "status", "next")
	if due := d.Pending("s"); len(due) != 1 || len([]rune(due[0].Text)) != maxInjectedChars {
		t.Errorf("told %d announcements", len(due))
	}
	want(t, d.Pending("s"), "next")
	if n := len(d.Read("s", 1, 0, 50).Announcements); n != 3 {
		t.Errorf("%d announcements are read with assertive off", n)
	}
	d.EndSessions("s")
	say(t, d, 0, "z", "alert", "late")
	want(t, d.Pending("s"))
}

func TestRestart(t *testing.T) {
	// Ensure that a host that starts again goes on with the watched tabs that are still claimed, with their announcements and numbers, and forgets the others.
	d, db := open(t)
	must(t, d.Watch(2))
	say(t, d, 0, "a", "status", "one")
	say(t, d, time.Second, "a", "status", "two")
	again, err := Open(db)
	must(t, err)
	must(t, again.Retain([]int{1, 3}))
	r := again.Read("s", 1, 0, 50)
	want(t, r.Announcements, "two")
	say(t, again, 10*time.Second, "a", "status", "three")
	if r = again.Read("s", 1, r.NextCursor, 50); len(r.Announcements) != 1 || r.Announcements[0].Seq != 3 {
		t.Errorf("went on with %+v", r)
	}
	if again.Watching(2) {
		t.Error("a released tab is still watched")
	}
	must(t, again.Drop(1))
	say(t, again, 0, "a", "status", "unheard")
	third, err := Open(db)
	must(t, err)
	if third.Watching(1) || third.Watching(2) {
		t.Error("a dropped tab came back")
	}
}
