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
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Saver is actions.save: it stores what a session did as an action of the page.
type Saver struct {
	Site *Site
	Log  *journal.Journal
}

// saved is the output of actions.save.
type saved struct {
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
	run, err := s.run(ctx, c.Session.SessionID(), calls)
	if err != nil {
		return nil, err
	}
	made, err := compile.Write(run, compile.Options{Name: args.Name, Catalogue: s.Site.Catalogue, Check: s.check(ctx, c)})
	if err != nil {
		return nil, err
	}
	if len(made.Findings) > 0 {
		return nil, fault.New(fault.InvalidMap, "the calls make a map that breaks a rule: %s", made.Findings[0].Message).With("findings", made.Findings)
	}
	out := saved{Action: made.Name, URL: made.URL, Sentences: made.Sentences, Inputs: made.Inputs, Notes: made.Notes}
	if !args.Preview {
		if out.Path, err = s.Site.Add(made); err != nil {
			return nil, err
		}
		out.Unproven = true
	}
	return primitive.Output(out)
}

// run reads what the session did, without the call that saves it.
func (s Saver) run(ctx context.Context, session string, calls fromlog.Range) (compile.Run, error) {
	if err := s.Log.Commit(ctx); err != nil && !fault.Is(err, fault.JournalUnavailable) { // reads are logged without waiting for the disk
		return compile.Run{}, err
	}
	var records []journal.Record
	for _, filter := range fromlog.Filters(session) {
		for from := uint64(1); from != 0; {
			page, err := s.Log.Scan(ctx, filter, from, 0)
			if err != nil {
				return compile.Run{}, err
			}
			records = append(records, page.Records...)
			from = page.Next
		}
	}
	return fromlog.Read(s.Site.Catalogue, session, calls, records)
}

// check tries locators on the tab's page; nil where they cannot be tried.
func (s Saver) check(ctx context.Context, c primitive.Call) func(string, json.RawMessage, *compile.Met) compile.Verdict {
	if c.URL == "" || s.Site.Path.Authorize(ctx, c.Record.Name, []string{"locator.wait_for"}, nil) != nil {
		return nil
	}
	return compile.OnPage(ctx, c.URL, s.Site.Path.Step)
}

// Taken returns install_conflict where the page has an action of the name.
func (s *Site) Taken(address, name string) error {
	if _, entry, exists := s.Store.Match(address).Tool(name); exists {
		return fault.New(fault.InstallConflict, "the page has an action %s already, of %s", name, entry.Path).With("path", entry.Path).
			WithNextStep("Save it under another name.")
	}
	return nil
}

// Add writes the map to a file of its own, which must be new, as must be the action's name, and
// returns its path.
func (s *Site) Add(made compile.Action) (string, error) {
	u, err := url.Parse(made.URL)
	if err != nil {
		return "", fault.Wrap(err, fault.InvalidInput, "the page's address cannot be read: %v", err)
	}
	if err := s.Taken(made.URL, made.Name); err != nil {
		return "", err
	}
	return s.Store.AddMap(strings.TrimPrefix(u.Hostname(), "www."), strings.ReplaceAll(made.Name, ".", "-"), made.Text)
}
