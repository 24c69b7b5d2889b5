package automation

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

const (
	// pickTTL is how long the user may take to choose an element.
	pickTTL = 60 * time.Second
	// pickInterval is how long the page waits for the user before it answers that nothing came,
	// so that a tab that the user has left is noticed.
	pickInterval = time.Second
	// pickCloseTimeout bounds the end of a picker whose call has ended.
	pickCloseTimeout = 3 * time.Second
)

// pickers are the tabs in which the user chooses an element.
type pickers struct {
	mu   sync.Mutex
	tabs map[int]bool
}

func (p *pickers) begin(tabID int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tabs[tabID] {
		return false
	}
	if p.tabs == nil {
		p.tabs = map[int]bool{}
	}
	p.tabs[tabID] = true
	return true
}

func (p *pickers) end(tabID int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.tabs, tabID)
}

// pick has the user point at an element. The page's own document shows the picker and knows
// only points; what is at them is found in the document that is there.
func (t *Tools) pick(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	if !t.pickers.begin(c.TabID) {
		return nil, fault.New(fault.PickerActive, "the user is choosing an element in this tab already").WithDispatched(fault.NotDispatched)
	}
	defer t.pickers.end(c.TabID)
	p := &picking{t: t, c: c, until: time.Now().Add(pickTTL)}
	if err := p.checkShown(); err != nil {
		return nil, err
	}
	if err := p.open(ctx); err != nil {
		return nil, pickerGone(err)
	}
	defer p.close(ctx)
	c.LeaveLane()
	if err := p.follow(ctx); err != nil {
		return nil, err
	}
	return p.describe(ctx)
}

// open shows the picker. Where the document goes away meanwhile nobody has seen it, and the next
// document shows it.
func (p *picking) open(ctx context.Context) error {
	for {
		_, err := p.t.Browser.RunOnce(ctx, p.c, "", "picker.open", p.c.Arguments)
		if !fault.Is(err, fault.RuntimeReplaced) || p.c.RuntimeID != "" || ctx.Err() != nil {
			return err
		}
	}
}

// picking is one picker while it is open.
type picking struct {
	t     *Tools
	c     primitive.Call
	until time.Time

	base   pickedElement // the innermost one where the user points
	marked pickedElement // that one, or one around it
	denied map[string]bool
}

// pickedElement is what a document has at a point. Its token stands for it there.
type pickedElement struct {
	Token string          `json:"token"`
	Box   json.RawMessage `json:"box"`
	Label string          `json:"label"`
	Level int             `json:"level"`
	Frame bool            `json:"frame"`

	documentID string
	x, y       float64
}

// looksLike reports whether the element is the other one, or one that a page has drawn again in its place.
func (e pickedElement) looksLike(other pickedElement) bool {
	return e.Token == other.Token || e.documentID == other.documentID && e.Label == other.Label && e.Level == other.Level && bytes.Equal(e.Box, other.Box)
}

// pickEvent is what the user did.
type pickEvent struct {
	Event  string   `json:"event"`
	X      *float64 `json:"x"`
	Y      *float64 `json:"y"`
	By     int      `json:"by"`
	Reason string   `json:"reason"`
}

// follow marks what the user points at until one element is chosen.
func (p *picking) follow(ctx context.Context) error {
	for {
		event, err := p.next(ctx)
		if err != nil {
			return err
		}
		switch event.Event {
		case "cancel":
			return pickCancelled(event.Reason)
		case "point":
			err = p.point(ctx, *event.X, *event.Y)
		case "climb":
			err = p.climb(ctx, event.By)
		case "choose":
			var chosen bool
			if chosen, err = p.choose(ctx, event); chosen {
				return nil
			}
		}
		if err != nil {
			return err
		}
	}
}

// choose reports whether the user has chosen what is marked. The page may have put something
// else there since it was marked: that is marked then, and the user chooses again.
func (p *picking) choose(ctx context.Context, event pickEvent) (bool, error) {
	x, y := p.base.x, p.base.y
	switch {
	case event.X != nil && event.Y != nil:
		x, y = *event.X, *event.Y
	case p.base.Token == "":
		return false, nil
	}
	shown := p.marked
	if err := p.point(ctx, x, y); err != nil || p.marked.Token == "" {
		return false, err
	}
	return shown.Token == "" || p.marked.looksLike(shown), nil
}

// next draws the mark and waits for what the user does.
func (p *picking) next(ctx context.Context) (pickEvent, error) {
	if err := p.checkShown(); err != nil {
		return pickEvent{}, err
	}
	left := time.Until(p.until)
	if left <= 0 {
		return pickEvent{}, fault.New(fault.Timeout, "the user chose no element within %s", pickTTL).WithDispatched(fault.WasDispatched).
			WithNextStep("Ask the user in words which one is meant, or go on without it.")
	}
	args := map[string]any{"wait_ms": min(left, pickInterval).Milliseconds()}
	if p.marked.Token != "" {
		args["mark"], args["label"] = p.marked.Box, p.marked.Label
	}
	var event pickEvent
	if _, err := p.run(ctx, "", "picker.next", args, &event); err != nil {
		return event, pickerGone(err)
	}
	if event.Event == "point" && (event.X == nil || event.Y == nil) {
		return event, fault.New(fault.InvalidResult, "the picker gave no point").WithDispatched(fault.WasDispatched)
	}
	return event, nil
}

