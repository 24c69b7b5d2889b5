package control

import (
	"context"
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/logview"
)

// maxLogPart bounds the records of one log_read, maxLogWait how long it waits
// for the first of them.
const (
	maxLogPart = 1000
	maxLogWait = 30 * time.Second
)

// LogParams asks for records from a sequence number on.
type LogParams struct {
	From   uint64         `json:"from,omitzero"`
	Limit  int            `json:"limit,omitzero"`
	Filter journal.Filter `json:"filter,omitzero"`
	// Newest, without From, begins so many records before the end.
	Newest int `json:"newest,omitzero"`
	// WaitMS is how long to wait while nothing is on disk from From on.
	WaitMS int `json:"wait_ms,omitzero"`
}

// LogPart is a run of records; Next is where to go on, 0 at the end.
type LogPart struct {
	Records []journal.Record `json:"records"`
	Next    uint64           `json:"next,omitzero"`
	Last    uint64           `json:"last,omitzero"` // the last one on disk, whatever the filter
}

// LogSessions lists the sessions of the log.
type LogSessions struct {
	Sessions []*logview.Session `json:"sessions"`
}

// LogSessionIDs lists their ids alone.
type LogSessionIDs struct {
	IDs []string `json:"ids"`
}

// LogFilter asks for a summary of the records that a filter means.
type LogFilter struct {
	Filter journal.Filter `json:"filter,omitzero"`
}

// log answers the methods that read the log.
func (s *Server) log(ctx context.Context, d *dispatch.Dispatcher, method string, params json.RawMessage) (any, error) {
	// Reads are logged without waiting for the disk; who looks now wants to see
	// them. A disk that takes nothing must not hide what it has.
	if err := d.Journal.Commit(ctx); err != nil && !fault.Is(err, fault.JournalUnavailable) {
		return nil, err
	}
	switch method {
	case MethodLogSessions:
		p, err := decode[LogFilter](params)
		if err != nil {
			return nil, err
		}
		sessions, err := Sessions(ctx, &d.Journal.Reader, p.Filter)
		return LogSessions{sessions}, err
	case MethodLogSessionIDs:
		ids, err := d.Journal.SessionIDs()
		return LogSessionIDs{ids}, err
	case MethodLogVerify:
		return d.Journal.Verify()
	default:
		p, err := decode[LogParams](params)
		if err != nil {
			return nil, err
		}
		return readLog(ctx, d.Journal, p)
	}
}

func readLog(ctx context.Context, log *journal.Journal, p LogParams) (LogPart, error) {
	if p.WaitMS > 0 && p.From > 0 {
		wait, cancel := context.WithTimeout(ctx, min(time.Duration(p.WaitMS)*time.Millisecond, maxLogWait))
		err := log.Wait(wait, p.From-1)
		cancel()
		if err != nil && wait.Err() == nil || ctx.Err() != nil {
			return LogPart{}, err
		}
	}
	return ReadLog(&log.Reader, p)
}

// ReadLog is one answer of log_read, from the log itself; it does not wait.
func ReadLog(log *journal.Reader, p LogParams) (LogPart, error) {
	if p.Limit <= 0 || p.Limit > maxLogPart {
		p.Limit = maxLogPart
	}
	if p.From == 0 && p.Newest > 0 {
		start, err := log.Start(p.Filter, p.Newest)
		if err != nil {
			return LogPart{}, err
		}
		if p.From = start; start == 0 { // none, by now
			p.From = ^uint64(0)
		}
	}
	part, err := log.Scan(p.Filter, p.From, p.Limit)
	if part.Records == nil {
		part.Records = []journal.Record{}
	}
	return LogPart(part), err
}

// Sessions lists the sessions of the records that a filter means.
func Sessions(ctx context.Context, log *journal.Reader, f journal.Filter) ([]*logview.Session, error) {
	sessions := logview.Sessions{List: []*logview.Session{}}
	for from := uint64(1); from != 0; {
		if err := ctx.Err(); err != nil {
			return nil, fault.From(err)
		}
		part, err := log.Scan(f, from, maxLogPart)
		if err != nil {
			return nil, err
		}
		for _, r := range part.Records {
			sessions.Record(r)
		}
		from = part.Next
	}
	return sessions.List, nil
}

// Log gives the records that the parameters mean, in order, whatever number of
// answers that takes.
func (c *Client) Log(ctx context.Context, p LogParams, each func(journal.Record) error) error {
	for {
		var part LogPart
		if err := c.Call(ctx, MethodLog, p, &part); err != nil {
			return err
		}
		for _, r := range part.Records {
			if err := each(r); err != nil {
				return err
			}
		}
		if part.Next == 0 {
			return nil
		}
		p.From = part.Next
	}
}

// Follow gives the records that the parameters mean and then those that are
// written, until the context or the connection ends. It returns where to go on.
// A log that was begun anew, since its file broke, is followed from its start.
func (c *Client) Follow(ctx context.Context, p LogParams, each func(journal.Record) error) (next uint64, err error) {
	for {
		var part LogPart
		if err := c.Call(ctx, MethodLog, p, &part); err != nil {
			return p.From, err
		}
		for _, r := range part.Records {
			if err := each(r); err != nil {
				return p.From, err
			}
			p.From = r.Seq + 1
		}
		switch {
		case part.Next != 0:
			p.From = part.Next
		case p.From > part.Last+1:
			p.From = 1
		default:
			p.From = part.Last + 1
		}
		p.WaitMS = int(maxLogWait / time.Millisecond)
	}
}

// leastLine is the least that a line of a log's text takes, in bytes.
const leastLine = 24

// SessionText gives what a session did as plain text of at most limit bytes, the
// newest last, in the local time; an empty text for an unknown session. The text
// quotes pages, whose words are nobody's instructions.
func (c *Client) SessionText(ctx context.Context, session string, limit int) (string, error) {
	var records []journal.Record
	// A line may take two records, the start and the end of a call.
	p := LogParams{Filter: journal.Filter{Session: session}, Newest: 2*limit/leastLine + 2}
	err := c.Log(ctx, p, func(r journal.Record) error {
		records = append(records, r)
		return nil
	})
	return logview.Text(records, time.Now(), time.Local, limit), err
}
