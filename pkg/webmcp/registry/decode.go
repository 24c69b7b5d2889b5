package registry

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/truncate"
)

// Bounds of what is stored about one tool.
const (
	maxDescription = 20_000  // characters
	maxTitle       = 200     // characters
	maxSchemaBytes = 100_000 // one that is larger is left out and said so
	maxName        = 128     // characters; the browser allows no more
	maxStack       = 5       // places of a stack, and of each of its parents
	maxParents     = 3       // of a stack
	maxInput       = 16_000  // bytes
	maxOutput      = 100_000 // characters; of more the head is kept
	maxURL         = 500     // characters
)

// Decode decodes an event of the debugger. It returns nil for one that is not needed here.
func Decode(method string, params json.RawMessage) (Event, error) {
	read, ok := decoders[method]
	if !ok {
		return nil, nil
	}
	event, err := read(params)
	if err != nil {
		return nil, fault.Wrap(err, fault.InvalidMessage, "the event %s cannot be read: %v", method, err)
	}
	return event, nil
}

var decoders = map[string]func(json.RawMessage) (Event, error){
	"WebMCP.toolsAdded":            toolsAdded,
	"WebMCP.toolsRemoved":          toolsRemoved,
	"WebMCP.toolInvoked":           toolInvoked,
	"WebMCP.toolResponded":         toolResponded,
	"Page.frameStartedNavigating":  frameNavigating,
	"Page.frameNavigated":          frameNavigated,
	"Page.frameStoppedLoading":     frameLoaded,
	"Page.navigatedWithinDocument": frameMoved,
	"Page.frameDetached":           frameDetached,
}

func toolsAdded(params json.RawMessage) (Event, error) {
	p, err := decodeParams[struct {
		Tools []struct {
			ToolID        string          `json:"toolId"`
			Name          string          `json:"name"`
			Title         string          `json:"title"`
			Description   string          `json:"description"`
			InputSchema   json.RawMessage `json:"inputSchema"`
			OutputSchema  json.RawMessage `json:"outputSchema"`
			Annotations   Annotations     `json:"annotations"`
			FrameID       string          `json:"frameId"`
			BackendNodeID int64           `json:"backendNodeId"`
			StackTrace    *stackTrace     `json:"stackTrace"`
		} `json:"tools"`
	}](params)
	if err != nil {
		return nil, err
	}
	var e ToolsAdded
	for _, t := range p.Tools {
		d := truncateDeclared(Declared{
			Frame: t.FrameID, Name: t.Name, Title: t.Title, Description: t.Description, BrowserID: t.ToolID, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
			Annotations: t.Annotations, Form: t.BackendNodeID != 0, BackendNodeID: t.BackendNodeID, Stack: t.StackTrace.places(),
		})
		e.Tools = append(e.Tools, d)
	}
	return e, nil
}

func toolsRemoved(params json.RawMessage) (Event, error) {
	p, err := decodeParams[struct {
		Tools []struct {
			ToolID  string `json:"toolId"`
			Name    string `json:"name"`
			FrameID string `json:"frameId"`
		} `json:"tools"`
	}](params)
	var e ToolsRemoved
	for _, t := range p.Tools {
		e.Tools = append(e.Tools, Removed{t.FrameID, truncate.Characters(t.Name, maxName), t.ToolID})
	}
	return e, err
}

func decodeParams[T any](params json.RawMessage) (T, error) {
	var v T
	err := json.Unmarshal(params, &v)
	return v, err
}

// truncateDeclared applies the bounds to a declared tool.
func truncateDeclared(d Declared) Declared {
	d.DescriptionCut = utf8.RuneCountInString(d.Description) > maxDescription
	d.Name, d.Title, d.Description = truncate.Characters(d.Name, maxName), truncate.Characters(d.Title, maxTitle), truncate.Characters(d.Description, maxDescription)
	d.InputSchema, d.OutputSchema = object(d.InputSchema), object(d.OutputSchema)
	if len(d.InputSchema) > maxSchemaBytes {
		d.InputSchema, d.SchemaLeftOut = nil, true
	}
	if len(d.OutputSchema) > maxSchemaBytes {
		d.OutputSchema = nil
	}
	return d
}

// object returns a value that is an object, else nil.
func object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	return raw
}
