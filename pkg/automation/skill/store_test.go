package skill

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/test/database"
)

func open(t *testing.T, db *bbolt.DB) *Store {
	t.Helper()
	s, err := Open(db, func() time.Time { return time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC) })
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tea() Skill {
	return Skill{Name: "tea", DomainPatterns: []string{"tea.example"}, ShortDescription: "Order tea.", Library: "const tea = () => 1; const pot = () => 1;"}
}

func want(t *testing.T, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("want %s, got %v", code, err)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestSeededOnce(t *testing.T) {
	// Ensure that the first skills are there at the first start alone, that none has code, and that what was deleted does not come back.
	db := database.New(t)
	s := open(t, db)
	first := must[[]Skill](t)(s.List(""))
	if len(first) != 3 {
		t.Fatalf("%d skills", len(first))
	}
	for _, one := range first {
		if err := one.check(); err != nil || one.Library != "" || one.CreatedAt.IsZero() {
			t.Errorf("%s: %v", one.Name, err)
		}
		if err := s.Delete(one.Name); err != nil {
			t.Fatal(err)
		}
	}
	if again := must[[]Skill](t)(open(t, db).List("")); len(again) != 0 {
		t.Errorf("after a restart: %v", again)
	}
}

func TestChanges(t *testing.T) {
	// Ensure that skills are made, renamed, changed and deleted, over a restart too, and that what cannot be done changes nothing.
	db := database.New(t)
	s := open(t, db)
	must[Skill](t)(s.Create(tea()))
	_, err := s.Create(tea())
	want(t, err, fault.SkillExists)
	renamed := tea()
	renamed.Name, renamed.Description = "tea-shop", "Green and black."
	must[Skill](t)(s.Rewrite("tea", renamed))
	_, err = s.Get("tea")
	want(t, err, fault.SkillNotFound)
	taken := tea()
	taken.Name = "github-issues"
	_, err = s.Rewrite("tea-shop", taken)
	want(t, err, fault.SkillExists)
	_, err = s.Rewrite("tea", tea())
	want(t, err, fault.SkillNotFound)
	_, err = s.Update("tea-shop", map[string]Replacement{"description": {"Green", "White"}, "examples": {"absent", "x"}})
	want(t, err, fault.SkillTextNotFound)
	_, err = s.Update("tea-shop", map[string]Replacement{"domainPatterns": {"tea", "coffee"}})
	want(t, err, fault.SkillTextNotFound)
	_, err = s.Update("tea-shop", map[string]Replacement{"shortDescription": {"Order tea.", ""}})
	want(t, err, fault.InvalidInput)
	must[Skill](t)(s.Update("tea-shop", map[string]Replacement{"library": {"=> 1", "=> 2"}, "domainPatterns": {"tea.example", "tea.example/shop/**"}}))
	got := must[Skill](t)(open(t, db).Get("tea-shop"))
	if got.Description != "Green and black." || strings.Count(got.Library, "=> 2") != 2 || !slices.Equal(got.DomainPatterns, []string{"tea.example/shop/**"}) {
		t.Errorf("%+v", got)
	}
	if err := s.Delete("tea-shop"); err != nil {
		t.Fatal(err)
	}
	want(t, s.Delete("tea-shop"), fault.SkillNotFound)
}

func TestApproval(t *testing.T) {
	// Ensure that a library runs only after the user approved this version of it, and that a change of its code, its name or its pages ends that.
	s := open(t, database.New(t))
	one := must[Skill](t)(s.Create(tea()))
	const page = "https://tea.example/"
	if got := s.Libraries(page); len(got) != 0 {
		t.Fatalf("nobody approved %v", got)
	}
	want(t, s.Approve("tea", "another"), fault.StateMismatch)
	want(t, s.Approve("coffee", one.Hash()), fault.SkillNotFound)
	approve := func() {
		t.Helper()
		one := must[Skill](t)(s.Get("tea"))
		if err := s.Approve("tea", one.Hash()); err != nil {
			t.Fatal(err)
		}
		if got := s.Libraries(page); len(got) != 1 || got[0].Code != one.Library || got[0].Hash != one.Hash() {
			t.Fatalf("%v", got)
		}
	}
	approve()
	if got := s.Libraries("https://other.example/"); len(got) != 0 {
		t.Errorf("on another page: %v", got)
	}
	must[Skill](t)(s.Update("tea", map[string]Replacement{"shortDescription": {"Order", "Buy"}}))
	if got := s.Libraries(page); len(got) != 1 {
		t.Error("other words took the approval back")
	}
	for name, change := range map[string]func() (Skill, error){
		"code": func() (Skill, error) { return s.Update("tea", map[string]Replacement{"library": {"pot", "cup"}}) },
		"pages": func() (Skill, error) {
			return s.Update("tea", map[string]Replacement{"domainPatterns": {"tea.example", "**"}})
		},
		"rewrite": func() (Skill, error) { one := tea(); one.Library += ";"; return s.Rewrite("tea", one) },
	} {
		approve()
		must[Skill](t)(change())
		if got := s.Libraries(page); len(got) != 0 {
			t.Errorf("%s: %v runs", name, got)
		}
		must[Skill](t)(s.Rewrite("tea", tea())) // back to what was approved once
		if got := s.Libraries(page); len(got) != 0 {
			t.Errorf("%s: %v runs again unasked", name, got)
		}
	}
	approve()
	if err := s.Approve("tea", ""); err != nil || len(s.Libraries(page)) != 0 {
		t.Errorf("withdrawn: %v", err)
	}
}

func TestRefusedSkills(t *testing.T) {
	// Ensure that no skill is stored that is too large, has no words, or has a pattern that no address could match.
	s := open(t, database.New(t))
	for name, spoil := range map[string]func(*Skill){
		"no name":       func(o *Skill) { o.Name = " " },
		"long name":     func(o *Skill) { o.Name = strings.Repeat("茶", 65) },
		"no patterns":   func(o *Skill) { o.DomainPatterns = nil },
		"scheme":        func(o *Skill) { o.DomainPatterns = []string{"https://tea.example"} },
		"port":          func(o *Skill) { o.DomainPatterns = []string{"tea.example:80/x"} },
		"query":         func(o *Skill) { o.DomainPatterns = []string{"tea.example/?a"} },
		"no host":       func(o *Skill) { o.DomainPatterns = []string{"/tea"} },
		"large library": func(o *Skill) { o.Library = strings.Repeat("x", maxLibrary+1) },
	} {
		one := tea()
		spoil(&one)
		if _, err := s.Create(one); !fault.Is(err, fault.InvalidInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all := must[[]Skill](t)(s.List("")); len(all) != 3 {
		t.Errorf("%d skills", len(all))
	}
}

func TestUpdateThatMultiplies(t *testing.T) {
	// Ensure that a change which would make a text far too long is refused before that text is made.
	s := open(t, database.New(t))
	one := tea()
	one.Library = strings.Repeat("x", maxLibrary)
	must[Skill](t)(s.Create(one))
	change := map[string]Replacement{"library": {"x", strings.Repeat("y", 10_000)}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := s.Update(one.Name, change)
	runtime.ReadMemStats(&after)
	if made := after.TotalAlloc - before.TotalAlloc; !fault.Is(err, fault.InvalidInput) || made > 100<<20 {
		t.Errorf("%v after %d bytes", err, made)
	}
}

func TestBrokenStore(t *testing.T) {
	// Ensure that skills which cannot be read are an error for who asks for them, and let no library run.
	db := database.New(t)
	s := open(t, db)
	err := db.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte(bucketName))
		return errors.Join(b.Put([]byte(keySkills), []byte(`{"tea":`)))
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.List(""); !fault.Is(err, fault.StorageUnavailable) {
		t.Error(err)
	}
	if got := s.Libraries("https://tea.example/"); got != nil {
		t.Error(got)
	}
	if got := s.Briefs("https://tea.example/"); len(got) != 0 {
		t.Error(got)
	}
}
