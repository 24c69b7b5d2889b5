package storage

import (
	"context"
	"sync"
)

// view holds what the maps of pages were when a call that runs first asked for them.
type view struct {
	mu    sync.Mutex
	sites map[string]Site // by the page's URL
}

type viewKey struct{}

// WithView returns a context in which [Store.View] matches the maps of a page once: a
// stored action with many steps runs from one version of them. The context is for one
// call that has its tab's lane, and one store. What maps block is not part of a view: that
// is decided by the page of each moment, from [Store.Match].
func WithView(ctx context.Context) context.Context {
	return context.WithValue(ctx, viewKey{}, &view{sites: map[string]Site{}})
}

// View returns the maps that apply to the page as the context's call sees them. Without
// [WithView] it is Match.
func (s *Store) View(ctx context.Context, pageURL string) Site {
	v, ok := ctx.Value(viewKey{}).(*view)
	if !ok {
		return s.Match(pageURL)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	site, known := v.sites[pageURL]
	if !known {
		site = s.Match(pageURL)
		v.sites[pageURL] = site
	}
	return site
}
