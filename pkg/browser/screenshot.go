package browser

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"image"
	_ "image/jpeg" // decodes the sizes of what the browser gives
	_ "image/png"
	"math"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// captureTries bounds how often a picture is taken again to fit its size limit.
const captureTries = 8

type screenshotArguments struct {
	Format           string `json:"format"`
	Quality          int64  `json:"quality"`
	MaxWidth         int    `json:"max_width"`
	MaxHeight        int    `json:"max_height"`
	MaxKilobytes     int    `json:"max_kilobytes"`
	DelayMS          int    `json:"delay_ms"`
	CaptureTimeoutMS int    `json:"capture_timeout_ms"`
}

// screenshot takes a picture of the tab that is meant, in the background too,
// by way of its own debugger: never another tab's pixels.
func (h *Handlers) screenshot(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := decodeArguments[screenshotArguments](c)
	if err != nil {
		return nil, err
	}
	if err := wait(ctx, time.Duration(args.DelayMS)*time.Millisecond); err != nil {
		return nil, err
	}
	limit := 10 * time.Second
	if args.CaptureTimeoutMS > 0 {
		limit = time.Duration(args.CaptureTimeoutMS) * time.Millisecond
	}
	capture, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	shot, err := h.capture(capture, h.Browser.Debugger(c.TabID).On(c.Origin), args)
	if capture.Err() != nil && ctx.Err() == nil {
		return nil, fault.New(fault.ScreenshotCaptureFailed, "the page gave no picture within %s", limit)
	}
	if err != nil {
		return nil, err
	}
	tab, _ := h.Tabs.Get(c.TabID)
	return output(map[string]any{
		"data_url":  "data:" + shot.mime + ";base64," + base64.StdEncoding.EncodeToString(shot.data),
		"mime_type": shot.mime, "image_bytes": len(shot.data),
		"encoded":  shot.encoded(),
		"viewport": map[string]any{"width": shot.viewWidth, "height": shot.viewHeight, "device_pixel_ratio": shot.pixelRatio},
		"url":      tab.URL, "captured_at": time.Now().UTC().Format(time.RFC3339Nano),
		"surface_identity": "captured_target", "freshness": "unverified", "delay_ms_applied": args.DelayMS,
	})
}

type picture struct {
	data                  []byte
	mime                  string
	quality               int64
	width, height         int
	viewWidth, viewHeight float64
	pixelRatio            float64
	resized               bool
}

func (p picture) encoded() map[string]any {
	e := map[string]any{"width": p.width, "height": p.height, "resized": p.resized}
	if p.quality > 0 {
		e["quality"] = p.quality
	}
	return e
}

// capture takes the picture, smaller and coarser each time until it fits.
func (h *Handlers) capture(ctx context.Context, d *Debugger, args screenshotArguments) (picture, error) {
	if err := focusEmulated(ctx, d); err != nil {
		return picture{}, err
	}
	metrics, err := cdp.Call(ctx, d, page.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return picture{}, err
	}
	view := metrics.CSSVisualViewport
	p := picture{
		viewWidth: view.ClientWidth, viewHeight: view.ClientHeight, mime: "image/jpeg", quality: 60,
	}
	format := page.CaptureScreenshotFormatJpeg
	if args.Format == "png" {
		format, p.mime, p.quality = page.CaptureScreenshotFormatPng, "image/png", 0
	} else if args.Quality > 0 {
		p.quality = args.Quality
	}
	scale := 1.0
	if args.MaxWidth > 0 {
		scale = min(scale, float64(args.MaxWidth)/view.ClientWidth)
	}
	if args.MaxHeight > 0 {
		scale = min(scale, float64(args.MaxHeight)/view.ClientHeight)
	}
	for range captureTries {
		params := page.CaptureScreenshotParams{
			Format: format,
			Clip:   &page.Viewport{X: view.PageX, Y: view.PageY, Width: view.ClientWidth, Height: view.ClientHeight, Scale: scale},
		}
		if p.quality > 0 {
			params.Quality = &p.quality
		}
		shot, err := cdp.Call(ctx, d, page.CaptureScreenshot, params)
		if err != nil {
			return picture{}, err
		}
		p.data = shot.Data
		size, _, err := image.DecodeConfig(bytes.NewReader(p.data))
		if err != nil {
			return picture{}, fault.Wrap(err, fault.ScreenshotCaptureFailed, "the browser gave no picture that can be read: %v", err)
		}
		p.width, p.height, p.resized = size.Width, size.Height, scale < 1
		p.pixelRatio = float64(size.Width) / (view.ClientWidth * scale)
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
