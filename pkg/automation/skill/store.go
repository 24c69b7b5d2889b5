package skill

import (
	_ "embed" // the first skills
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/kv"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// The names on the disk.
const (
	bucketName = "automation"
	keySkills  = "skills"
	keySeeded  = "skillsSeeded"
)

//go:embed default-skills.json
var defaults []byte

// Store holds the skills of a profile. Its methods are safe for concurrent use.
type Store struct {
	mu     sync.Mutex // one change at a time
	bucket kv.Bucket[string, map[string]Skill]
	now    func() time.Time
}

// Open opens the skills of a database, whose owner closes it, and puts the first ones there
// where it has never had any. A nil now is time.Now. The fault is storage_unavailable.
func Open(db *bbolt.DB, now func() time.Time) (*Store, error) {
	if now == nil {
		now = time.Now
	}
	s := &Store{bucket: kv.Bucket[string, map[string]Skill]{DB: db, Name: bucketName, What: "the skills"}, now: now}
	return s, s.seed()
}

func (s *Store) seed() error {
	seeded := kv.Bucket[string, bool]{DB: s.bucket.DB, Name: bucketName, What: "the skills"}
	if done, _, err := seeded.Get(keySeeded); err != nil || done {
		return err
	}
	var first []Skill
	if err := strictjson.Decode(defaults, &first, strictjson.Limits{}); err != nil {
		return fault.Wrap(err, fault.InternalError, "the first skills cannot be read: %s", fault.From(err).Message)
	}
	all, err := s.load()
	if err != nil {
		return err
	}
	for _, one := range first {
		one.CreatedAt, one.LastUpdated = s.now().UTC(), s.now().UTC()
		if _, has := all[one.Name]; !has {
			all[one.Name] = one
		}
	}
	if err := s.bucket.Put(keySkills, all); err != nil {
		return err
	}
	return seeded.Put(keySeeded, true)
}

func (s *Store) load() (map[string]Skill, error) {
	all, found, err := s.bucket.Get(keySkills)
	if !found || all == nil {
		all = map[string]Skill{}
	}
	return all, err
}

// List returns the skills by name: those about a page, or all of them without an address.
func (s *Store) List(address string) ([]Skill, error) {
	all, err := s.load()
	if err != nil {
		return nil, err
	}
	list := []Skill{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if address == "" || all[name].Matches(address) {
			list = append(list, all[name])
		}
	}
	return list, nil
}

// Briefs returns the skills about a page, none where they cannot be read.
func (s *Store) Briefs(address string) []Brief {
	briefs := []Brief{}
	list, err := s.List(address)
	if err != nil || address == "" {
		return briefs
	}
	for _, one := range list {
		briefs = append(briefs, Brief{one.Name, one.ShortDescription})
	}
	return briefs
}

// Libraries returns the libraries that may run in a page, by name: those that the user has
// approved in this version. Where the skills cannot be read there are none.
func (s *Store) Libraries(address string) []Library {
	list, err := s.List(address)
	if err != nil || address == "" {
		return nil
	}
	var libraries []Library
	for _, one := range list {
		if one.IsApproved() {
			libraries = append(libraries, Library{one.Name, one.Library, one.Hash()})
		}
	}
	return libraries
}

// Get returns a skill; the fault is skill_not_found.
func (s *Store) Get(name string) (Skill, error) {
	all, err := s.load()
	if err != nil {
		return Skill{}, err
	}
	one, ok := all[name]
	if !ok {
		return Skill{}, notFound(name)
	}
	return one, nil
}

// Create stores a new skill; the fault is skill_exists.
func (s *Store) Create(one Skill) (Skill, error) {
	return s.change(func(all map[string]Skill) (Skill, error) {
		if _, exists := all[one.Name]; exists {
			return one, taken(one.Name)
		}
		if len(all) >= MaxSkills {
			return one, invalid("there are %d skills, which is the most: delete one first", len(all))
		}
		one.CreatedAt = s.now().UTC()
		return one, nil
	})
}

// Rewrite replaces a skill as a whole; with another name it is renamed. The faults are
// skill_not_found and skill_exists.
func (s *Store) Rewrite(name string, one Skill) (Skill, error) {
	return s.change(func(all map[string]Skill) (Skill, error) {
		before, ok := all[name]
		if !ok {
			return one, notFound(name)
		}
		if _, has := all[one.Name]; has && one.Name != name {
			return one, taken(one.Name)
		}
		one.CreatedAt, one.Approved = before.CreatedAt, before.Approved
		delete(all, name)
		return one, nil
	})
}

// Replacement is a change of a text: each place where the old one stands gets the new one.
type Replacement struct {
	Old string `json:"old_string"`
	New string `json:"new_string"`
}

// Update changes texts of a skill by their member's name, all of them or none. A pattern is
// found as a whole. The faults are skill_not_found and skill_text_not_found.
func (s *Store) Update(name string, updates map[string]Replacement) (Skill, error) {
	return s.change(func(all map[string]Skill) (Skill, error) {
		one, ok := all[name]
		if !ok {
			return one, notFound(name)
		}
		one.DomainPatterns = slices.Clone(one.DomainPatterns)
		texts := map[string]*string{"shortDescription": &one.ShortDescription, "description": &one.Description, "examples": &one.Examples, "library": &one.Library}
		for _, member := range slices.Sorted(maps.Keys(updates)) {
			change := updates[member]
			at := texts[member]
			if member == "domainPatterns" {
				if i := slices.Index(one.DomainPatterns, change.Old); i >= 0 {
					at = &one.DomainPatterns[i]
				}
			} else if at != nil && (change.Old == "" || !strings.Contains(*at, change.Old)) {
				at = nil
			}
			if at == nil {
				return one, fault.New(fault.SkillTextNotFound, "the skill %q has no such text in %s", name, member).
					With("member", member).WithDispatched(fault.NotDispatched)
			}
			// A short call could name a text that stands thousands of times: nothing is made that would be refused.
			if n := len(*at) + strings.Count(*at, change.Old)*(len(change.New)-len(change.Old)); n > maxLibrary*utf8.UTFMax {
				return one, invalid("%s would have %d bytes, which is too long", member, n)
			}
			*at = strings.ReplaceAll(*at, change.Old, change.New)
		}
		return one, nil
	})
}

// Delete deletes a skill; the fault is skill_not_found.
func (s *Store) Delete(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.load()
	if err != nil {
		return err
	}
	if _, ok := all[name]; !ok {
		return notFound(name)
	}
	delete(all, name)
	return s.bucket.Put(keySkills, all)
}

// Approve lets the library run in the version with this hash, which the user has seen. An empty
// hash takes that back. The faults are skill_not_found and, for another version, state_mismatch.
func (s *Store) Approve(name, hash string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.load()
	if err != nil {
		return err
	}
	one, ok := all[name]
	switch {
	case !ok:
		return notFound(name)
	case hash != "" && hash != one.Hash():
		return fault.New(fault.StateMismatch, "the library of %q is not the one that was shown", name).
			WithNextStep("Read it again, then decide.").WithDispatched(fault.NotDispatched)
	}
	one.Approved = hash
	all[name] = one
	return s.bucket.Put(keySkills, all)
}

// change stores the skill that the function returns. An approval holds for its own version only.
func (s *Store) change(make func(all map[string]Skill) (Skill, error)) (Skill, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.load()
	if err != nil {
		return Skill{}, err
	}
	one, err := make(all)
	if err == nil {
		err = one.check()
	}
	if err != nil {
		return Skill{}, err
	}
	one.LastUpdated = s.now().UTC()
	if !one.IsApproved() {
		one.Approved = ""
	}
	all[one.Name] = one
	return one, s.bucket.Put(keySkills, all)
}

func notFound(name string) error {
	return fault.New(fault.SkillNotFound, "there is no skill %q", name).WithDispatched(fault.NotDispatched)
}

func taken(name string) error {
	return fault.New(fault.SkillExists, "there is a skill %q already", name).WithDispatched(fault.NotDispatched)
}
