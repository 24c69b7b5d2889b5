package primitives

import (
	"context"
	"encoding/json"
	"math"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

const (
	// maxCaptureAttempts bounds how often a picture is taken again to fit its size limit.
	maxCaptureAttempts = 8
	// maxSidePixels is the longest side of a picture, in its own pixels. Browsers draw
	// twice that; a model's service refuses the whole conversation with a picture
	// that is larger.
	maxSidePixels = 8000
	// maxShrunkCaptures bounds how often a picture is taken again because the page was drawn
	// too small meanwhile.
	maxShrunkCaptures = 4
	// retakeTimeout is what that may take beside the pictures themselves: with less time left, a
	// picture stays as it is.
	retakeTimeout = 4 * time.Second
)

// shrinkWatch is what notices whether the page is drawn hardly a pixel wide. Changes are told when
// a page is drawn: one that is undone by then was never seen.
const shrinkWatch = `(() => {
	const watch = { query: matchMedia("(max-width: 8px)"), shrank: false };
	watch.query.onchange = () => { watch.shrank ||= watch.query.matches };
	return watch;
})()`

// viewport is what the tab shows of its page, in CSS pixels.
type viewport struct {
	page.VisualViewport
	pageWidth, pageHeight float64 // of the whole document
	pixelRatio            float64 // pixels of a picture for one CSS pixel
}

// area is the part of the document to picture, in CSS pixels.
type area struct {
	x, y, width, height float64
	beyondViewport      bool // not simply what is in view
	clipped             bool // cut to the longest side
}

type picture struct {
	data          []byte
	mime          string
	quality       int64
	width, height int
	resized       bool
	view          viewport
	area          area
	coverage      *coverage // nil where nothing was left out
	hiddenFields  *int      // nil where no field was to be
	framesBlank   bool      // frames of other processes may be blank in it
}

func (p picture) encoding() map[string]any {
	e := map[string]any{"width": p.width, "height": p.height, "resized": p.resized}
	if p.quality > 0 {
		e["quality"] = p.quality
	}
	return e
}

// capture takes the picture. Frames that the session may not see are left out of it, and secrets
// where the arguments say so.
func (h *Handlers) capture(ctx context.Context, c primitive.Call, args screenshotArguments) (picture, error) {
	d := h.Browser.Debugger(c.TabID).ForOrigin(c.Origin)
	if err := d.EmulateFocus(ctx); err != nil {
		return picture{}, err
	}
	defer h.hideHighlight(ctx, c)()
	stop, err := startDrawing(ctx, d)
	if err != nil {
		return picture{}, err
	}
	defer stop()
	shoot := func(ctx context.Context) (picture, error) { return h.captureToFit(ctx, d, c, args) }
	if args.HideSecrets || c.DependsOnOrigin != nil && c.DependsOnOrigin() {
		return h.captureCovered(ctx, c, args.HideSecrets, shoot)
	}
	if c.DeniesOrigins != nil && c.DeniesOrigins() {
		if p, sure, err := h.captureWatched(ctx, c, shoot); err != nil || sure {
			return p, err
		}
		return h.captureCovered(ctx, c, false, shoot)
	}
	return shoot(ctx)
}

// captureToFit takes the picture, with less size and quality each time until it fits.
func (h *Handlers) captureToFit(ctx context.Context, d *browser.Debugger, c primitive.Call, args screenshotArguments) (picture, error) {
	p := picture{mime: "image/jpeg", quality: 60}
	var err error
	if p.area, p.view, err = h.captureArea(ctx, d, c, args); err != nil {
		return picture{}, err
	}
	format := page.CaptureScreenshotFormatJpeg
	if args.Format == "png" {
		format, p.mime, p.quality = page.CaptureScreenshotFormatPng, "image/png", 0
	} else if args.Quality > 0 {
		p.quality = args.Quality
	}
	scale := scaleToFit(p.area, p.view.pixelRatio, args)
	for range maxCaptureAttempts {
		params := page.CaptureScreenshotParams{
			Format:                format,
			Clip:                  &page.Viewport{X: p.area.x, Y: p.area.y, Width: p.area.width, Height: p.area.height, Scale: scale},
			CaptureBeyondViewport: &p.area.beyondViewport,
		}
		if p.quality > 0 {
			params.Quality = &p.quality
		}
		if p.data, p.framesBlank, err = h.shoot(ctx, d, c, params); err != nil {
			return picture{}, err
		}
		width, height, err := imageSize(p.data)
		if err != nil {
			return picture{}, fault.Wrap(err, fault.ScreenshotCaptureFailed, "the browser gave no picture that can be read: %v", err)
		}
		p.width, p.height, p.resized = width, height, scale < 1
		if args.MaxKilobytes == 0 || len(p.data) <= args.MaxKilobytes*1024 {
			return p, nil
		}
		// A PNG cannot get coarser: go on as JPEG.
		format, p.mime = page.CaptureScreenshotFormatJpeg, "image/jpeg"
		switch {
		case p.quality == 0:
			p.quality = 76
		case p.quality > 42:
			p.quality = max(42, p.quality-12)
		default:
			scale *= 0.95 * math.Sqrt(float64(args.MaxKilobytes*1024)/float64(len(p.data)))
		}
	}
	return picture{}, fault.New(fault.PayloadTooLarge, "the picture has %d KB even at the lowest quality; the limit is %d KB", len(p.data)/1024, args.MaxKilobytes)
}

// shoot takes one picture. For one that goes beyond the view browsers give the page the size of
// one pixel first. If the page is drawn just then, its frames in other processes let go of what
// they have drawn, and the picture does not wait for them: it is taken again. framesBlank reports
// that the last one that there was time for may lack them still.
func (h *Handlers) shoot(ctx context.Context, d *browser.Debugger, c primitive.Call, params page.CaptureScreenshotParams) (data []byte, framesBlank bool, err error) {
	var following *browser.Following
	defer func() {
		if following != nil {
			_ = following.Stop(context.WithoutCancel(ctx))
		}
	}()
	for attempt := 1; ; attempt++ {
		began, shrank := time.Now(), func() bool { return false }
		if *params.CaptureBeyondViewport {
			shrank = watchShrinking(ctx, d)
		}
		shot, err := cdp.Call(ctx, d, page.CaptureScreenshot, params)
		if err != nil || !shrank() {
			return shot.Data, false, err
		}
		end, limited := ctx.Deadline()
		if attempt == maxShrunkCaptures || limited && time.Until(end) < retakeTimeout+2*time.Since(began) {
			return shot.Data, true, nil
		}
		if following == nil {
			if following, err = h.Browser.Debugger(c.TabID).Follow(ctx, browser.Follower{}); err != nil {
				return shot.Data, true, nil
			}
		}
		awaitFramesDrawn(ctx, following, c.Origin)
	}
}

// watchShrinking returns a function that reports whether the page was drawn too small since. A
// document that cannot be watched is not there to be pictured either.
func watchShrinking(ctx context.Context, d *browser.Debugger) (shrank func() bool) {
	never := func() bool { return false }
	world, err := worldIn(ctx, d, "")
	if err != nil {
		return never
	}
	watch, err := cdp.Call(ctx, d, runtime.Evaluate, runtime.EvaluateParams{Expression: shrinkWatch, ContextID: world, Silent: new(true)})
	if err != nil || watch.Result.ObjectID == "" {
		return never
	}
	return func() (yes bool) {
		err := askList(ctx, d, watch.Result.ObjectID, `(this.query.onchange = null, this.shrank)`, &yes)
		_, _ = cdp.Call(ctx, d, runtime.ReleaseObject, runtime.ReleaseObjectParams{ObjectID: watch.Result.ObjectID})
		return err == nil && yes
	}
}

// startDrawing makes the tab draw, also while it is hidden: a hidden page draws no frame of its
// own, and a capture would wait for one. The frames of the screencast are not used: they are as
// few and small as possible.
func startDrawing(ctx context.Context, d *browser.Debugger) (stop func(), err error) {
	_, err = cdp.Call(ctx, d, page.StartScreencast, page.StartScreencastParams{
		Format: page.StartScreencastFormatJpeg, MaxWidth: 16, MaxHeight: 16, EveryNthFrame: 1000,
	})
	return func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		// Wherever the page is by now. What cannot be ended here ends with the debugger.
		_, _ = cdp.Call(end, d.ForOrigin(""), page.StopScreencast, cdp.Empty{})
	}, err
}

