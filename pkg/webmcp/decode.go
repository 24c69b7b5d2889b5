package webmcp

import (
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/shorten"
)

// Bounds of what is kept of a page's words about one tool.
const (
	maxDescription = 4000    // characters
	maxSchemaBytes = 100_000 // one that is larger is left out and said so
	maxName        = 128     // characters; the browser allows no more
	maxStack       = 5       // places
	maxURL         = 500     // characters
)

// Decode reads an event of the debugger. One that is of no interest here is nil.
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
	"Page.navigatedWithinDocument": frameMoved,
	"Page.frameDetached":           frameDetached,
	"Target.attachedToTarget":      sessionAttached,
	"Target.detachedFromTarget":    sessionDetached,
}

func toolsAdded(params json.RawMessage) (Event, error) {
	p, err := decoded[struct {
		Tools []struct {
			ToolID        string          `json:"toolId"`
			Name          string          `json:"name"`
			Description   string          `json:"description"`
			InputSchema   json.RawMessage `json:"inputSchema"`
			OutputSchema  json.RawMessage `json:"outputSchema"`
			Annotations   Annotations     `json:"annotations"`
			FrameID       string          `json:"frameId"`
			BackendNodeID int64           `json:"backendNodeId"`
			StackTrace    struct {
				CallFrames []struct {
					FunctionName string `json:"functionName"`
					URL          string `json:"url"`
					LineNumber   int    `json:"lineNumber"`
				} `json:"callFrames"`
			} `json:"stackTrace"`
		} `json:"tools"`
	}](params)
	if err != nil {
		return nil, err
	}
	var e ToolsAdded
	for _, t := range p.Tools {
		d := bounded(Declared{
			Frame: t.FrameID, Name: t.Name, Description: t.Description, BrowserID: t.ToolID, InputSchema: t.InputSchema, OutputSchema: t.OutputSchema,
			Annotations: t.Annotations, Form: t.BackendNodeID != 0, BackendNodeID: t.BackendNodeID,
		})
		for _, f := range t.StackTrace.CallFrames[:min(len(t.StackTrace.CallFrames), maxStack)] {
			d.Stack = append(d.Stack, Place{Function: shorten.Characters(f.FunctionName, maxName), URL: shorten.Characters(f.URL, maxURL), Line: f.LineNumber + 1})
		}
		e.Tools = append(e.Tools, d)
	}
	return e, nil
}

func toolsRemoved(params json.RawMessage) (Event, error) {
	p, err := decoded[struct {
		Tools []struct {
			ToolID  string `json:"toolId"`
			Name    string `json:"name"`
			FrameID string `json:"frameId"`
		} `json:"tools"`
	}](params)
	var e ToolsRemoved
	for _, t := range p.Tools {
		e.Tools = append(e.Tools, Removed{t.FrameID, shorten.Characters(t.Name, maxName), t.ToolID})
	}
	return e, err
}

func decoded[T any](params json.RawMessage) (T, error) {
	var v T
	err := json.Unmarshal(params, &v)
	return v, err
}

// bounded cuts what a page says of a tool to what is kept of it.
func bounded(d Declared) Declared {
	d.Name, d.Description = shorten.Characters(d.Name, maxName), shorten.Characters(d.Description, maxDescription)
	d.InputSchema, d.OutputSchema = object(d.InputSchema), object(d.OutputSchema)
	if len(d.InputSchema) > maxSchemaBytes {
		d.InputSchema, d.SchemaLeftOut = nil, true
	}
	if len(d.OutputSchema) > maxSchemaBytes {
		d.OutputSchema = nil
	}
	return d
}

// object gives a value that is an object, else nil.
func object(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	return raw
}
