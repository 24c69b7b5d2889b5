// Package ui is the backend of the popup and the options page: it executes the
// user's commands and returns what runs, what was done, what was granted and what is
// in the storage folder.
//
// Rules of this package:
//   - Only the extension's own pages reach it; no client and no web page does.
//   - It returns the state on request and sends nothing by itself: a view that is not
//     open costs no call anything.
//   - A setting holds from the next call on, and is on disk before the answer.
package ui

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/primitive"
	"github.com/actionsjson/actions-host/pkg/session"
	"github.com/actionsjson/actions-host/pkg/storage"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// Backend serves the pages of one profile. [Open] creates it; its fields are set once,
// before the first command.
type Backend struct {
	Path     *dispatch.Dispatcher
	Tabs     *tabs.Registry
	Store    *storage.Store
	Sessions *session.Sessions

	log      *journal.Journal
	visible  bool
	saving   sync.Mutex // one change of the settings at a time
	settings atomic.Pointer[Settings]
	upload   upload
}

// View is the state that the popup shows.
type View struct {
	Running  []dispatch.Running `json:"running"`
	Activity []Activity         `json:"activity"` // the newest first
	Settings Settings           `json:"settings"`
	Granted  map[string]int     `json:"granted"` // how many grants hold, by origin
}

// Stored is the state of the storage folder that the options page shows.
type Stored struct {
	Path   string             `json:"path"`
	Maps   []storage.MapState `json:"maps"`
	More   bool               `json:"more"` // there are maps that are not listed
	Errors []storage.MapError `json:"errors"`
}

// Open returns the backend of a profile with the settings in its database; visible is
// whether a person can see the browser's windows.
func Open(log *journal.Journal, visible bool) (*Backend, error) {
	b := &Backend{log: log, visible: visible}
	settings, err := b.load()
	if err != nil {
		return nil, err
	}
	b.settings.Store(&settings)
	return b, nil
}

// Command executes a command of the user and returns what the page then shows.
func (b *Backend) Command(ctx context.Context, command string, args json.RawMessage) (json.RawMessage, error) {
	answer, err := b.execute(ctx, command, args)
	if err != nil {
		return nil, err
	}
	return primitive.Output(answer)
}

func (b *Backend) execute(ctx context.Context, command string, args json.RawMessage) (any, error) {
	switch command {
	case "view":
	case "stop":
		a, err := decode[struct {
			TabID int `json:"tab_id"`
		}](args)
		if err != nil {
			return nil, err
		}
		b.Path.Stop(a.TabID)
	case "settings":
		if err := b.changeSettings(args); err != nil {
			return nil, err
		}
	case "storage":
		return b.stored(), nil
	case "import_part":
		a, err := decode[importChunk](args)
		if err != nil {
			return nil, err
		}
		return struct{}{}, b.upload.add(a)
	case "import":
		a, err := decode[struct {
			Import string `json:"import"`
			Chunks int    `json:"parts"`
		}](args)
		if err != nil {
			return nil, err
		}
		return b.importBundle(ctx, a.Import, a.Chunks)
	case "grants":
		return Grants{Grants: b.grants()}, nil
	case "revoke":
		a, err := decode[struct {
			IDs []string `json:"ids"`
		}](args)
		if err != nil {
			return nil, err
		}
		return b.revoke(ctx, a.IDs)
	default:
		return nil, fault.New(fault.InvalidInput, "the host does not know the command %q", command).WithDispatched(fault.NotDispatched)
	}
	return b.view(ctx)
}

func decode[T any](args json.RawMessage) (v T, err error) {
	if err := strictjson.Decode(args, &v, strictjson.Limits{}); err != nil {
		return v, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	return v, nil
}

func (b *Backend) view(ctx context.Context) (View, error) {
	activity, err := b.activity(ctx)
	return View{Running: b.Path.Running(), Activity: activity, Settings: *b.settings.Load(), Granted: b.grantCounts()}, err
}

func (b *Backend) stored() Stored {
	s := Stored{Path: b.Store.Root(), Errors: append([]storage.MapError{}, b.Store.Errors()...)}
	s.Maps, s.More = b.Store.Overview()
	return s
}
