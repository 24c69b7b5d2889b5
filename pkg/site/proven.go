package site

import (
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/kv"
)

// Proofs remembers which recorded actions have run well: by the hash of the action, so that one
// that somebody changed is unproven again. The map itself is the user's file and stays as it is.
type Proofs struct{ passed kv.Bucket[string, proof] }

type proof struct {
	VerifiedAt time.Time `json:"verified_at"`
}

// OpenProofs opens the proofs of a database, whose owner closes it.
func OpenProofs(db *bbolt.DB) *Proofs {
	return &Proofs{kv.Bucket[string, proof]{DB: db, Name: "proven_actions", What: "the proofs of recorded actions"}}
}

// unproven reports whether the action was recorded and has not passed yet.
func (p *Proofs) unproven(t *actionmap.Tool) bool {
	if p == nil || !t.Recorded() {
		return false
	}
	_, found, err := p.passed.Get(t.Digest)
	return !found && err == nil
}

// pass keeps that the action has run and its postcondition, if it has one, held.
func (p *Proofs) pass(t *actionmap.Tool, now time.Time) error {
	if !p.unproven(t) {
		return nil
	}
	return p.passed.Put(t.Digest, proof{now.UTC().Truncate(time.Second)})
}
