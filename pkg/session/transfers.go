package session

import (
	"context"
	"encoding/json"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/transfer"
)

func (s *Sessions) transferWrite(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Label      string                     `json:"label"`
		Format     string                     `json:"format"`
		Value      json.RawMessage            `json:"value"`
		Metadata   map[string]json.RawMessage `json:"metadata"`
		TTLSeconds *float64                   `json:"ttl_seconds"`
		Mode       string                     `json:"mode"`
		Redaction  transfer.Redaction         `json:"redaction"`
		Source     map[string]json.RawMessage `json:"source"`
	}](c)
	if err != nil {
		return nil, err
	}
	ttl := transfer.DefaultTTL
	if args.TTLSeconds != nil {
		ttl = time.Duration(*args.TTLSeconds * float64(time.Second))
	}
	item, err := s.Buffer.Write(c.Session.SessionID(), transfer.Write{
		Label: args.Label, Format: args.Format, Value: args.Value, Metadata: args.Metadata, TTL: ttl, Mode: args.Mode,
		Redaction: args.Redaction, Source: args.Source, TabID: c.TabID, URL: c.URL,
	})
	if err != nil {
		return nil, err
	}
	return primitive.Output(item)
}

func (s *Sessions) transferRead(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		ID           string `json:"id"`
		Label        string `json:"label"`
		IncludeValue bool   `json:"include_value"`
	}](c)
	if err != nil {
		return nil, err
	}
	item, err := s.Buffer.Read(c.Session.SessionID(), transfer.Ref{ID: args.ID, Label: args.Label})
	if err != nil {
		return nil, err
	}
	if !args.IncludeValue {
		item.Value = nil
	}
	return primitive.Output(item)
}

// transferInsert renders an item and passes it to text.insert, which handles the
// field. A value that must not be logged is not logged by that call either.
func (s *Sessions) transferInsert(ctx context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		ID           string          `json:"id"`
		Label        string          `json:"label"`
		Target       json.RawMessage `json:"target"`
		ItemSelector struct {
			Index *int `json:"index"`
		} `json:"item_selector"`
		Render struct {
			Format   string `json:"format"`
			Template string `json:"template"`
		} `json:"render"`
		Mode string `json:"mode"`
	}](c)
	if err != nil {
		return nil, err
	}
	item, err := s.Buffer.Read(c.Session.SessionID(), transfer.Ref{ID: args.ID, Label: args.Label})
	if err != nil {
		return nil, err
	}
	text, err := transfer.Render{Index: args.ItemSelector.Index, Format: args.Render.Format, Template: args.Render.Template}.Text(item)
	if err != nil {
		return nil, err
	}
	insert, err := primitive.Output(struct {
		Text   string          `json:"text"`
		Target json.RawMessage `json:"target,omitzero"`
		Mode   string          `json:"mode,omitzero"`
	}{text, args.Target, args.Mode})
	if err != nil {
		return nil, err
	}
	inserted, err := s.Path.Delegate(ctx, "text.insert", insert, !item.Redaction.LogPayload)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	if err := json.Unmarshal(inserted, &out); err != nil {
		return nil, fault.Wrap(err, fault.InvalidResult, "the output of text.insert is not an object")
	}
	out["id"], out["label"], out["format"] = item.ID, item.Label, item.Format
	return primitive.Output(out)
}

func (s *Sessions) transferClear(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		ID    string `json:"id"`
		Label string `json:"label"`
		Scope string `json:"scope"`
	}](c)
	if err != nil {
		return nil, err
	}
	cleared := 1
	if args.Scope != "" {
		cleared, err = s.Buffer.EndSession(c.Session.SessionID())
	} else {
		err = s.Buffer.Clear(c.Session.SessionID(), transfer.Ref{ID: args.ID, Label: args.Label})
	}
	if err != nil {
		return nil, err
	}
	return primitive.Output(map[string]any{"cleared": true, "count": cleared})
}
