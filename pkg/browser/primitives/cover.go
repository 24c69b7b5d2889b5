package primitives

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

const (
	// maxCoverAttempts bounds how often a picture is taken anew because the page changed
	// its frames meanwhile.
	maxCoverAttempts = 6
	// changedAttempts is how many of these show frames that came since the attempt before.
	// From then on they are left out: some pages bring new ones all the time.
	changedAttempts = 3
	// listTimeout bounds the wait for frames that are just coming: unknown frames are covered.
	listTimeout    = 2 * time.Second
	uncoverTimeout = 3 * time.Second // for the cover to be taken off
)

// Why a frame is left out of a picture.
const (
	notPermitted  = "not_permitted"  // by the session's origins, a refusal, or for want of an approval
	notAnswering  = "not_answering"  // its document hangs or has crashed
	notCertain    = "not_certain"    // it may be seen, and could not be told apart from others safely
	insideCovered = "inside_covered" // a frame around it is left out
)

// coverage describes the frames that a picture leaves out.
type coverage struct {
	Frames  int             `json:"frames"`
	Origins []coveredOrigin `json:"origins"`
}

type coveredOrigin struct {
	Origin string `json:"origin"` // null where the documents have none
	Reason string `json:"reason"`
	Frames int    `json:"frames"`
}

// cover leaves out of a picture the frames that the session may not see, and where secrets
// are to be hidden the fields whose text is not known to be none. All frames
// of the tab go undrawn, those too that come while the picture is taken, except
// frames that are lifted out of it: their elements are told apart by the browser,
// by a mark that no page can set. The picture counts only if each of them still
// shows, afterwards, the document that it was lifted for.
type cover struct {
	h         *Handlers
	c         primitive.Call
	following *browser.Following
	decisions map[string]bool // by origin
	selective bool            // any origin could be refused, not only those that the policy file denies
	secrets   bool            // fields are left out, too

	uncertain      map[string]bool // frames and origins that are not to be lifted
	opaque         bool            // nor is any document without an address
	shown          []browser.Frame
	hidden         []browser.Frame
	markedSessions map[string]bool // sessions whose elements are marked
	fields         []fieldList     // those that may be seen, by document
	listed         []browser.Frame // at the start of the last attempt
}

// captureCovered takes a picture without the frames that the session may not see, and without
// secrets where they are to be hidden.
func (h *Handlers) captureCovered(ctx context.Context, c primitive.Call, secrets bool, shoot func(context.Context) (picture, error)) (picture, error) {
	k, err := h.newCover(ctx, c, secrets, browser.Follower{Domain: marksDomain})
	if err != nil {
		return picture{}, err
	}
	k.markedSessions[""] = true // an earlier picture may have left marks: it ends with its time
	defer k.close(ctx)
	if secrets {
		k.watchFrames(ctx)
	}
	if err := k.catchUp(ctx); err != nil {
		return picture{}, err
	}
	for attempt := range maxCoverAttempts {
		p, sure, err := k.captureOnce(ctx, attempt >= changedAttempts, shoot)
		if err != nil || sure {
			return p, err
		}
	}
	return picture{}, fault.New(fault.ScreenshotCoverFailed, "the page changed its frames or fields each time that a picture was taken")
}

func (h *Handlers) newCover(ctx context.Context, c primitive.Call, secrets bool, follower browser.Follower) (*cover, error) {
	following, err := h.Browser.Debugger(c.TabID).Follow(ctx, follower)
	if err != nil {
		return nil, err
	}
	return &cover{
		h: h, c: c, following: following, secrets: secrets, selective: c.DependsOnOrigin != nil && c.DependsOnOrigin(),
		decisions: map[string]bool{}, uncertain: map[string]bool{}, markedSessions: map[string]bool{},
	}, nil
}

// catchUp waits until the frames that are there are known, or for too long.
func (k *cover) catchUp(ctx context.Context) error {
	wait, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	if err := k.following.CatchUp(wait, k.c.Origin); err != nil && wait.Err() == nil {
		return err
	}
	return nil
}

// captureOnce takes one picture. Lasting leaves out the frames that the last attempt did not list. Sure
// is false if the page changed a frame that may be seen, or if a frame could not be marked safely.
func (k *cover) captureOnce(ctx context.Context, lasting bool, shoot func(context.Context) (picture, error)) (p picture, sure bool, err error) {
	before, err := k.list(ctx)
	if err != nil {
		return p, false, err
	}
	if lasting {
		k.doubt(slices.DeleteFunc(slices.Clone(before), k.wasListed))
	}
	k.listed, k.shown = before, nil
	for _, f := range before {
		if k.reason(f) == "" {
			k.shown = append(k.shown, f)
		}
	}
	if safe, err := k.coverFrames(ctx); err != nil || !safe {
		return p, false, err
	}
	if p, err = shoot(ctx); err != nil {
		return p, false, err
	}
	after, err := k.list(ctx)
	if err != nil {
		return p, false, err
	}
	p.coverage = k.coverage(after)
	if k.secrets {
		p.hiddenFields = new(k.hiddenFields())
	}
	return p, k.stillShown(after) && k.fieldsUnchanged(ctx), nil
}

