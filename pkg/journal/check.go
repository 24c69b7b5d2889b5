package journal

import (
	"context"
	"time"

	"go.etcd.io/bbolt"
)

// defaultCheckDelay is how long a host that starts is left alone before its whole
// chain is checked.
const defaultCheckDelay = 2 * time.Second

// Damage returns what was found wrong with the file, at Open or since; nil for a
// sound one.
func (j *Journal) Damage() *Damage {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.found
}

func (j *Journal) setDamage(d *Damage) {
	j.mu.Lock()
	j.found = d
	j.mu.Unlock()
	if j.opt.OnDamage != nil {
		j.opt.OnDamage(d)
	}
}

// checkChain checks the chain as a whole, once. What it finds leaves a mark, by which
// the next start sets the file aside; until then the log goes on in it.
func (j *Journal) checkChain(ctx context.Context) {
	defer close(j.checked)
	select {
	case <-time.After(j.opt.checkDelay):
	case <-ctx.Done():
		return
	}
	report, err := j.verify(ctx, chainHead{}) // Open has looked at its end
	if err != nil || report.OK {
		return
	}
	problem := brokenAt(report.Bad, report.Problem)
	_ = guard(func() error { // without its mark it is found again
		return j.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bucketMeta).Put(keyBroken, []byte(problem)) })
	})
	j.setDamage(&Damage{Problem: problem, broken: true})
}
