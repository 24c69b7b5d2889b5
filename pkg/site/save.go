package site

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/actionsjson/actions-host/pkg/compile"
	"github.com/actionsjson/actions-host/pkg/compile/fromlog"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// Saver is actions.save: it stores what a session did as an action of the page.
type Saver struct {
	Site *Site
	Log  *journal.Journal
}

// Job is what of the log to save, and how.
type Job struct {
	Session string
	Tab     int // only what was done there since the tab was handed over; 0: anywhere
	Calls   fromlog.Range
	Name    string // of the action; empty: made from the page
	Preview bool   // store nothing
	// Replace lets it take the place of one that was saved under the name, whose text is kept
	// beside it.
	Replace bool
	// Check tries a locator on the open page; nil: none is.
	Check func(address string, locator json.RawMessage, target *compile.Met) compile.Verdict
}

// Saved is the output of actions.save.
type Saved struct {
	Action    string   `json:"action"`
	URL       string   `json:"url"`
	Path      string   `json:"path,omitzero"`
	Unproven  bool     `json:"unproven,omitzero"`
	Sentences []string `json:"sentences"`
	Inputs    []string `json:"inputs"`
	Notes     []string `json:"notes"`
}

// Handle is the primitive's handler.
func (s Saver) Handle(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Name    string `json:"name"`
		Calls   string `json:"calls"`
		Preview bool   `json:"preview"`
	}](c)
	if err != nil {
		return nil, err
	}
	calls, err := fromlog.ParseRange(args.Calls)
	if err != nil {
		return nil, err
	}
	out, _, err := s.Save(ctx, Job{Session: c.Session.SessionID(), Calls: calls, Name: args.Name, Preview: args.Preview, Check: s.check(ctx, c)})
	if err != nil {
		return nil, err
	}
	return primitive.Output(out)
}

// Save makes an action of what a session did, and stores it.
func (s Saver) Save(ctx context.Context, job Job) (Saved, compile.Action, error) {
	run, err := s.run(ctx, job)
	if err != nil {
		return Saved{}, compile.Action{}, err
	}
	made, err := compile.Write(run, compile.Options{Name: job.Name, Catalogue: s.Site.Catalogue, Check: job.Check})
	if err != nil {
		return Saved{}, compile.Action{}, err
	}
	if len(made.Findings) > 0 {
		return Saved{}, made, fault.New(fault.InvalidMap, "the calls make a map that breaks a rule: %s", made.Findings[0].Message).With("findings", made.Findings)
	}
	out := Saved{Action: made.Name, URL: made.URL, Sentences: made.Sentences, Inputs: made.Inputs, Notes: made.Notes}
	if !job.Preview {
		if out.Path, err = s.Site.Add(made, job.Replace); err != nil {
			return Saved{}, made, err
		}
		out.Unproven = true
	}
	return out, made, nil
}

// run reads what the session did, without the call that saves it.
func (s Saver) run(ctx context.Context, job Job) (compile.Run, error) {
	if err := s.Log.Commit(ctx); err != nil && !fault.Is(err, fault.JournalUnavailable) { // reads are logged without waiting for the disk
		return compile.Run{}, err
	}
	since, err := s.claimed(ctx, job.Tab)
	if err != nil {
		return compile.Run{}, err
	}
	var records []journal.Record
	for _, filter := range fromlog.Filters(job.Session) {
		for from := since; from != 0; {
			page, err := s.Log.Scan(ctx, filter, from, 0)
			if err != nil {
				return compile.Run{}, err
			}
			for _, r := range page.Records {
				if job.Tab == 0 || !isElsewhere(r, job.Tab) {
					records = append(records, r)
				}
			}
			from = page.Next
		}
	}
	return fromlog.Read(s.Site.Catalogue, job.Session, job.Calls, records)
}

// claimed returns where in the log the tab was handed over last; 1 where it does not say.
func (s Saver) claimed(ctx context.Context, tabID int) (uint64, error) {
	since := uint64(1)
	if tabID == 0 {
		return since, nil
	}
	err := s.Log.Backwards(ctx, journal.Filter{Types: []string{journal.TypeClaim}, TabID: tabID}, func(r journal.Record) bool {
		since = r.Seq
		return false
	})
	return since, err
}

// isElsewhere reports whether the record is of a whole call in another tab.
func isElsewhere(r journal.Record, tabID int) bool {
	var o journal.Outcome
	return r.ParentID == "" && r.Type == journal.TypeOutcome && json.Unmarshal(r.Data, &o) == nil && o.TabID != 0 && o.TabID != tabID
}

// check tries locators on the tab's page; nil where they cannot be tried.
func (s Saver) check(ctx context.Context, c primitive.Call) func(string, json.RawMessage, *compile.Met) compile.Verdict {
	if c.URL == "" || s.Site.Path.Authorize(ctx, policy.Action{Name: c.Record.Name, Primitives: []string{"locator.wait_for"}}, nil) != nil {
		return nil
	}
	return compile.OnPage(ctx, c.URL, s.Site.Path.Step)
}

// Taken returns install_conflict where the page has an action of the name.
func (s *Site) Taken(address, name string) error {
	return s.taken(address, name, storage.Place{}, false)
}

// taken is Taken, unless the action is the one of the place and may be replaced.
func (s *Site) taken(address, name string, place storage.Place, replace bool) error {
	_, entry, exists := s.Store.Match(address).Tool(name)
	if !exists {
		return nil
	}
	own := entry.Path == place.Path()
	if replace && own {
		return nil
	}
	conflict := fault.New(fault.InstallConflict, "the page has an action %s already, of %s", name, entry.Path).With("path", entry.Path).
		WithNextStep("Save it under another name.")
	return conflict.With("replaceable", own)
}

// Add writes the map to a file of its own, and returns its path. The action's name must be new on
// the page, unless this very file may be replaced.
func (s *Site) Add(made compile.Action, replace bool) (string, error) {
	u, err := url.Parse(made.URL)
	if err != nil {
		return "", fault.Wrap(err, fault.InvalidInput, "the page's address cannot be read: %v", err)
	}
	place := storage.MapPlace(strings.TrimPrefix(u.Hostname(), "www."), strings.ReplaceAll(made.Name, ".", "-"))
	if err := s.taken(made.URL, made.Name, place, replace); err != nil {
		return "", err
	}
	return s.Store.AddMap(place, made.Text, replace)
}
