package control

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/logview"
	"github.com/actionsjson/actions-host/pkg/rpc"
)

// maxLogRecords bounds the records of one log_read, maxLogTimeout its wait for the first of
// them.
const (
	maxLogRecords = 1000
	maxLogTimeout = 30 * time.Second
)

// LogParams requests records from a sequence number on.
type LogParams struct {
	From   uint64         `json:"from,omitzero"`
	Limit  int            `json:"limit,omitzero"`
	Filter journal.Filter `json:"filter,omitzero"`
	// Newest, without From, begins this many records before the end.
	Newest int `json:"newest,omitzero"`
	// WaitMS is how long to wait for a record at or after From on disk.
	WaitMS int `json:"wait_ms,omitzero"`
}

// LogPage is a page of records; Next is where to go on, 0 at the end.
type LogPage struct {
	Records []journal.Record `json:"records"`
	Next    uint64           `json:"next,omitzero"`
	Last    uint64           `json:"last,omitzero"` // the last one on disk, whatever the filter
}

// LogSessions lists the sessions of the log.
type LogSessions struct {
	Sessions []*logview.Session `json:"sessions"`
}

// LogSessionIDs lists only the ids of the sessions of the log.
type LogSessionIDs struct {
	IDs []string `json:"ids"`
}

// LogFilter requests a summary of the records that match a filter.
type LogFilter struct {
	Filter journal.Filter `json:"filter,omitzero"`
}

// handleLog handles the methods that read the log: one per connection at a time, whose
// answer is sent before the next begins, so that a client that requests much at once,
// or does not read, costs no more than one that requests little.
func (s *Server) handleLog(ctx context.Context, used *connection, method string, p LogParams) (any, error) {
	log := s.service.Dispatcher().Journal
	if err := awaitLog(ctx, log, p); err != nil {
		return nil, err
	}
	var err error
	if p.Filter.Session, err = s.readableSession(used, method, p.Filter.Session); err != nil {
		return nil, err
	}
	select {
	case used.reading <- struct{}{}:
	case <-ctx.Done():
		return nil, fault.From(ctx.Err())
	}
	answer, err := answerLog(ctx, log, method, p)
	return rpc.Answer{Result: answer, OnSent: func() { <-used.reading }}, err
}

// awaitLog waits for a record if the caller requests that.
func awaitLog(ctx context.Context, log *journal.Journal, p LogParams) error {
	if p.WaitMS <= 0 || p.From == 0 {
		return nil
	}
	wait, cancel := context.WithTimeout(ctx, min(time.Duration(p.WaitMS)*time.Millisecond, maxLogTimeout))
	defer cancel()
	if err := log.Wait(wait, p.From-1); err != nil && wait.Err() == nil || ctx.Err() != nil {
		return err
	}
	return nil
}

// readableSession returns the session whose log a connection may read: any, or, if one of the
// sessions that called over it is confined, only theirs. Verifying the chain reveals
// no session's data and is open to all.
func (s *Server) readableSession(used *connection, method, asked string) (string, error) {
	own, confined := s.sessionsOf(used)
	switch {
	case confined == nil || method == MethodLogVerify || slices.Contains(own, asked):
		return asked, nil
	case asked == "" && len(own) == 1 && method != MethodLogSessionIDs:
		return own[0], nil
	default:
		return "", confined.WithNextStep("Ask for the log of a session of this connection alone: " + strings.Join(own[:min(len(own), 5)], ", ") + ".")
	}
}

func answerLog(ctx context.Context, log *journal.Journal, method string, p LogParams) (any, error) {
	// Reads are logged without waiting for the disk; a reader wants to see them. A disk
	// that cannot be written to must not hide what it has.
	if err := log.Commit(ctx); err != nil && !fault.Is(err, fault.JournalUnavailable) {
		return nil, err
	}
	switch method {
	case MethodLogSessions:
		sessions, err := Sessions(ctx, &log.Reader, p.Filter)
		return LogSessions{sessions}, err
	case MethodLogSessionIDs:
		ids, err := log.SessionIDs(ctx)
		return LogSessionIDs{ids}, err
	case MethodLogVerify:
		return log.Verify(ctx)
	default:
		return encodedLog(ctx, &log.Reader, p)
	}
}

// encodedLog is [ReadLog] as JSON: the host has no use for the records itself.
func encodedLog(ctx context.Context, log *journal.Reader, p LogParams) (rpc.Encoded, error) {
	if err := p.begin(ctx, log); err != nil {
		return nil, err
	}
	text, next, last, err := log.AppendScan(ctx, []byte(`{"records":[`), p.Filter, p.From, p.Limit)
	if err != nil {
		return nil, err
	}
	text = append(text, ']')
	if next != 0 {
		text = strconv.AppendUint(append(text, `,"next":`...), next, 10)
	}
	if last != 0 {
		text = strconv.AppendUint(append(text, `,"last":`...), last, 10)
	}
	return append(text, '}'), nil
}

