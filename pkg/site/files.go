package site

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// Files runs the primitives of the storage folder.
type Files struct{ Store *storage.Store }

// Handlers returns the handlers by the names of their primitives.
func (f Files) Handlers() map[string]primitive.Handler {
	return map[string]primitive.Handler{
		"storage.read_file":     f.readFile,
		"storage.list":          f.list,
		"storage.import_bundle": f.importBundle,
	}
}

// readFile reads a file that a map of the tab's page declares.
func (f Files) readFile(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		ID       string `json:"id"`
		Path     string `json:"path"`
		MaxBytes int    `json:"max_bytes"`
	}](c)
	if err != nil {
		return nil, err
	}
	file, err := f.Store.ReadFile(c.URL, args.ID, args.Path, args.MaxBytes)
	if err != nil {
		return nil, err
	}
	return primitive.Output(file)
}

// listed is the output of storage.list.
type listed struct {
	Protocol   string             `json:"protocol"`
	Version    string             `json:"version"` // of the protocol
	EntryCount int                `json:"entry_count"`
	Paths      []string           `json:"paths"`
	Maps       []string           `json:"maps"` // the paths that are maps in use
	Skipped    []storage.Skipped  `json:"skipped,omitzero"`
	Errors     []storage.MapError `json:"errors,omitzero"`
}

func (f Files) list(context.Context, primitive.Call) (json.RawMessage, error) {
	items, skipped := f.Store.List()
	l := listed{
		Protocol: storage.Protocol, Version: storage.ProtocolVersion, EntryCount: len(items), Paths: []string{}, Maps: []string{},
		Skipped: skipped, Errors: f.Store.Errors(),
	}
	for _, i := range items {
		l.Paths = append(l.Paths, i.Path)
		if i.Map {
			l.Maps = append(l.Maps, i.Path)
		}
	}
	return primitive.Output(l)
}

// importBundle imports maps, which define what agents may do on their sites: the user
// is asked each time, whoever calls. A user with access to the folder needs no call
// (actions-host storage import, the options page).
func (f Files) importBundle(_ context.Context, c primitive.Call) (json.RawMessage, error) {
	args, err := primitive.Arguments[struct {
		Bundle json.RawMessage `json:"bundle"`
	}](c)
	if err != nil {
		return nil, err
	}
	if err := c.Confirm(primitive.Question{Name: c.Record.Name, RequireNewApproval: true}); err != nil {
		return nil, err
	}
	result, err := f.Store.Import(args.Bundle)
	if err != nil {
		return nil, err
	}
	return primitive.Output(result)
}
