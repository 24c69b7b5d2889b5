package inspect

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpnetwork "github.com/chromedp/cdproto/network"
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/actionsjson/actions-host/pkg/shorten"
)

// event takes one event of the debugger; those that are of no interest or that
// cannot be read are passed over.
func (r *network) event(method string, params json.RawMessage) {
	switch method {
	case "Network.requestWillBeSent":
		var e cdpnetwork.EventRequestWillBeSent
		if jsonv2.Unmarshal(params, &e) == nil && e.Request != nil {
			r.begun(e)
		}
	case "Network.responseReceived":
		var e cdpnetwork.EventResponseReceived
		if jsonv2.Unmarshal(params, &e) == nil && e.Response != nil {
			r.on(e.RequestID, func(f *Request) { f.answered(e.Response) })
		}
	case "Network.requestServedFromCache":
		var e cdpnetwork.EventRequestServedFromCache
		if jsonv2.Unmarshal(params, &e) == nil {
			r.on(e.RequestID, func(f *Request) { f.FromCache = true })
		}
	case "Network.loadingFinished":
		var e cdpnetwork.EventLoadingFinished
		if jsonv2.Unmarshal(params, &e) == nil {
			r.on(e.RequestID, func(f *Request) { f.Bytes = int64(e.EncodedDataLength) })
			r.ended(e.RequestID, e.Timestamp)
		}
	case "Network.loadingFailed":
		var e cdpnetwork.EventLoadingFailed
		if jsonv2.Unmarshal(params, &e) == nil {
			r.on(e.RequestID, func(f *Request) { f.lost(e) })
			r.ended(e.RequestID, e.Timestamp)
		}
	default:
		r.socketEvent(method, params)
	}
}

// socketEvent is event for web sockets, whose life has no other events.
func (r *network) socketEvent(method string, params json.RawMessage) {
	switch method {
	case "Network.webSocketCreated":
		var e cdpnetwork.EventWebSocketCreated
		if jsonv2.Unmarshal(params, &e) == nil {
			r.put(e.RequestID, &Request{At: time.Now().UTC(), Method: "GET", URL: safeURL(e.URL), Type: "WebSocket"})
		}
	case "Network.webSocketHandshakeResponseReceived":
		var e cdpnetwork.EventWebSocketHandshakeResponseReceived
		if jsonv2.Unmarshal(params, &e) == nil && e.Response != nil {
			r.on(e.RequestID, func(f *Request) {
				f.Status, f.StatusText = e.Response.Status, safeText(e.Response.StatusText, 100)
				f.ResponseHeaders = safeHeaders(e.Response.Headers)
				f.began = e.Timestamp
			})
		}
	case "Network.webSocketFrameError":
		var e cdpnetwork.EventWebSocketFrameError
		if jsonv2.Unmarshal(params, &e) == nil {
			r.on(e.RequestID, func(f *Request) { f.Failed, f.Error = true, safeText(e.ErrorMessage, 300) })
		}
	case "Network.webSocketClosed":
		var e cdpnetwork.EventWebSocketClosed
		if jsonv2.Unmarshal(params, &e) == nil {
			r.ended(e.RequestID, e.Timestamp)
		}
	}
}

// begun notes a request. One that was redirected begins again under its id: the
// way so far is an entry of its own.
func (r *network) begun(e cdpnetwork.EventRequestWillBeSent) {
	url := safeURL(e.Request.URL)
	if e.RedirectResponse != nil {
		r.on(e.RequestID, func(f *Request) {
			f.answered(e.RedirectResponse)
			f.RedirectedTo = url
		})
		r.ended(e.RequestID, e.Timestamp)
	}
	r.put(e.RequestID, &Request{
		At:     time.UnixMilli(int64(e.WallTime * 1000)).UTC(),
		Method: shorten.Characters(e.Request.Method, 20), URL: url, Type: string(e.Type), DocumentURL: safeURL(e.DocumentURL),
		RequestHeaders: safeHeaders(e.Request.Headers), began: e.Timestamp,
	})
}

func (r *network) put(id cdpnetwork.RequestID, f *Request) {
	if _, known := r.flights[id]; !known {
		r.order = append(r.order, id)
	}
	r.flights[id] = f
	if len(r.order) > maxInFlight {
		delete(r.flights, r.order[0])
		r.order = r.order[1:]
	}
}

func (r *network) on(id cdpnetwork.RequestID, change func(*Request)) {
	if f := r.flights[id]; f != nil {
		change(f)
	}
}

// ended makes the request an entry.
func (r *network) ended(id cdpnetwork.RequestID, when cdp.MonotonicTime) {
	f := r.flights[id]
	if f == nil {
		return
	}
	delete(r.flights, id)
	r.order = slices.DeleteFunc(r.order, func(one cdpnetwork.RequestID) bool { return one == id })
	if f.began > 0 {
		f.DurationMS = float64(int64((when-f.began)*1e5)) / 100
	}
	r.ring.Add(*f, f.size())
}

func (f *Request) answered(response *cdpnetwork.Response) {
	f.Status, f.StatusText = response.Status, safeText(response.StatusText, 100)
	f.MimeType = shorten.Characters(response.MimeType, 100)
	f.ResponseHeaders = safeHeaders(response.Headers)
	f.FromCache = f.FromCache || response.FromDiskCache || response.FromPrefetchCache
	f.Bytes = int64(response.EncodedDataLength)
}

func (f *Request) lost(e cdpnetwork.EventLoadingFailed) {
	f.Failed, f.Error = true, safeText(e.ErrorText, 300)
	switch {
	case e.BlockedReason != "":
		f.Error += " (" + string(e.BlockedReason) + ")"
	case e.CorsErrorStatus != nil:
		f.Error += " (" + string(e.CorsErrorStatus.CorsError) + ")"
	case e.Canceled:
		f.Error += " (canceled)"
	}
}

// size is about what the entry takes.
func (f *Request) size() int {
	size := 200 + len(f.URL) + len(f.RedirectedTo) + len(f.DocumentURL) + len(f.Error)
	for _, headers := range []map[string]string{f.RequestHeaders, f.ResponseHeaders} {
		for name, value := range headers {
			size += len(name) + len(value)
		}
	}
	return size
}