// captureArea finds out what to picture. Asking for an element may scroll it into view,
// so that the page is measured afterwards.
func (h *Handlers) captureArea(ctx context.Context, d *browser.Debugger, c primitive.Call, args screenshotArguments) (area, viewport, error) {
	var found struct {
		Box struct{ Left, Top, Width, Height float64 }
	}
	if args.Locator != nil {
		locator, err := json.Marshal(map[string]json.RawMessage{"locator": args.Locator})
		if err != nil {
			return area{}, viewport{}, fault.Wrap(err, fault.InternalError, "the locator cannot be written: %v", err)
		}
		raw, err := h.inPage(ctx, c, "locator.box", locator)
		if err != nil {
			return area{}, viewport{}, err
		}
		if err := json.Unmarshal(raw, &found); err != nil {
			return area{}, viewport{}, fault.Wrap(err, fault.InvalidResult, "the element's box cannot be read: %v", err)
		}
	}
	view, err := measure(ctx, d)
	if err != nil {
		return area{}, viewport{}, err
	}
	longest := math.Floor(maxSidePixels / view.pixelRatio)
	switch {
	case args.Locator != nil:
		b := found.Box
		return clippedArea(view.PageX+b.Left-args.Padding, view.PageY+b.Top-args.Padding, b.Width+2*args.Padding, b.Height+2*args.Padding, longest), view, nil
	case args.FullPage:
		return clippedArea(0, 0, view.pageWidth, view.pageHeight, longest), view, nil
	default:
		return area{x: view.PageX, y: view.PageY, width: view.ClientWidth, height: view.ClientHeight}, view, nil
	}
}

