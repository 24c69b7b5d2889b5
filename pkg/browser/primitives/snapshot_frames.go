package primitives

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/browser/snapshot"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// Bounds of what a page's frames may cost.
const (
	maxSnapshotFrames = 40
	framesAtOnce      = 8
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

// composer puts the documents of a tab together. It enters the frames level by level, those of
// one level side by side: a page of twenty frames waits for the slowest, not for all in turn.
type composer struct {
	h     *Handlers
	c     primitive.Call
	inner json.RawMessage // the arguments for the documents of frames

	frames  []protocol.Frame // nil until a frame has to be looked for
	entered int
}

// shownDocument is a document with those of its frames.
type shownDocument struct {
	documentLines
	frame    protocol.Frame
	err      error                  // why it was left out
	inFrames map[int]*shownDocument // by the lines of the frames
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
	root := &shownDocument{}
	if root.documentLines, err = m.read(ctx, "", options); err != nil {
		return nil, snapshotFacts{}, err
	}
	for level := []*shownDocument{root}; len(level) > 0; {
		level = m.enter(ctx, level)
		m.readAll(ctx, level)
		if ctx.Err() != nil {
			return nil, snapshotFacts{}, fault.From(ctx.Err())
		}
	}
	facts := snapshotFacts{URL: root.URL, Title: root.Title, Modal: root.Modal, Incomplete: m.entered > maxSnapshotFrames}
	tree := root.compose(&facts)
	facts.NodeCount, facts.TotalChars = len(tree), tree.Chars()
	return tree, facts, nil
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
	return doc, nil
}

// enter finds the documents of the frames in the documents, and returns those that may be read.
func (m *composer) enter(ctx context.Context, level []*shownDocument) []*shownDocument {
	if !slices.ContainsFunc(level, func(doc *shownDocument) bool { return len(doc.Frames) > 0 }) {
		return nil
	}
	listed := m.list(ctx)
	var within []*shownDocument
	for _, doc := range level {
		doc.inFrames = make(map[int]*shownDocument, len(doc.Frames))
		for _, place := range doc.Frames {
			one := &shownDocument{err: listed}
			doc.inFrames[place.Line] = one
			i := slices.IndexFunc(m.frames, func(f protocol.Frame) bool { return f.Key == place.Key && f.Key != "" })
			if i < 0 {
				continue
			}
			one.frame = m.frames[i]
			if one.err = m.permit(one.frame); one.err == nil {
				within = append(within, one)
			}
		}
	}
	return within
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

// permit reports whether the session may read the frame, and counts it.
func (m *composer) permit(f protocol.Frame) error {
	if m.entered++; m.entered > maxSnapshotFrames {
		return fault.New(fault.PayloadTooLarge, "the page has more than %d frames of other origins", maxSnapshotFrames)
	}
	if f.Origin != m.c.Origin && !slices.Contains(m.c.FrameOrigins, f.Origin) {
		if err := m.c.Permit(f.Origin); err != nil {
			return err
		}
		m.c.FrameOrigins = append(m.c.FrameOrigins, f.Origin)
	}
	return nil
}

// readAll reads the documents of frames, a few at once.
func (m *composer) readAll(ctx context.Context, docs []*shownDocument) {
	var reads sync.WaitGroup
	free := make(chan struct{}, framesAtOnce)
	for _, doc := range docs {
		free <- struct{}{}
		reads.Go(func() {
			defer func() { <-free }()
			limited, cancel := context.WithTimeout(ctx, frameTimeout)
			defer cancel()
			doc.documentLines, doc.err = m.read(limited, doc.frame.DocumentID, m.inner)
		})
	}
	reads.Wait()
}

// compose returns the document's lines with those of its frames in their place, and adds what
// there is to know of them to the facts. A frame that was not read is reported and left out.
func (d *shownDocument) compose(facts *snapshotFacts) snapshot.Tree {
	facts.RefCount += d.RefCount
	facts.SecretsRedacted += d.SecretsRedacted
	facts.Incomplete = facts.Incomplete || d.Incomplete
	if len(d.inFrames) == 0 {
		return d.Lines
	}
	inserts := make(map[int]snapshot.Insert, len(d.inFrames))
	for _, place := range d.Frames {
		inserts[place.Line] = d.inFrames[place.Line].insert(facts)
	}
	return d.Lines.WithInserts(inserts)
}

func (d *shownDocument) insert(facts *snapshotFacts) snapshot.Insert {
	f := d.frame
	switch {
	case f.DocumentID == "" && d.err != nil:
		return snapshot.Insert{Remark: leftOutRemark(d.err)}
	case f.DocumentID == "":
		return snapshot.Insert{Remark: "(left out, it has no document that can be read yet)"}
	}
	var insert snapshot.Insert
	if u, err := url.Parse(f.URL); err == nil && u.Host != "" {
		insert.States = []string{"host=" + u.Host}
	}
	row := snapshotFrame{URL: f.URL, Origin: f.Origin}
	if d.err == nil {
		insert.Tree = d.compose(facts)
	} else {
		row.LeftOut = string(fault.From(d.err).Code)
		insert.Remark = leftOutRemark(d.err)
		if fault.Is(d.err, fault.PermissionDenied) {
			insert.Remark = "(not permitted, " + f.Origin + ")"
		}
		if fault.Is(d.err, fault.PermissionDenied) || fault.Is(d.err, fault.NeedsApproval) {
			row.URL = f.Origin // the rest of its address is not for the session either
		}
	}
	facts.Frames = append(facts.Frames, row)
	return insert
}

func leftOutRemark(err error) string { return "(left out, " + string(fault.From(err).Code) + ")" }
