package ui

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/origin"
)

const (
	maxActivity = 20
	// maxScanned bounds the records that are read: the steps of stored actions are
	// between the calls.
	maxScanned = 2000
)

// Activity is a short form of a log record.
type Activity struct {
	Seq       uint64    `json:"seq"`
	At        time.Time `json:"at"`
	Type      string    `json:"type"` // outcome, policy, claim or release
	SessionID string    `json:"session_id,omitzero"`
	Name      string    `json:"name,omitzero"`
	Action    string    `json:"action,omitzero"`   // of a stored action
	Argument  string    `json:"argument,omitzero"` // what the primitive is about
	OK        bool      `json:"ok"`
	Code      string    `json:"code,omitzero"`
	Message   string    `json:"message,omitzero"`
	TabID     int       `json:"tab_id,omitzero"`
	Title     string    `json:"title,omitzero"` // of the tab, while it is claimed
	Host      string    `json:"host,omitzero"`

	call string
}

// activity returns the newest calls, refusals, claims and releases.
func (b *Backend) activity(ctx context.Context) ([]Activity, error) {
	all := []Activity{}
	scanned, actions := 0, map[string]string{}
	wanted := map[string]bool{} // calls whose intent names the action
	err := b.log.Backwards(ctx, journal.Filter{}, func(r journal.Record) bool {
		scanned++
		var data journal.Outcome
		_ = json.Unmarshal(r.Data, &data)
		switch {
		case r.Type == journal.TypeIntent && wanted[r.CallID]:
			actions[r.CallID] = data.ActionName()
			delete(wanted, r.CallID)
		case len(all) < maxActivity && isShown(r, data):
			all = append(all, b.summarize(r, data))
			if r.Name == dispatch.SiteTool && all[len(all)-1].Action == "" {
				wanted[r.CallID] = true
			}
		}
		return scanned < maxScanned && (len(all) < maxActivity || len(wanted) > 0)
	})
	for i := range all {
		if action, ok := actions[all[i].call]; ok {
			all[i].Action = action
		}
	}
	return all, err
}

// isShown reports whether a person wants to see the record: whole calls, refusals, and
// claims and releases of tabs.
func isShown(r journal.Record, data journal.Outcome) bool {
	switch r.Type {
	case journal.TypeOutcome:
		return r.ParentID == "" && r.SessionID != dispatch.OwnSession
	case journal.TypePolicy:
		return r.ParentID == "" && data.Error != nil
	case journal.TypeClaim, journal.TypeRelease:
		return true
	}
	return false
}

func (b *Backend) summarize(r journal.Record, data journal.Outcome) Activity {
	a := Activity{
		Seq: r.Seq, At: r.At, Type: r.Type, SessionID: r.SessionID, Name: r.Name, Action: data.ActionName(),
		OK: data.Succeeded(), TabID: data.TabID, Host: hostOf(data.URL), call: r.CallID,
	}
	if record, ok := b.Path.Catalogue.Record(r.Name); ok {
		a.Argument = record.LabelArgument(data.Arguments)
	}
	if data.Error != nil {
		a.Code, a.Message = string(data.Error.Code), data.Error.Message
	}
	// The tab may show another site by now, whose title would mislead.
	if tab, ok := b.Tabs.Get(data.TabID); ok && (a.Host == "" || hostOf(tab.URL) == a.Host) {
		a.Title, a.Host = strings.TrimSpace(tab.Title), hostOf(tab.URL)
	}
	return a
}

func hostOf(url string) string {
	o, err := origin.Parse(url)
	if err != nil {
		return ""
	}
	return o.Host
}