// clippedArea is an area of the document, without what lies before its beginning and
// beyond the longest side of a picture.
func clippedArea(x, y, width, height, longest float64) area {
	width, height = width+min(0, x), height+min(0, y)
	a := area{x: max(0, x), y: max(0, y), width: max(1, min(width, longest)), height: max(1, min(height, longest)), beyondViewport: true}
	a.clipped = width > longest || height > longest
	return a
}

// measure asks the page for its sizes. The browser returns them in CSS pixels and in screen
// pixels.
func measure(ctx context.Context, d *browser.Debugger) (viewport, error) {
	var m struct {
		Screen  page.VisualViewport `json:"visualViewport"`
		CSS     page.VisualViewport `json:"cssVisualViewport"`
		Content struct {
			Width  float64 `json:"width"`
			Height float64 `json:"height"`
		} `json:"cssContentSize"`
	}
	if err := d.Call(ctx, page.CommandGetLayoutMetrics, cdp.Empty{}, &m); err != nil {
		return viewport{}, err
	}
	v := viewport{VisualViewport: m.CSS, pageWidth: m.Content.Width, pageHeight: m.Content.Height, pixelRatio: 1}
	if m.CSS.ClientWidth <= 0 || m.CSS.ClientHeight <= 0 {
		return v, fault.New(fault.ScreenshotCaptureFailed, "the tab has no size: its window may be minimised")
	}
	if m.Screen.ClientWidth > 0 {
		v.pixelRatio = m.Screen.ClientWidth / m.CSS.ClientWidth
	}
	return v, nil
}

// scaleToFit returns the scale at which the area is within the limits, in pixels of the
// picture.
func scaleToFit(a area, pixelRatio float64, args screenshotArguments) float64 {
	scale := 1.0
	if args.MaxWidth > 0 {
		scale = min(scale, args.MaxWidth/(a.width*pixelRatio))
	}
	if args.MaxHeight > 0 {
		scale = min(scale, args.MaxHeight/(a.height*pixelRatio))
	}
	return scale
}
