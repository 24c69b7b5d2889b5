package inspect

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpnetwork "github.com/chromedp/cdproto/network"
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/redact"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// handleEvent handles one event of the debugger; others, and those that cannot be decoded, are
// ignored.
func (r *network) handleEvent(session, method string, params json.RawMessage) {
	switch method {
	case browser.FloodEvent:
		r.reset()
	case "Network.requestWillBeSent":
		var e cdpnetwork.EventRequestWillBeSent
		if jsonv2.Unmarshal(params, &e) == nil && e.Request != nil {
			r.requestSent(session, e)
		}
	case "Network.responseReceived":
		var e cdpnetwork.EventResponseReceived
		if jsonv2.Unmarshal(params, &e) == nil && e.Response != nil {
			r.update(e.RequestID, func(f *Request) { f.setResponse(e.Response) })
		}
	case "Network.requestServedFromCache":
		var e cdpnetwork.EventRequestServedFromCache
		if jsonv2.Unmarshal(params, &e) == nil {
			r.update(e.RequestID, func(f *Request) { f.FromCache = true })
		}
	case "Network.loadingFinished":
		var e cdpnetwork.EventLoadingFinished
		if jsonv2.Unmarshal(params, &e) == nil {
			r.update(e.RequestID, func(f *Request) { f.Bytes = int64(e.EncodedDataLength) })
			r.finish(e.RequestID, e.Timestamp)
		}
	case "Network.loadingFailed":
		var e cdpnetwork.EventLoadingFailed
		if jsonv2.Unmarshal(params, &e) == nil {
			r.update(e.RequestID, func(f *Request) { f.setError(e) })
			r.finish(e.RequestID, e.Timestamp)
		}
	default:
		r.handleSocketEvent(session, method, params)
	}
}

// handleSocketEvent is event for web sockets, whose life has no other events.
func (r *network) handleSocketEvent(session, method string, params json.RawMessage) {
	switch method {
	case "Network.webSocketCreated":
		var e cdpnetwork.EventWebSocketCreated
		if jsonv2.Unmarshal(params, &e) == nil {
			f := &Request{At: time.Now().UTC(), Method: "GET", URL: redact.URL(e.URL), Type: "WebSocket"}
			f.origin, f.Frame = r.sessionPlace(session)
			r.put(e.RequestID, f)
		}
	case "Network.webSocketHandshakeResponseReceived":
		var e cdpnetwork.EventWebSocketHandshakeResponseReceived
		if jsonv2.Unmarshal(params, &e) == nil && e.Response != nil {
			r.update(e.RequestID, func(f *Request) {
				f.Status, f.StatusText = e.Response.Status, redact.TextUpTo(e.Response.StatusText, 100)
				f.ResponseHeaders = redact.Headers(e.Response.Headers)
				f.began = e.Timestamp
			})
		}
	case "Network.webSocketFrameError":
		var e cdpnetwork.EventWebSocketFrameError
		if jsonv2.Unmarshal(params, &e) == nil {
			r.update(e.RequestID, func(f *Request) { f.Failed, f.Error = true, redact.TextUpTo(e.ErrorMessage, 300) })
		}
	case "Network.webSocketClosed":
		var e cdpnetwork.EventWebSocketClosed
		if jsonv2.Unmarshal(params, &e) == nil {
			r.finish(e.RequestID, e.Timestamp)
		}
	}
}

// requestSent adds a request. A redirected one begins again under its ID: its previous part is
// an entry of its own. Requests of the extension's pane are not the page's.
func (r *network) requestSent(session string, e cdpnetwork.EventRequestWillBeSent) {
	url := redact.URL(e.Request.URL)
	if e.RedirectResponse != nil {
		r.update(e.RequestID, func(f *Request) {
			f.setResponse(e.RedirectResponse)
			f.RedirectedTo = url
		})
		r.finish(e.RequestID, e.Timestamp)
	}
	if manifest.IsExtensionPage(e.DocumentURL) {
		return
	}
	f := &Request{
		At:     time.UnixMilli(int64(e.WallTime * 1000)).UTC(),
		Method: truncate.Characters(e.Request.Method, 20), URL: url, Type: string(e.Type), DocumentURL: redact.URL(e.DocumentURL),
		RequestHeaders: redact.Headers(e.Request.Headers), began: e.Timestamp,
	}
	f.origin, f.Frame = r.initiator(session, e)
	r.put(e.RequestID, f)
}

