package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/pagedata"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/tabs"
	"github.com/actionsjson/actions-host/pkg/voice"
)

const (
	// settleDelay is what a page has to show what came of a call.
	settleDelay = 250 * time.Millisecond
	// lookInterval is the least time between two pictures.
	lookInterval = 500 * time.Millisecond
	// maxControls is how many of the page's controls stand beside its picture.
	maxControls = 25
	// controlsChars bounds the snapshot that they are taken from.
	controlsChars = 6000
)

// Pictures is after which calls a model is shown the page without having asked.
type Pictures string

// The settings, each with what the one before it has.
const (
	PicturesOff         Pictures = "off"
	PicturesNavigation  Pictures = "navigation"   // calls that may lead to another page
	PicturesStateChange Pictures = "state_change" // calls that may change what the site keeps
	PicturesEveryStep   Pictures = "every_step"   // all calls
)

// counts reports whether the page is shown after a call with the outcome.
func (p Pictures) counts(o voice.Outcome) bool {
	switch p {
	case PicturesNavigation:
		return o.Ran && slices.Contains(o.Classes, "navigation")
	case PicturesStateChange:
		return o.Ran && (slices.Contains(o.Classes, "navigation") || slices.Contains(o.Classes, "state_change"))
	case PicturesEveryStep:
		return o.Ran
	}
	return false
}

// looks is what is remembered of the pictures of one session.
type looks struct {
	mu   sync.Mutex // held while a picture is taken
	last time.Time
}

// Look takes a picture of the page after the calls of one answer, if one of them counts by the
// user's setting and none has taken a picture itself. Secrets are not in it.
func (a *Agent) Look(ctx context.Context, outcomes []voice.Outcome) (*voice.Image, error) {
	due, tab := false, 0
	if a.Pictures == nil {
		return nil, nil
	}
	setting := a.Pictures()
	for _, o := range outcomes {
		if o.Image != "" {
			return nil, nil
		}
		if setting.counts(o) {
			due, tab = true, o.TabID
		}
	}
	if !due || tab == 0 && a.Session.Current() == 0 {
		return nil, nil
	}
	a.looks.mu.Lock()
	defer a.looks.mu.Unlock()
	delay := max(settleDelay, lookInterval-time.Since(a.looks.last))
	taken, err := a.lookWith(ctx, tab, "browser.screenshot", map[string]any{"profile": "compact", "hide_secrets": true, "delay_ms": delay.Milliseconds()})
	if err != nil {
		return nil, err
	}
	a.looks.last = time.Now()
	picture := taken.Picture()
	if picture == "" || len(picture) > maxImage {
		return nil, fault.New(fault.ScreenshotCaptureFailed, "the picture has %d characters; %d at most are sent", len(picture), maxImage)
	}
	controls, err := a.controls(ctx, tab)
	if err != nil {
		return nil, err
	}
	return &voice.Image{DataURL: picture, Caption: "The page after your last calls; fields that hold secrets are not drawn. Its first controls:\n" + pagedata.Seal(controls)}, nil
}

// controls returns the first controls of the page as a snapshot names them.
func (a *Agent) controls(ctx context.Context, tab int) (string, error) {
	e, err := a.lookWith(ctx, tab, "page.snapshot", map[string]any{"interactive": true, "apart": true, "max_chars": controlsChars})
	if err != nil {
		return "", err
	}
	var output struct {
		Snapshot string `json:"snapshot"`
	}
	if err := json.Unmarshal(e.Output, &output); err != nil {
		return "", fault.Wrap(err, fault.InvalidResult, "the snapshot cannot be read: %v", err)
	}
	return firstControls(output.Snapshot, maxControls), nil
}

// firstControls returns the lines of a snapshot up to the control of that number.
func firstControls(snapshot string, number int) string {
	count := 0
	lines := strings.Split(snapshot, "\n")
	for i, line := range lines {
		if strings.Contains(line, "[ref=") {
			if count++; count > number {
				return strings.Join(lines[:i], "\n")
			}
		}
	}
	return snapshot
}

// lookWith runs a primitive for a look at the page.
func (a *Agent) lookWith(ctx context.Context, tab int, name string, arguments map[string]any) (dispatch.Envelope, error) {
	arguments["policy_exception_report"] = map[string]string{
		"kind": "generic", "intended_tool": name, "actions_json_path": "none", "reason": "the host shows the model the page after its calls",
	}
	raw, err := primitive.Output(arguments)
	if err != nil {
		return dispatch.Envelope{}, err
	}
	checked, err := strictjson.Parse(raw, strictjson.Limits{})
	if err != nil {
		return dispatch.Envelope{}, err
	}
	e := a.Dispatch.Call(ctx, a.Session, dispatch.Call{Name: name, Arguments: checked, Target: tabs.Target{TabID: tab}, Unasked: true})
	if !e.OK {
		return e, e.Error
	}
	return e, nil
}