func (k *cover) list(ctx context.Context) ([]browser.Frame, error) {
	all, err := k.following.Frames(ctx, k.c.Origin)
	if err == nil && (len(all) == 0 || !all[0].Top) {
		err = fault.New(fault.ScreenshotCoverFailed, "the browser names no document")
	}
	return all, err
}

// wasListed reports whether the last attempt listed the frame, with the same document.
func (k *cover) wasListed(f browser.Frame) bool {
	return slices.ContainsFunc(k.listed, func(was browser.Frame) bool { return was.ID == f.ID && was.Document == f.Document })
}

// reason returns why the frame is left out; empty if it may be seen.
func (k *cover) reason(f browser.Frame) string {
	switch {
	case f.Top:
		return ""
	case k.shownFrame(f.Parent).ID == "":
		return insideCovered
	case f.Missing != "":
		return notAnswering
	case manifest.IsExtensionPage(f.URL):
		return k.uncertainReason(f)
	case !k.permitted(f):
		return notPermitted
	}
	return k.uncertainReason(f)
}

func (k *cover) uncertainReason(f browser.Frame) string {
	if k.uncertain[f.ID] || k.uncertain[f.Origin] || k.opaque && !origin.Operable(f.URL) {
		return notCertain
	}
	return ""
}

func (k *cover) permitted(f browser.Frame) bool {
	if k.selective {
		return f.Origin != "" && k.permits(f.Origin)
	}
	if k.c.DeniesOrigins == nil || !k.c.DeniesOrigins() {
		return true
	}
	address, err := origin.Parse(f.URL) // a sandboxed document has no origin
	return k.permits(f.Origin) && (err != nil || k.permits(address.String()))
}

func (k *cover) permits(of string) bool {
	if of == "" || of == k.c.Origin {
		return true
	}
	allowed, known := k.decisions[of]
	if !known {
		allowed = k.c.WouldPermit(of) == nil
		k.decisions[of] = allowed
	}
	return allowed
}

// coverFrames marks the frames and fields that may be seen and hides all others. Safe is false if one had
// to be left out after all.
func (k *cover) coverFrames(ctx context.Context) (safe bool, err error) {
	k.releaseFields(ctx)
	if !k.unmark(ctx) || !k.markShownFrames(ctx) {
		return false, ctx.Err()
	}
	if k.secrets {
		k.judgeFields(ctx)
		k.markOpenFields(ctx)
	}
	if sure, err := k.applyCover(ctx); err != nil || !sure {
		return false, err
	}
	now, err := k.list(ctx)
	if err != nil || !k.stillShown(now) {
		return false, err
	}
	k.hidden = slices.DeleteFunc(now, func(f browser.Frame) bool { return k.shownFrame(f.ID).ID != "" })
	return k.awaitDrawn(ctx), ctx.Err()
}

// applyCover applies the cover to all documents. A frame whose document does not apply it
// cannot be shown: its content is unknown.
func (k *cover) applyCover(ctx context.Context) (sure bool, err error) {
	result, err := k.h.Browser.CoverFrames(ctx, k.c.TabID, ":"+shownPseudoClass, k.secrets)
	if err != nil {
		return false, fault.Wrap(err, fault.ScreenshotCoverFailed, "the frames cannot be covered: %s", fault.From(err).Message)
	}
	k.opaque = k.opaque || !result.Complete
	for _, silent := range result.Silent {
		k.uncertain[silent] = true
	}
	return !slices.ContainsFunc(k.shown, func(f browser.Frame) bool { return !f.Top && k.uncertainReason(f) != "" }), nil
}

// stillShown reports whether each frame that was to be seen still shows the document
// that it did. A document comes once: it was that one all the time.
func (k *cover) stillShown(after []browser.Frame) bool {
	for _, was := range k.shown {
		if !slices.ContainsFunc(after, func(now browser.Frame) bool {
			return now.ID == was.ID && now.Document == was.Document && now.Session == was.Session && now.Missing == ""
		}) {
			return false
		}
	}
	return true
}

// coverage counts what was left out.
func (k *cover) coverage(after []browser.Frame) *coverage {
	out := &coverage{}
	for _, f := range after {
		reason := k.reason(f)
		if reason == "" && k.shownFrame(f.ID).ID == "" {
			reason = notCertain // it came meanwhile
		}
		if reason == "" {
			continue
		}
		out.Frames++
		of := cmp.Or(f.Origin, "null")
		i := slices.IndexFunc(out.Origins, func(o coveredOrigin) bool { return o.Origin == of && o.Reason == reason })
		if i < 0 {
			i = len(out.Origins)
			out.Origins = append(out.Origins, coveredOrigin{Origin: of, Reason: reason})
		}
		out.Origins[i].Frames++
	}
	if out.Frames == 0 {
		return nil
	}
	return out
}

// close removes the cover. If it fails, the worker does so by itself.
func (k *cover) close(ctx context.Context) {
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), uncoverTimeout)
	defer cancel()
	_ = k.h.Browser.UncoverFrames(end, k.c.TabID)
	k.releaseFields(end)
	k.unmark(end)
	_ = k.following.Stop(end)
}