// ReadLog returns one answer of log_read, from the log itself; it does not wait.
func ReadLog(ctx context.Context, log *journal.Reader, p LogParams) (LogPage, error) {
	if err := p.begin(ctx, log); err != nil {
		return LogPage{}, err
	}
	page, err := log.Scan(ctx, p.Filter, p.From, p.Limit)
	if page.Records == nil {
		page.Records = []journal.Record{}
	}
	return LogPage(page), err
}

// begin finds where the newest records begin, and bounds the answer.
func (p *LogParams) begin(ctx context.Context, log *journal.Reader) error {
	if p.Limit <= 0 || p.Limit > maxLogRecords {
		p.Limit = maxLogRecords
	}
	if p.From != 0 || p.Newest <= 0 {
		return nil
	}
	start, err := log.Start(ctx, p.Filter, p.Newest)
	if p.From = start; start == 0 { // none, by now
		p.From = ^uint64(0)
	}
	return err
}

// Sessions returns the sessions of the records that match a filter.
func Sessions(ctx context.Context, log *journal.Reader, f journal.Filter) ([]*logview.Session, error) {
	sessions := logview.Sessions{List: []*logview.Session{}}
	if f.All() {
		err := log.Tallied(ctx, sessions.Add, sessions.Record)
		if err != nil {
			return nil, err
		}
		open, err := log.Open(ctx)
		sessions.SetRunning(open)
		return sessions.List, err
	}
	for from := uint64(1); from != 0; {
		page, err := log.Scan(ctx, f, from, maxLogRecords)
		if err != nil {
			return nil, err
		}
		leave, err := log.Turn(ctx) // counting them is as much work as finding them
		if err != nil {
			return nil, err
		}
		for _, r := range page.Records {
			sessions.Record(r)
		}
		leave()
		from = page.Next
	}
	return sessions.List, nil
}

// Log calls each with the records that match the parameters, in order, over any number
// of requests: while each works on the records of one, the host reads those of the next.
func (c *Client) Log(ctx context.Context, p LogParams, each func(journal.Record) error) error {
	return readLog(ctx, c, p, each)
}

// LogJSON is [Client.Log] for a caller that only passes the records on.
func (c *Client) LogJSON(ctx context.Context, p LogParams, each func(json.RawMessage) error) error {
	return readLog(ctx, c, p, each)
}

func readLog[R any](ctx context.Context, c *Client, p LogParams, each func(R) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	asked, err := c.Start(ctx, MethodLog, p)
	for err == nil && asked != nil {
		var page struct { // as in LogPage
			Records []R    `json:"records"`
			Next    uint64 `json:"next"`
			Last    uint64 `json:"last"`
		}
		if err := asked.Await(ctx, &page); err != nil {
			return err
		}
		asked = nil
		if p.From = page.Next; p.From != 0 {
			asked, err = c.Start(ctx, MethodLog, p)
		}
		for _, r := range page.Records {
			if err := each(r); err != nil {
				if asked != nil {
					cancel() // the host need not read on
					_ = asked.Await(ctx, nil)
				}
				return err
			}
		}
	}
	return err
}

// Follow calls each with the records that match the parameters and then with new ones,
// until the context or the connection ends. It returns where to go on. A log that was
// started anew, since its file was corrupt, is followed from its start.
func (c *Client) Follow(ctx context.Context, p LogParams, each func(journal.Record) error) (next uint64, err error) {
	for {
		var page LogPage
		if err := c.Call(ctx, MethodLog, p, &page); err != nil {
			return p.From, err
		}
		for _, r := range page.Records {
			if err := each(r); err != nil {
				return p.From, err
			}
			p.From = r.Seq + 1
		}
		switch {
		case page.Next != 0:
			p.From = page.Next
		case p.From > page.Last+1:
			p.From = 1
		default:
			p.From = page.Last + 1
		}
		p.WaitMS = int(maxLogTimeout / time.Millisecond)
	}
}

// minLineBytes is the minimum length of a line of a log's text, in bytes.
const minLineBytes = 24

// SessionText returns a session's log as plain text of at most limit bytes, the newest
// last, in the local time; an empty text for an unknown session. The text quotes pages,
// which must never be followed as instructions.
func (c *Client) SessionText(ctx context.Context, session string, limit int) (string, error) {
	var records []journal.Record
	// A line may take two records, the start and the end of a call.
	p := LogParams{Filter: journal.Filter{Session: session}, Newest: 2*limit/minLineBytes + 2}
	err := c.Log(ctx, p, func(r journal.Record) error {
		records = append(records, r)
		return nil
	})
	return logview.Text(records, time.Now(), time.Local, limit), err
}
