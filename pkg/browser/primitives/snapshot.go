package primitives

import (
	"context"
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/pkg/browser/snapshot"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// The default and the maximum size of a page of a snapshot.
const (
	snapshotChars    = 8000
	maxSnapshotChars = 64000
)

const (
	adviceMore = "There is more: read on with next, or narrow it with interactive:true or a locator. A larger max_chars only costs more."
	adviceMost = "A page has 64000 characters at most. Narrow the snapshot with interactive:true or a locator instead, or read on with next."
	adviceNew  = "There was no earlier snapshot of this page with these options: this is the whole one."
	adviceFar  = "Most of the page changed: this is the whole snapshot."
)

type snapshotArguments struct {
	Locator     json.RawMessage `json:"locator,omitzero"`
	Frame       json.RawMessage `json:"frame,omitzero"`
	Interactive bool            `json:"interactive,omitzero"`
	Apart       bool            `json:"apart,omitzero"`

	Diff     bool   `json:"diff,omitzero"`
	MaxChars int    `json:"max_chars,omitzero"`
	Cursor   string `json:"cursor,omitzero"`
}

// snapshotFacts are the members of a snapshot besides its lines.
type snapshotFacts struct {
	URL             string          `json:"url"`
	Title           string          `json:"title"`
	RefCount        int             `json:"ref_count"`
	NodeCount       int             `json:"node_count"`
	TotalChars      int             `json:"total_chars"`
	SecretsRedacted int             `json:"secrets_redacted"`
	Modal           bool            `json:"modal,omitzero"`
	Incomplete      bool            `json:"incomplete,omitzero"`
	Frames          []snapshotFrame `json:"frames,omitzero"`
}

// snapshotFrame is a document of another origin in a snapshot.
type snapshotFrame struct {
	URL     string `json:"url"`
	Origin  string `json:"origin"`
	LeftOut string `json:"left_out,omitzero"`
}

type snapshotOutput struct {
	snapshotFacts
	Snapshot  *string       `json:"snapshot,omitzero"`
	Diff      *string       `json:"diff,omitzero"`
	Unchanged bool          `json:"unchanged,omitzero"`
	Added     int           `json:"added,omitzero"`
	Removed   int           `json:"removed,omitzero"`
	Changed   int           `json:"changed,omitzero"`
	Truncated bool          `json:"truncated"`
	Next      *snapshotNext `json:"next,omitzero"`
	Advice    string        `json:"advice,omitzero"`
}

// snapshotNext is the call that returns the next page.
type snapshotNext struct {
	Name      string            `json:"name"`
	Arguments snapshotArguments `json:"arguments"`
}

// snapshot is page.snapshot. The page writes the lines of each document; here they become one
// tree that is saved, compared and returned in pages.
func (h *Handlers) snapshot(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[snapshotArguments](c)
	if err != nil {
		return nil, err
	}
	if args.Cursor != "" {
		return h.snapshotPage(c, args)
	}
	options, err := json.Marshal(snapshotArguments{Locator: args.Locator, Frame: args.Frame, Interactive: args.Interactive})
	if err != nil {
		return nil, fault.Wrap(err, fault.InternalError, "the options of a snapshot cannot be written")
	}
	tree, facts, err := h.compose(ctx, c, options)
	if err != nil {
		return nil, err
	}
	tab, _ := h.Tabs.Get(c.TabID) // the document is the one that was read
	key := snapshot.Key{Session: c.Session, TabID: c.TabID, Document: tab.RuntimeID, Options: string(options)}
	if args.Apart {
		key.Options += "apart"
	}
	before, had := h.snapshots.Last(key)
	now := h.snapshots.Save(snapshot.Saved{Key: key, Tree: tree, Facts: facts})
	if !args.Diff {
		return primitive.Output(pageOf(now, 0, args.MaxChars))
	}
	if had {
		if d, ok := snapshot.Diff(before.Tree, tree); ok && len(d.Text) <= pageChars(args.MaxChars) {
			return primitive.Output(snapshotOutput{
				snapshotFacts: facts, Diff: &d.Text, Unchanged: d.Text == "", Added: d.Added, Removed: d.Removed, Changed: d.Changed,
			})
		}
	}
	out := pageOf(now, 0, args.MaxChars)
	if out.Advice == "" {
		out.Advice = adviceNew
		if had {
			out.Advice = adviceFar
		}
	}
	return primitive.Output(out)
}

// snapshotPage returns a page of a saved snapshot.
func (h *Handlers) snapshotPage(c primitive.Call, args snapshotArguments) (json.RawMessage, error) {
	if args.Locator != nil || args.Frame != nil || args.Interactive || args.Apart || args.Diff {
		return nil, fault.New(fault.InvalidArguments, "a cursor goes on in the snapshot that it is of: only max_chars may stand beside it").
			With("argument", "cursor").WithDispatched(fault.NotDispatched)
	}
	kept, line, err := h.snapshots.At(c.Session, c.TabID, args.Cursor)
	if err != nil {
		return nil, err
	}
	return primitive.Output(pageOf(kept, line, args.MaxChars))
}

func pageOf(kept snapshot.Saved, from, maxChars int) snapshotOutput {
	facts, _ := kept.Facts.(snapshotFacts)
	text, after := kept.Tree.Page(from, pageChars(maxChars))
	out := snapshotOutput{snapshotFacts: facts, Snapshot: &text}
	if after < len(kept.Tree) {
		out.Truncated = true
		out.Next = &snapshotNext{"page.snapshot", snapshotArguments{Cursor: kept.Cursor(after), MaxChars: min(maxChars, maxSnapshotChars)}}
		out.Advice = adviceMore
	}
	if maxChars > maxSnapshotChars {
		out.Advice = adviceMost
	}
	return out
}

func pageChars(requested int) int {
	if requested == 0 {
		return snapshotChars
	}
	return min(requested, maxSnapshotChars)
}

// Forget deletes what is known of a tab that is no longer claimed.
func (h *Handlers) Forget(tabID int) {
	h.snapshots.Forget(tabID)
	h.pointers.forget(tabID)
}

// nearestTimeout bounds the search that an error waits for.
const nearestTimeout = 2 * time.Second

// withNearest adds to a stale_ref error the element of the present page that is most similar to
// the ref's: only here it is known what the ref named.
func (h *Handlers) withNearest(ctx context.Context, c primitive.Call, err error) error {
	f := fault.From(err)
	if f != nil && f.Code == fault.TargetNotFound && f.Evidence["nearest"] == nil {
		return f.WithNextStep("Nothing was done, and nothing similar is on the page. Call page.snapshot and name what it shows.")
	}
	if f == nil || f.Code != fault.StaleRef || f.Evidence["reason"] != "documentChanged" {
		return err
	}
	ref, _ := f.Evidence["ref"].(string)
	role, name, found := h.snapshots.Find(c.Session, c.TabID, ref)
	if !found {
		return err
	}
	args, merr := json.Marshal(map[string]string{"role": role, "name": name})
	if merr != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, nearestTimeout)
	defer cancel()
	raw, nerr := h.inPage(ctx, c, "ref.nearest", args)
	var out struct {
		Nearest json.RawMessage `json:"nearest"`
	}
	// Without a candidate it is the same error.
	if nerr != nil || json.Unmarshal(raw, &out) != nil {
		return err
	}
	return f.With("nearest", out.Nearest)
}
