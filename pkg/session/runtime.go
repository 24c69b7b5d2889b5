package session

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

const (
	defaultPaceMS = 500 // a pace that a person can follow by eye
	maxPaceMS     = 10_000

	defaultLogLimit = 80
	// maxLogged bounds the arguments and messages of one entry, in bytes.
	maxLogged = 400
)

func (s *Sessions) configurePacing(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		MinIntervalMS *float64 `json:"min_interval_ms"`
	}](c)
	if err != nil {
		return nil, err
	}
	interval := float64(defaultPaceMS)
	if args.MinIntervalMS != nil {
		interval = *args.MinIntervalMS
	}
	if interval < 0 || interval > maxPaceMS {
		return nil, fault.New(fault.InvalidInterval, "min_interval_ms is from 0 to %d, not %g", maxPaceMS, interval).WithDispatched(fault.NotDispatched)
	}
	c.Session.Pace(time.Duration(interval * float64(time.Millisecond)))
	return primitive.Output(map[string]float64{"min_interval_ms": interval})
}

// agentDone ends the task of a model.
func agentDone(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	done, err := primitive.Arguments[primitive.Done](c)
	if err != nil {
		return nil, err
	}
	verified, err := c.Session.Finish()
	if err != nil {
		return nil, err
	}
	c.Meta.Done = &done
	return primitive.Output(map[string]any{"done": true, "outcome": done.Outcome, "verified": verified})
}

// sessionName names the session for people, in its status and in the log.
func (s *Sessions) sessionName(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Name string `json:"name"`
	}](c)
	if err != nil {
		return nil, err
	}
	data, err := primitive.Output(args)
	if err != nil {
		return nil, err
	}
	id := c.Session.SessionID()
	if err := s.Path.Journal.Append(ctx, journal.Record{SessionID: id, Type: journal.TypeSessionNamed, Data: data}); err != nil {
		return nil, err
	}
	c.Session.SetName(args.Name)
	return primitive.Output(map[string]any{"named": true, "name": args.Name, "session_id": id})
}

// finalizeTabs ends the session's state of its tabs: the queues and the current tab.
// The tabs themselves are the user's and stay as they are.
func (s *Sessions) finalizeTabs(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	held, err := s.Tasks.EndSession(c.Session.SessionID())
	if err != nil {
		return nil, err
	}
	if current := c.Session.Current(); current != 0 && !slices.Contains(held, current) {
		held = append(held, current)
	}
	c.Session.SetCurrent(0)
	slices.Sort(held)
	return primitive.Output(map[string]any{"finalized": true, "tabs": append([]int{}, held...)})
}

// logged is a short form of a log record.
type logged struct {
	Seq        uint64          `json:"seq"`
	At         time.Time       `json:"at"`
	Type       string          `json:"type"`
	Name       string          `json:"name,omitzero"`
	CallID     string          `json:"call_id,omitzero"`
	ParentID   string          `json:"parent_id,omitzero"`
	OK         *bool           `json:"ok,omitzero"`
	Code       string          `json:"code,omitzero"`
	Message    string          `json:"message,omitzero"`
	DurationMS float64         `json:"duration_ms,omitzero"`
	TabID      int             `json:"tab_id,omitzero"`
	URL        string          `json:"url,omitzero"`
	Arguments  json.RawMessage `json:"arguments,omitzero"`
}

// sessionLog reads the newest records of a session, oldest first.
func (s *Sessions) sessionLog(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		SessionID string `json:"session_id"`
		Limit     int    `json:"limit"`
	}](c)
	if err != nil {
		return nil, err
	}
	own := c.Session.SessionID()
	if args.SessionID == "" {
		args.SessionID = own
	}
	if reader, ok := c.Session.(*dispatch.Session); ok && args.SessionID != own {
		if confined := s.Path.Confined(reader); confined != nil {
			return nil, confined
		}
	}
	if args.Limit == 0 {
		args.Limit = defaultLogLimit
	}
	// The newest records need not be on disk yet, but must be in the answer.
	if err := s.Path.Journal.Commit(ctx); err != nil && !fault.Is(err, fault.JournalUnavailable) {
		return nil, err
	}
	records, more, err := s.Path.Journal.Newest(ctx, args.SessionID, args.Limit)
	if err != nil {
		return nil, err
	}
	events := make([]logged, len(records))
	for i, r := range records {
		events[i] = summarize(r)
		if !c.Session.Sees(events[i].URL) {
			events[i].URL = "" // where one of its tabs went
		}
	}
	return primitive.Output(map[string]any{"session_id": args.SessionID, "count": len(events), "more": more, "events": events})
}

func summarize(r journal.Record) logged {
	short := logged{Seq: r.Seq, At: r.At, Type: r.Type, Name: r.Name, CallID: r.CallID, ParentID: r.ParentID}
	var data struct {
		journal.Outcome
		Name string `json:"name"` // of a named session
	}
	_ = json.Unmarshal(r.Data, &data) // members of other types stay unset, as do those that another kind has not
	short.OK, short.DurationMS, short.TabID, short.URL = data.OK, data.DurationMS, data.TabID, truncate.Characters(data.URL, maxLogged)
	if data.Error != nil {
		short.Code, short.Message = string(data.Error.Code), truncate.Characters(data.Error.Message, maxLogged)
	}
	if len(data.Arguments) <= maxLogged {
		short.Arguments = data.Arguments
	}
	if short.Name == "" {
		short.Name = data.Name
	}
	return short
}
