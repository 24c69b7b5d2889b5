package webfetch

import (
	"slices"
	"sync"
	"time"
)

const (
	maxKept = 4
	keptTTL = 5 * time.Minute
)

// keptPages keeps the last pages that were read, so that reading on neither sends the request nor asks
// the user again.
type keptPages struct {
	mu    sync.Mutex
	pages []keptPage
}

type keptPage struct {
	key   string
	since time.Time
	page  page
}

// keptKey is the session and its request: no session reads on in what another one was given.
func keptKey(session string, r Request) string { return session + " " + digest(r) }

func (k *keptPages) get(key string) (page, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop("")
	at := slices.IndexFunc(k.pages, func(p keptPage) bool { return p.key == key })
	if at < 0 {
		return page{}, false
	}
	return k.pages[at].page, true
}

func (k *keptPages) put(key string, p page) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.drop(key)
	if len(k.pages) == maxKept {
		k.pages = slices.Delete(k.pages, 0, 1)
	}
	k.pages = append(k.pages, keptPage{key, time.Now(), p})
}

// drop removes what is too old, and the page of the key.
func (k *keptPages) drop(key string) {
	k.pages = slices.DeleteFunc(k.pages, func(p keptPage) bool { return p.key == key || time.Since(p.since) > keptTTL })
}
