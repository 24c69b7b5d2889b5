package registry

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// wireFrame is a frame in the browser's words.
type wireFrame struct {
	ID       string `json:"id"`
	ParentID string `json:"parentId"`
	LoaderID string `json:"loaderId"`
	URL      string `json:"url"`
}

func (f wireFrame) frame() Frame {
	return Frame{ID: f.ID, Parent: f.ParentID, Document: f.LoaderID, URL: truncate.Characters(f.URL, maxURL)}
}

type wireTree struct {
	Frame       wireFrame  `json:"frame"`
	ChildFrames []wireTree `json:"childFrames"`
}

// DecodeTree reads the frame tree of one session, a parent before its children.
func DecodeTree(result json.RawMessage) ([]Frame, error) {
	p, err := decodeParams[struct {
		FrameTree wireTree `json:"frameTree"`
	}](result)
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidResult, "the frames of the page cannot be read: %v", err)
	}
	var frames []Frame
	var walk func(wireTree)
	walk = func(t wireTree) {
		frames = append(frames, t.Frame.frame())
		for _, child := range t.ChildFrames {
			walk(child)
		}
	}
	walk(p.FrameTree)
	return frames, nil
}

func frameNavigating(params json.RawMessage) (Event, error) {
	p, err := decodeParams[struct {
		FrameID        string `json:"frameId"`
		NavigationType string `json:"navigationType"`
	}](params)
	switch p.NavigationType {
	case "sameDocument", "historySameDocument":
		return nil, err
	}
	return FrameNavigating{p.FrameID}, err
}

func frameNavigated(params json.RawMessage) (Event, error) {
	p, err := decodeParams[struct {
		Frame wireFrame `json:"frame"`
		Type  string    `json:"type"`
	}](params)
	return FrameNavigated{p.Frame.frame(), p.Type == "BackForwardCacheRestore"}, err
}

func frameLoaded(params json.RawMessage) (Event, error) {
	p, err := decodeParams[struct {
		FrameID string `json:"frameId"`
	}](params)
	return FrameLoaded{p.FrameID}, err
}

func frameMoved(params json.RawMessage) (Event, error) {
	p, err := decodeParams[struct {
		FrameID string `json:"frameId"`
		URL     string `json:"url"`
	}](params)
	return FrameMoved{p.FrameID, truncate.Characters(p.URL, maxURL)}, err
}

func frameDetached(params json.RawMessage) (Event, error) {
	p, err := decodeParams[struct {
		FrameID string `json:"frameId"`
		Reason  string `json:"reason"`
	}](params)
	return FrameDetached{p.FrameID, p.Reason == "swap"}, err
}
