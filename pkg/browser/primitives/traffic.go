package primitives

import (
	"context"
	"encoding/json"
	"maps"
	"mime"
	"sync"
	"time"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/fault"
)

// traffic tracks the pending requests of a tab's documents by the debugger's events.
// Connections that never end by their nature, web sockets and event streams, do not count. For
// a request that began before listening, the response and the end are received.
type traffic struct {
	mu       sync.Mutex
	pending  map[string]pendingRequest // by the request's id
	last     time.Time                 // a request began or ended
	complete bool                      // all events are received
	observed bool                      // all requests of the tab's document were seen
	detached string                    // why no more events come
	changed  chan struct{}             // holds one signal
}

// pendingRequest is a request under way. That for the document of a frame in another process
// begins in the session around it and ends in the frame's own: ids are the browser's.
type pendingRequest struct {
	session, frame   string
	answeredDocument bool // it is for a document, and was answered
}

func newTraffic() *traffic {
	return &traffic{pending: map[string]pendingRequest{}, last: time.Now(), changed: make(chan struct{}, 1)}
}

// listener returns the listener for the tab's events.
func (t *traffic) listener() browser.Listener {
	return browser.Listener{
		Event: func(method string, params json.RawMessage) { t.handleEvent("", method, params) },
		Child: t.handleEvent,
		Detached: func(reason string) {
			t.mu.Lock()
			defer t.mu.Unlock()
			t.detached = reason
			t.signal()
		},
	}
}

// start records that all events are received from now on. The browser reports the beginning of
// a document, its page the end, and the page may have begun to report after that: so a document
// that was answered earlier does not count. While it still comes it has not loaded, and the wait
// is for that as well.
func (t *traffic) start() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(func(_ string, f pendingRequest) bool { return f.answeredDocument })
	t.complete = true
}

// trafficState is a snapshot of the traffic.
type trafficState struct {
	pending  int
	quietFor time.Duration // nothing began or ended
	observed bool
	detached string
}

func (t *traffic) state() trafficState {
	t.mu.Lock()
	defer t.mu.Unlock()
	return trafficState{len(t.pending), time.Since(t.last), t.observed, t.detached}
}

// await returns when the network has been quiet for so long.
func (t *traffic) await(ctx context.Context, quiet time.Duration) error {
	for {
		now := t.state()
		switch {
		case now.detached != "":
			return fault.New(fault.DebuggerUnavailable, "the debugger has left the tab: %s", now.detached)
		case now.pending == 0 && now.quietFor >= quiet:
			return nil
		}
		select {
		case <-t.changed:
		case <-time.After(max(quiet-now.quietFor, time.Millisecond)):
		case <-ctx.Done():
			return fault.From(ctx.Err())
		}
	}
}

func (t *traffic) signal() {
	select {
	case t.changed <- struct{}{}:
	default: // it was signalled already
	}
}

// networkEvent has the members of the events that are used.
type networkEvent struct {
	RequestID string `json:"requestId"`
	LoaderID  string `json:"loaderId"` // of the document that requests; empty: none does
	FrameID   string `json:"frameId"`
	Type      string `json:"type"`   // of the request, or of the navigation
	Reason    string `json:"reason"` // of a frame's end
	Response  struct {
		MimeType string `json:"mimeType"`
	} `json:"response"`
	Frame struct {
		ID       string `json:"id"`
		ParentID string `json:"parentId"`
		LoaderID string `json:"loaderId"`
	} `json:"frame"`
	browser.Flood
}

// handleEvent handles one event of a session; others are ignored.
func (t *traffic) handleEvent(session, method string, params json.RawMessage) {
	handle, known := map[string]func(string, networkEvent){
		"Network.requestWillBeSent": t.requestSent,
		"Network.responseReceived":  t.responseReceived,
		"Network.loadingFinished":   t.loadingEnded,
		"Network.loadingFailed":     t.loadingEnded,
		"Page.frameNavigated":       t.frameNavigated,
		"Page.frameDetached":        t.frameDetached,
		browser.FloodEvent:          t.flooded,
	}[method]
	var e networkEvent
	if !known || json.Unmarshal(params, &e) != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	handle(session, e)
	t.signal()
}

// Types of requests.
const (
	document    = "Document"
	eventSource = "EventSource"
	script      = "Script"
)

// endsUnseen reports whether no event of the documents ends the request: the script of a worker
// begins in the session of the document that starts it and ends in the worker's own, which is
// followed no more than what the worker requests.
func (e networkEvent) endsUnseen() bool { return e.Type == script && e.LoaderID == "" }

func (t *traffic) requestSent(session string, e networkEvent) {
	if e.Type == eventSource || e.endsUnseen() {
		return
	}
	t.pending[e.RequestID] = pendingRequest{session: session, frame: e.FrameID}
	t.last = time.Now()
}

func (t *traffic) responseReceived(session string, e networkEvent) {
	kind, _, _ := mime.ParseMediaType(e.Response.MimeType)
	if kind == "text/event-stream" || e.Type == eventSource {
		delete(t.pending, e.RequestID)
		return
	}
	t.pending[e.RequestID] = pendingRequest{session, e.FrameID, e.Type == document}
}

func (t *traffic) loadingEnded(_ string, e networkEvent) {
	delete(t.pending, e.RequestID)
	t.last = time.Now()
}

// frameNavigated drops the requests of the previous document, including its frames. A document
// that is restored from the cache brings its earlier ones.
func (t *traffic) frameNavigated(session string, e networkEvent) {
	top := session == "" && e.Frame.ParentID == ""
	if top {
		t.observed = t.complete && e.Type != "BackForwardCacheRestore"
	}
	// A document's own request is named like its loader.
	t.drop(func(id string, f pendingRequest) bool {
		return id != e.Frame.LoaderID && (top || f.frame == e.Frame.ID)
	})
}

// frameDetached drops the requests of a frame, unless it goes on in another process.
func (t *traffic) frameDetached(_ string, e networkEvent) {
	if e.Reason != "swap" {
		t.drop(func(_ string, f pendingRequest) bool { return f.frame == e.FrameID })
	}
}

// sessionDetached drops the requests of a frame in another process.
func (t *traffic) sessionDetached(session string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop(func(_ string, f pendingRequest) bool { return f.session == session })
	t.signal()
}

// flooded forgets a session that is off for a while: it asked for more than could be
// followed.
func (t *traffic) flooded(session string, e networkEvent) {
	if e.Domain != "network" || !e.Off {
		return
	}
	t.drop(func(_ string, f pendingRequest) bool { return f.session == session })
	t.observed = false
	t.last = time.Now().Add(browser.FloodDelay)
}

func (t *traffic) drop(matches func(id string, f pendingRequest) bool) {
	maps.DeleteFunc(t.pending, matches)
	t.last = time.Now()
}
