// Package desk is where the user meets the host: it does what the user asks in
// the popup and the options page, and tells them what runs, what was done, what
// was granted and what is in the storage folder.
//
// Rules of this package:
//   - Only the extension's own pages reach it; no client and no web page does.
//   - It tells the state when it is asked and sends nothing by itself: what
//     nobody looks at costs no call anything.
//   - What the user sets holds from the next call on, and is on disk before it
//     is answered.
package desk

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

// Desk serves the pages of one profile. Open makes it; its fields are set once,
// before the first command.
type Desk struct {
	Path     *dispatch.Dispatcher
	Tabs     *tabs.Registry
	Store    *storage.Store
	Sessions *session.Sessions

	log      *journal.Journal
	watched  bool
	saving   sync.Mutex // one change of the settings at a time
	settings atomic.Pointer[Settings]
	upload   upload
}

// View is the host as the popup shows it.
type View struct {
	Running  []dispatch.Running `json:"running"`
	Activity []Activity         `json:"activity"` // the newest first
	Settings Settings           `json:"settings"`
	Granted  map[string]int     `json:"granted"` // how many grants hold, by origin
}

// Stored is the storage folder as the options page shows it.
type Stored struct {
	Path   string             `json:"path"`
	Maps   []storage.MapState `json:"maps"`
	More   bool               `json:"more"` // there are maps that are not listed
	Errors []storage.MapError `json:"errors"`
}

// Open makes the desk of a profile with the settings in its database. Watched
// says that a person can see the browser's windows.
func Open(log *journal.Journal, watched bool) (*Desk, error) {
	d := &Desk{log: log, watched: watched}
	settings, err := d.load()
	if err != nil {
		return nil, err
	}
	d.settings.Store(&settings)
	return d, nil
}

// Command does what the user asks for and gives what the page then shows.
func (d *Desk) Command(ctx context.Context, command string, args json.RawMessage) (json.RawMessage, error) {
	answer, err := d.do(ctx, command, args)
	if err != nil {
		return nil, err
	}
	return primitive.Output(answer)
}

func (d *Desk) do(ctx context.Context, command string, args json.RawMessage) (any, error) {
	switch command {
	case "view":
	case "stop":
		a, err := decode[struct {
			TabID int `json:"tab_id"`
		}](args)
		if err != nil {
			return nil, err
		}
		d.Path.Stop(a.TabID)
	case "settings":
		if err := d.change(args); err != nil {
			return nil, err
		}
	case "storage":
		return d.stored(), nil
	case "import_part":
		a, err := decode[part](args)
		if err != nil {
			return nil, err
		}
		return struct{}{}, d.upload.add(a)
	case "import":
		a, err := decode[struct {
			Import string `json:"import"`
			Parts  int    `json:"parts"`
		}](args)
		if err != nil {
			return nil, err
		}
		return d.imported(ctx, a.Import, a.Parts)
	case "grants":
		return Grants{Grants: d.grants()}, nil
	case "revoke":
		a, err := decode[struct {
			IDs []string `json:"ids"`
		}](args)
		if err != nil {
			return nil, err
		}
		return d.revoke(ctx, a.IDs)
	default:
		return nil, fault.New(fault.InvalidInput, "the host does not know the command %q", command).WithDispatched(fault.NotDispatched)
	}
	return d.view()
}

func decode[T any](args json.RawMessage) (v T, err error) {
	if err := strictjson.Decode(args, &v, strictjson.Limits{}); err != nil {
		return v, fault.From(err).WithDispatched(fault.NotDispatched)
	}
	return v, nil
}

func (d *Desk) view() (View, error) {
	activity, err := d.activity()
	return View{Running: d.Path.Running(), Activity: activity, Settings: *d.settings.Load(), Granted: d.granted()}, err
}

func (d *Desk) stored() Stored {
	s := Stored{Path: d.Store.Root(), Errors: append([]storage.MapError{}, d.Store.Errors()...)}
	s.Maps, s.More = d.Store.Overview()
	return s
}
