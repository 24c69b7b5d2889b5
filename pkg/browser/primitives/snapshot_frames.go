package primitives

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser/snapshot"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Bounds of what a page's frames may cost.
const (
	maxSnapshotFrames = 40
	frameTimeout      = 3 * time.Second
)

// documentLines is the output of snapshot.document.
type documentLines struct {
	Lines           snapshot.Tree `json:"lines"`
	RefCount        int           `json:"ref_count"`
	Modal           bool          `json:"modal"`
	SecretsRedacted int           `json:"secrets_redacted"`
	Incomplete      bool          `json:"incomplete"`
	Frames          []struct {
		Line int    `json:"line"`
		Key  string `json:"key"`
	} `json:"frames"`
	URL   string `json:"url"`
	Title string `json:"title"`
}

// composer puts the documents of a tab together.
type composer struct {
	h     *Handlers
	c     primitive.Call
	inner json.RawMessage // the arguments for the documents of frames

	frames  []protocol.Frame // nil until a frame has to be looked for
	entered int
	facts   snapshotFacts
}

// compose reads the document that the options lead to, and all frames in it.
func (h *Handlers) compose(ctx context.Context, c primitive.Call, options json.RawMessage) (snapshot.Tree, snapshotFacts, error) {
	var args snapshotArguments
	if err := json.Unmarshal(options, &args); err != nil {
		return nil, snapshotFacts{}, fault.Wrap(err, fault.InternalError, "the options of a snapshot cannot be read")
	}
	inner, err := json.Marshal(snapshotArguments{Interactive: args.Interactive})
	if err != nil {
		return nil, snapshotFacts{}, fault.Wrap(err, fault.InternalError, "the options of a snapshot cannot be written")
	}
	m := &composer{h: h, c: c, inner: inner}
	doc, err := m.read(ctx, "", options)
	if err != nil {
		return nil, snapshotFacts{}, err
	}
	m.facts.URL, m.facts.Title, m.facts.Modal = doc.URL, doc.Title, doc.Modal
	tree, err := m.withFrames(ctx, doc)
	if err != nil {
		return nil, snapshotFacts{}, err
	}
	m.facts.NodeCount, m.facts.TotalChars = len(tree), tree.Chars()
	return tree, m.facts, nil
}

func (m *composer) read(ctx context.Context, id string, args json.RawMessage) (documentLines, error) {
	raw, _, err := m.h.inDocument(ctx, m.c, id, "snapshot.document", args)
	if err != nil {
		return documentLines{}, err
	}
	var doc documentLines
	if err := json.Unmarshal(raw, &doc); err != nil {
		return doc, fault.Wrap(err, fault.InvalidResult, "the page gave lines that cannot be read: %v", err)
	}
	m.facts.RefCount += doc.RefCount
	m.facts.SecretsRedacted += doc.SecretsRedacted
	m.facts.Incomplete = m.facts.Incomplete || doc.Incomplete
	return doc, nil
}

// withFrames returns the document's lines with those of its frames in their place.
func (m *composer) withFrames(ctx context.Context, doc documentLines) (snapshot.Tree, error) {
	if len(doc.Frames) == 0 {
		return doc.Lines, nil
	}
	listed := m.list(ctx)
	if ctx.Err() != nil {
		return nil, fault.From(ctx.Err())
	}
	inserts := map[int]snapshot.Insert{}
	for _, place := range doc.Frames {
		i := slices.IndexFunc(m.frames, func(f protocol.Frame) bool { return f.Key == place.Key && f.Key != "" })
		if i < 0 {
			remark := "(left out, it has no document that can be read yet)"
			if listed != nil {
				remark = leftOutRemark(listed)
			}
			inserts[place.Line] = snapshot.Insert{Remark: remark}
			continue
		}
		insert, err := m.frame(ctx, m.frames[i])
		if err != nil {
			return nil, err
		}
		inserts[place.Line] = insert
	}
	return doc.Lines.WithInserts(inserts), nil
}

// list asks once which documents the tab has.
func (m *composer) list(ctx context.Context) error {
	if m.frames != nil {
		return nil
	}
	all, err := m.h.Browser.Frames(ctx, m.c.TabID)
	if err != nil {
		return err
	}
	m.frames = all.Frames
	return nil
}

// frame reads one frame's document. One that cannot be read is reported and left out; only the
// end of the call itself is an error.
func (m *composer) frame(ctx context.Context, f protocol.Frame) (snapshot.Insert, error) {
	var insert snapshot.Insert
	if u, err := url.Parse(f.URL); err == nil && u.Host != "" {
		insert.States = []string{"host=" + u.Host}
	}
	row := snapshotFrame{URL: f.URL, Origin: f.Origin}
	doc, err := m.readFrame(ctx, f)
	if err == nil {
		insert.Tree, err = m.withFrames(ctx, doc)
	}
	if ctx.Err() != nil {
		return insert, fault.From(ctx.Err())
	}
	if err != nil {
		row.LeftOut = string(fault.From(err).Code)
		insert.Remark = leftOutRemark(err)
		if fault.Is(err, fault.PermissionDenied) {
			insert.Remark = "(not permitted, " + f.Origin + ")"
		}
		if fault.Is(err, fault.PermissionDenied) || fault.Is(err, fault.NeedsApproval) {
			row.URL = f.Origin // the rest of its address is not for the session either
		}
	}
	m.facts.Frames = append(m.facts.Frames, row)
	return insert, nil
}

func leftOutRemark(err error) string { return "(left out, " + string(fault.From(err).Code) + ")" }

func (m *composer) readFrame(ctx context.Context, f protocol.Frame) (documentLines, error) {
	if m.entered++; m.entered > maxSnapshotFrames {
		m.facts.Incomplete = true
		return documentLines{}, fault.New(fault.PayloadTooLarge, "the page has more than %d frames of other origins", maxSnapshotFrames)
	}
	if f.Origin != m.c.Origin && !slices.Contains(m.c.FrameOrigins, f.Origin) {
		if err := m.c.Permit(f.Origin); err != nil {
			return documentLines{}, err
		}
		m.c.FrameOrigins = append(m.c.FrameOrigins, f.Origin)
	}
	limited, cancel := context.WithTimeout(ctx, frameTimeout)
	defer cancel()
	doc, err := m.read(limited, f.DocumentID, m.inner)
	return doc, err
}
