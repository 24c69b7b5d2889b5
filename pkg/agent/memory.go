package agent

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/origin"
)

// Limits of what a session is sent about earlier ones.
const (
	maxRecalled   = 20
	memoryRecords = 2000 // of the newest records are read
	memoryTTL     = 14 * 24 * time.Hour
)

var (
	agentBucket = []byte("agent")
	memoryFrom  = []byte("memory_from") // sequence number: what came before is forgotten
)

// Memory is what the log holds of earlier sessions: which actions were run and
// what came of them. What a model concluded from that is not in it, so that no
// wrong conclusion lives on.
type Memory struct {
	Log *journal.Journal
}

// Recall returns the newest outcomes as text, oldest first; empty without any.
func (m Memory) Recall(now time.Time) (string, error) {
	lines, _, err := m.outcomes(now)
	if err != nil || len(lines) == 0 {
		return "", err
	}
	lines = lines[max(0, len(lines)-maxRecalled):]
	return "Recorded in earlier sessions (facts from the log; the pages may have changed since):\n" + strings.Join(lines, "\n"), nil
}

// Forget makes Recall begin after now, and returns how many outcomes are forgotten.
func (m Memory) Forget() (int, error) {
	lines, last, err := m.outcomes(time.Now())
	if err != nil {
		return 0, err
	}
	err = m.Log.Bolt().Update(func(tx *bbolt.Tx) error {
		bucket, err := tx.CreateBucketIfNotExists(agentBucket)
		if err != nil {
			return err
		}
		return bucket.Put(memoryFrom, binary.BigEndian.AppendUint64(nil, last+1))
	})
	if err != nil {
		return 0, fault.Wrap(err, fault.JournalUnavailable, "the memory cannot be cleared: %v", err)
	}
	return len(lines), nil
}

func (m Memory) outcomes(now time.Time) (lines []string, last uint64, err error) {
	var from uint64
	err = m.Log.Bolt().View(func(tx *bbolt.Tx) error {
		if bucket := tx.Bucket(agentBucket); bucket != nil {
			if value := bucket.Get(memoryFrom); len(value) == 8 {
				from = binary.BigEndian.Uint64(value)
			}
		}
		return nil
	})
	if err != nil {
		return nil, 0, fault.Wrap(err, fault.JournalUnavailable, "the memory cannot be read: %v", err)
	}
	if last, err = m.Log.Last(); err != nil {
		return nil, 0, err
	}
	start := max(from, last-min(last, memoryRecords))
	records, err := m.Log.Read(start, memoryRecords+1)
	if err != nil {
		return nil, last, err
	}
	for _, r := range records {
		if r.Type == journal.TypeOutcome && r.ParentID == "" && strings.HasPrefix(r.SessionID, "voice") && now.Sub(r.At) < memoryTTL {
			if line := outcomeLine(r); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines, last, nil
}

// outcomeLine returns an outcome as text; empty for all but stored actions.
func outcomeLine(r journal.Record) string {
	var data journal.Outcome
	_ = json.Unmarshal(r.Data, &data) // members of other types stay unset
	if data.Map == "" || data.Action == "" {
		return "" // of stored actions only: primitives are means, not outcomes
	}
	place := ""
	if o, err := origin.Parse(data.URL); err == nil {
		place = " on " + o.String()
	}
	result := "done"
	if !data.Succeeded() && data.Error != nil {
		result = "failed: " + string(data.Error.Code)
	}
	return fmt.Sprintf("- %s %s%s: %s", r.At.Format("2006-01-02 15:04"), data.Action, place, result)
}
