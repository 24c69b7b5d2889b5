package primitives

import (
	"context"
	"slices"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// captureWatched takes a picture as it is. Sure is false if the page had a frame of a denied
// origin before it or after it.
func (h *Handlers) captureWatched(ctx context.Context, c primitive.Call, shoot func(context.Context) (picture, error)) (p picture, sure bool, err error) {
	k, err := h.newCover(ctx, c, false)
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

// showsDenied reports whether a frame of the page is of an origin that the session may not see.
func (k *cover) showsDenied(ctx context.Context) (bool, error) {
	all, err := k.list(ctx)
	return slices.ContainsFunc(all, func(f browser.Frame) bool { return !f.Top && !k.permitted(f) }), err
}