// checkShown ends the picker of a tab that its window does not show: nobody can point there.
// The page itself may not know, as the debugger has it believe that it is shown.
func (p *picking) checkShown() error {
	tab, ok := p.t.Browser.Tabs.Get(p.c.TabID)
	switch {
	case !ok:
		return pickCancelled("closed")
	case !tab.Active:
		return pickCancelled("hidden")
	}
	return nil
}

// point marks what is at a point. The levels that the user climbed stay while the pointer
// stays on the same element.
func (p *picking) point(ctx context.Context, x, y float64) error {
	base, err := p.elementAt(ctx, x, y, 0)
	if fault.Is(err, fault.TargetNotFound) {
		p.base, p.marked = pickedElement{}, pickedElement{}
		return nil
	}
	if err != nil {
		return err
	}
	level := p.marked.Level
	if !base.looksLike(p.base) {
		level = 0
	}
	p.base, p.marked = base, base
	if level > 0 {
		return p.mark(ctx, level)
	}
	return nil
}

// climb marks an element further out, or further in again.
func (p *picking) climb(ctx context.Context, by int) error {
	if p.base.Token == "" {
		return nil
	}
	return p.mark(ctx, max(0, p.marked.Level+by))
}

func (p *picking) mark(ctx context.Context, level int) error {
	at, err := p.elementAt(ctx, p.base.x, p.base.y, level)
	if err == nil {
		p.marked = at
	}
	if fault.Is(err, fault.TargetNotFound) {
		return nil
	}
	return err
}

// elementAt returns what is at a point, in a frame too if the session may read there: else
// the frame itself. Nobody is asked for a permission because the pointer moves.
func (p *picking) elementAt(ctx context.Context, x, y float64, level int) (pickedElement, error) {
	outside := false
	for {
		at := pickedElement{x: x, y: y}
		id, err := p.run(ctx, "", "picker.element", map[string]any{"x": x, "y": y, "level": level, "outside": outside}, &at)
		at.documentID = id
		if fault.Is(err, fault.FrameOriginUndecided) && !outside {
			outside = !p.mayEnter(fault.From(err))
			continue
		}
		if !outside && (fault.Is(err, fault.FrameNotFound) || fault.Is(err, fault.FrameCrossOrigin)) {
			outside = true
			continue
		}
		return at, pickerGone(err)
	}
}

func (p *picking) mayEnter(undecided *fault.Error) bool {
	frame, _ := undecided.Evidence["origin"].(string)
	if frame == "" || p.denied[frame] {
		return false
	}
	if p.c.WouldPermit(frame) != nil || p.c.Permit(frame) != nil {
		if p.denied == nil {
			p.denied = map[string]bool{}
		}
		p.denied[frame] = true
		return false
	}
	p.c.FrameOrigins = append(p.c.FrameOrigins, frame)
	return true
}

// run runs a primitive of the picker in the page, and in no later one. It returns the id of the
// frame's document in which it ran.
func (p *picking) run(ctx context.Context, documentID, name string, args map[string]any, into any) (string, error) {
	raw, err := primitive.Output(args)
	if err != nil {
		return "", err
	}
	out, err := p.t.Browser.RunOnce(ctx, p.c, documentID, name, raw)
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(out.Output, into); err != nil {
		return "", fault.Wrap(err, fault.InvalidResult, "the output of %s cannot be read: %v", name, err).WithDispatched(fault.WasDispatched)
	}
	return out.DocumentID, nil
}

// close takes the picker away; that of a document that is gone went with it.
func (p *picking) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pickCloseTimeout)
	defer cancel()
	_, _ = p.t.Browser.RunOnce(ctx, p.c, "", "picker.close", json.RawMessage("{}"))
}

// pickCancelled returns the error of a picker that ended without a choice.
func pickCancelled(reason string) error {
	text := map[string]string{
		"escape": "the user pressed Escape", "button": "the user pressed Cancel", "hidden": "the tab is not shown", "closed": "the tab is gone",
	}[reason]
	if text == "" {
		text, reason = "the page went away", "navigation"
	}
	return fault.New(fault.PickerCancelled, "no element was chosen: %s", text).With("reason", reason).WithDispatched(fault.WasDispatched)
}

// pickerGone converts the errors of a document that went away with its picker.
func pickerGone(err error) error {
	switch f := fault.From(err); {
	case err == nil:
		return nil
	case f.Code == fault.PickerCancelled:
		reason, _ := f.Evidence["reason"].(string)
		return pickCancelled(reason)
	case f.Code == fault.RuntimeReplaced || f.Code == fault.StateMismatch || f.Code == fault.RuntimeNotReady:
		return pickCancelled("navigation")
	case f.Code == fault.TabNotClaimed || f.Code == fault.RuntimeNotFound:
		return pickCancelled("closed")
	default:
		return err
	}
}
