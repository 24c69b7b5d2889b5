package journal

import (
	"fmt"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/redact"
)

// Damage is what was found wrong with a log's file.
type Damage struct {
	// Problem describes it.
	Problem string `json:"problem"`
	// MovedTo is the file name of the broken file, in the same folder; empty where
	// it was not moved.
	MovedTo string `json:"moved_to,omitempty"`
	// Kept is how many records of a broken file could be read, and are in the log.
	Kept int `json:"kept,omitempty"`
	// Missing are the records that could not be read, or were not there: first and
	// last of each run.
	Missing [][2]uint64 `json:"missing,omitempty"`
	// Lost names what else of the file could not be read.
	Lost []string `json:"lost,omitempty"`

	broken bool
}

// Broken reports whether the file could not be read as it was: else only its last
// transaction may be missing.
func (d *Damage) Broken() bool { return d.broken }

func (d *Damage) firstMissing() uint64 {
	if len(d.Missing) == 0 {
		return 0
	}
	return d.Missing[0][0]
}

// String returns all of it as one sentence; empty for a nil d.
func (d *Damage) String() string {
	if d == nil {
		return ""
	}
	sentences := []string{d.Problem}
	for _, run := range d.Missing {
		if run[0] == run[1] {
			sentences = append(sentences, fmt.Sprintf("record %d cannot be read", run[0]))
		} else {
			sentences = append(sentences, fmt.Sprintf("records %d to %d cannot be read", run[0], run[1]))
		}
	}
	if len(d.Lost) > 0 {
		sentences = append(sentences, "nor can "+strings.Join(d.Lost, ", "))
	}
	if d.MovedTo != "" {
		sentences = append(sentences, "the broken file is kept as "+d.MovedTo)
	}
	return strings.Join(sentences, "; ")
}

// Damage returns what was found broken in the file that is read; nil for a sound
// one. Of a broken file the reader returns what could be read.
func (r *Reader) Damage() *Damage { return r.damage }

// DamagedRecord returns a record, after the others, for what cannot be read of a
// broken file; nil where all of it can.
func (r *Reader) DamagedRecord(at time.Time) *Record {
	if r.damage == nil || !r.damage.broken {
		return nil
	}
	last, err := r.Last()
	if err != nil {
		last = 0 // the records before it show why
	}
	for _, run := range r.damage.Missing {
		last = max(last, run[1])
	}
	return &Record{Seq: last + 1, At: at.UTC(), Type: TypeDamaged, Data: redact.Encode(r.damage)}
}