// initiator returns the origin of the requesting document, and its frame if it is not the tab's
// own. The request for a document counts as that document's.
func (r *network) initiator(session string, e cdpnetwork.EventRequestWillBeSent) (string, *Place) {
	at := r.frameTree.placeOf(string(e.FrameID))
	if o, err := origin.Parse(e.DocumentURL); err == nil {
		if at != nil {
			at = &Place{Origin: o.String(), URL: redact.URL(e.DocumentURL)}
		}
		return o.String(), at
	}
	if from, known := r.frameTree[string(e.FrameID)]; known {
		return from.origin, at
	}
	return r.sessionPlace(session)
}

// sessionPlace returns the origin and the place of the main document of a session in another
// process. They are empty for the tab's own session, in which several documents may send
// requests.
func (r *network) sessionPlace(session string) (string, *Place) {
	for id, at := range r.frameTree {
		if _, inside := r.frameTree[at.parent]; at.session == session && session != "" && (!inside || r.frameTree[at.parent].session != session) {
			return at.origin, r.frameTree.placeOf(id)
		}
	}
	return "", nil
}

func (r *network) put(id cdpnetwork.RequestID, f *Request) {
	if _, known := r.pending[id]; !known {
		r.order = append(r.order, id)
	}
	r.pending[id] = f
	if len(r.order) > maxInFlight {
		delete(r.pending, r.order[0])
		r.order = r.order[1:]
	}
}

func (r *network) update(id cdpnetwork.RequestID, change func(*Request)) {
	if f := r.pending[id]; f != nil {
		change(f)
	}
}

// finish adds the request as an entry.
func (r *network) finish(id cdpnetwork.RequestID, when cdp.MonotonicTime) {
	f := r.pending[id]
	if f == nil {
		return
	}
	delete(r.pending, id)
	r.order = slices.DeleteFunc(r.order, func(one cdpnetwork.RequestID) bool { return one == id })
	if f.began > 0 {
		f.DurationMS = float64(int64((when-f.began)*1e5)) / 100
	}
	r.ring.Add(*f, f.size())
}

func (f *Request) setResponse(response *cdpnetwork.Response) {
	f.Status, f.StatusText = response.Status, redact.TextUpTo(response.StatusText, 100)
	f.MimeType = truncate.Characters(response.MimeType, 100)
	f.ResponseHeaders = redact.Headers(response.Headers)
	f.FromCache = f.FromCache || response.FromDiskCache || response.FromPrefetchCache
	f.Bytes = int64(response.EncodedDataLength)
}

func (f *Request) setError(e cdpnetwork.EventLoadingFailed) {
	f.Failed, f.Error = true, redact.TextUpTo(e.ErrorText, 300)
	switch {
	case e.BlockedReason != "":
		f.Error += " (" + string(e.BlockedReason) + ")"
	case e.CorsErrorStatus != nil:
		f.Error += " (" + string(e.CorsErrorStatus.CorsError) + ")"
	case e.Canceled:
		f.Error += " (canceled)"
	}
}

// size estimates the size of the entry.
func (f *Request) size() int {
	size := 200 + len(f.URL) + len(f.RedirectedTo) + len(f.DocumentURL) + len(f.Error)
	for _, headers := range []map[string]string{f.RequestHeaders, f.ResponseHeaders} {
		for name, value := range headers {
			size += len(name) + len(value)
		}
	}
	return size
}
