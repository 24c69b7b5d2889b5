package inspect

import (
	"encoding/json"

	"github.com/chromedp/cdproto/page"
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/actionsjson/actions-host/pkg/browser"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/redact"
)

// maxFrames bounds the frames that are known; a page can make any number.
const maxFrames = 1000

// Place is the frame that an entry is from, where that is not the tab's own
// document.
type Place struct {
	Origin string `json:"origin,omitzero"` // absent where nothing can be granted for it
	URL    string `json:"url"`
}

// frame is a frame with the document that it shows.
type frame struct {
	origin, url, parent, session string
	top                          bool
}

// frames are the frames of a tab by ID, as the debugger's sessions report them.
type frames map[string]frame

// setFrames adds the frames that the browser has listed.
func (p frames) setFrames(frames []browser.Frame) {
	for _, f := range frames {
		p.put(f.ID, frame{origin: f.Origin, url: redact.URL(f.URL), parent: f.Parent, session: f.Session, top: f.Top})
	}
}

func (p frames) put(id string, at frame) {
	if _, known := p[id]; !known && len(p) >= maxFrames {
		return
	}
	p[id] = at
}

// handleEvent handles one event of a session.
func (p frames) handleEvent(session, method string, params json.RawMessage) {
	switch method {
	case "Page.frameAttached":
		var e page.EventFrameAttached
		if jsonv2.Unmarshal(params, &e) == nil {
			parent := string(e.ParentFrameID)
			p.put(string(e.FrameID), frame{origin: p[parent].origin, url: "about:blank", parent: parent, session: session})
		}
	case "Page.frameNavigated":
		var e page.EventFrameNavigated
		if jsonv2.Unmarshal(params, &e) == nil && e.Frame != nil {
			p.navigated(session, e)
		}
	case "Page.navigatedWithinDocument":
		var e page.EventNavigatedWithinDocument
		if jsonv2.Unmarshal(params, &e) == nil {
			if at, known := p[string(e.FrameID)]; known {
				at.url = redact.URL(e.URL)
				p[string(e.FrameID)] = at
			}
		}
	case "Page.frameDetached":
		var e page.EventFrameDetached
		if jsonv2.Unmarshal(params, &e) == nil && e.Reason != page.FrameDetachedReasonSwap {
			delete(p, string(e.FrameID))
		}
	}
}

func (p frames) navigated(session string, e page.EventFrameNavigated) {
	id, parent := string(e.Frame.ID), string(e.Frame.ParentID)
	if parent == "" {
		parent = p[id].parent // not every event of a frame in another process has it
	}
	at := frame{url: redact.URL(e.Frame.URL + e.Frame.URLFragment), parent: parent, session: session, top: parent == "" && session == ""}
	at.origin = origin.OfDocument(e.Frame.SecurityOrigin, e.Frame.URL, p[parent].origin)
	if at.top {
		clear(p)
	}
	p.put(id, at)
}

// placeOf returns the place of a frame other than the tab's own; nil for that one and for an
// unknown one.
func (p frames) placeOf(frame string) *Place {
	at, known := p[frame]
	if !known || at.top {
		return nil
	}
	return &Place{Origin: at.origin, URL: at.url}
}

// sessionAttached records the session of a frame in another process.
func (p frames) sessionAttached(s browser.ChildSession) {
	at := p[s.Frame]
	at.session, at.top = s.ID, false
	if s.ParentFrame != "" {
		at.parent = s.ParentFrame
	}
	p.put(s.Frame, at)
}
