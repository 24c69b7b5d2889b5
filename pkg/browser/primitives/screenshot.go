package primitives

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"time"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// captureTimeout is how long a page may take to draw itself: a hidden one may never.
const captureTimeout = 10 * time.Second

type screenshotArguments struct {
	Profile          string          `json:"profile"`
	Locator          json.RawMessage `json:"locator"`
	Padding          float64         `json:"padding"`
	FullPage         bool            `json:"full_page"`
	Format           string          `json:"format"`
	Quality          int64           `json:"quality"`
	MaxWidth         float64         `json:"max_width"`
	MaxHeight        float64         `json:"max_height"`
	MaxKilobytes     int             `json:"max_kilobytes"`
	MaxKB            int             `json:"max_kb"`
	DelayMS          int             `json:"delay_ms"`
	CaptureTimeoutMS int             `json:"capture_timeout_ms"`
	HideSecrets      bool            `json:"hide_secrets"`
}

// compact sets the defaults of the compact profile.
func (a *screenshotArguments) compact() {
	a.Format = cmp.Or(a.Format, "jpeg")
	a.Quality = cmp.Or(a.Quality, 60)
	a.MaxWidth = cmp.Or(a.MaxWidth, 960)
	a.MaxHeight = cmp.Or(a.MaxHeight, 960)
	a.MaxKilobytes = cmp.Or(a.MaxKilobytes, 180)
}

// screenshot takes a picture of the target tab, in the background too, over its own debugger:
// never another tab's pixels.
func (h *Handlers) screenshot(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[screenshotArguments](c)
	if err != nil {
		return nil, err
	}
	if args.MaxKilobytes, err = primitive.Either("max_kilobytes", args.MaxKilobytes, "max_kb", args.MaxKB); err != nil {
		return nil, err
	}
	if args.Profile == "compact" {
		args.compact()
	}
	if err := sleep(ctx, time.Duration(args.DelayMS)*time.Millisecond); err != nil {
		return nil, err
	}
	limit := captureTimeout
	if args.CaptureTimeoutMS > 0 {
		limit = time.Duration(args.CaptureTimeoutMS) * time.Millisecond
	}
	capture, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	shot, err := h.capture(capture, c, args)
	if capture.Err() != nil && ctx.Err() == nil {
		return nil, fault.New(fault.ScreenshotCaptureFailed, "the page gave no picture within %s", limit)
	}
	if err != nil {
		return nil, err
	}
	tab, _ := h.Tabs.Get(c.TabID)
	out := map[string]any{
		"mime_type": shot.mime, "image_bytes": len(shot.data),
		"encoded":  shot.encoding(),
		"viewport": map[string]any{"width": shot.view.ClientWidth, "height": shot.view.ClientHeight, "device_pixel_ratio": shot.view.pixelRatio},
		"url":      c.VisibleURL(tab.URL), "captured_at": time.Now().UTC().Format(time.RFC3339Nano),
		"surface_identity": "captured_target", "freshness": "unverified", "delay_ms_applied": args.DelayMS,
	}
	if shot.area.beyondViewport {
		a := shot.area
		out["clip"] = map[string]any{"x": a.x, "y": a.y, "width": a.width, "height": a.height, "clipped": a.clipped}
	}
	if shot.coverage != nil {
		out["covered"] = shot.coverage
	}
	if shot.framesBlank {
		out["frames_may_be_blank"] = true
	}
	if shot.hiddenFields != nil {
		out["hidden_fields"] = *shot.hiddenFields
	}
	c.Meta.Attach(primitive.Attachment{
		Kind: primitive.SpecialImage, DataURL: "data:" + shot.mime + ";base64," + base64.StdEncoding.EncodeToString(shot.data),
	})
	return primitive.Output(out)
}

// captureWatched takes a picture as it is. Sure is false if the page had, before it or after it, a
// frame of a denied origin or one that did not answer.
func (h *Handlers) captureWatched(ctx context.Context, c primitive.Call, shoot func(context.Context) (picture, error)) (p picture, sure bool, err error) {
	k, err := h.newCover(ctx, c, false, browser.Follower{})
	if err != nil {
		return p, false, err
	}
	defer func() { _ = k.following.Stop(context.WithoutCancel(ctx)) }()
	if err := k.catchUp(ctx); err != nil {
		return p, false, err
	}
	if shows, err := k.showsDenied(ctx); err != nil || shows {
		return p, false, err
	}
	if p, err = shoot(ctx); err != nil {
		return p, false, err
	}
	shows, err := k.showsDenied(ctx)
	return p, !shows, err
}

// showsDenied reports whether a frame of the page is of an origin that the session may not see,
// or may be: one that does not answer, and what is in it, is not known.
func (k *cover) showsDenied(ctx context.Context) (bool, error) {
	all, err := k.list(ctx)
	return slices.ContainsFunc(all, k.mayBeDenied), err
}

func (k *cover) mayBeDenied(f browser.Frame) bool {
	return !f.Top && (f.Missing != "" || !k.permitted(f))
}
