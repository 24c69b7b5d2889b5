// Package ui is the backend of the popup and the options page: it handles the
// user's requests and returns what runs, what was done, what was granted and what is
// in the storage folder, and makes actions of what was done.
//
// Rules of this package:
//   - Only the extension's own pages reach it; no client and no web page does.
//   - It returns the state on request and sends nothing by itself: a view that is not
//     open costs no call anything.
//   - A setting holds from the next call on, and is on disk before the answer.
package ui

import (
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/automation/skill"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/journal"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/rpc"
	"github.com/actionsjson/actions-host/pkg/session"
	"github.com/actionsjson/actions-host/pkg/site"
	"github.com/actionsjson/actions-host/pkg/storage"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// Backend serves the pages of one profile. [Open] creates it; its fields are set once,
// before the first request.
type Backend struct {
	Path     *dispatch.Dispatcher
	Tabs     *tabs.Registry
	Store    *storage.Store
	Sessions *session.Sessions
	Skills   *skill.Store
	Saver    site.Saver
	// Conversation returns the session of the pane's agent, the last one where none runs; empty
	// where there was none.
	Conversation func() string

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
	Stops    []Held             `json:"stops"`   // by the user, who has not let agents go on
	// Policy is why policy.json does not count as it is; empty for one that does.
	Policy PolicyProblem `json:"policy,omitzero"`
	// LogDamage is what was found wrong with the log.
	LogDamage string `json:"log_damage,omitzero"`
}

// PolicyProblem is what is wrong with policy.json.
type PolicyProblem struct {
	Message string `json:"message"` // with the file's name and the line
	// NothingRuns is whether there are no earlier rules, under which agents may read.
	NothingRuns bool `json:"nothing_runs"`
}

// Held is a stop by the user that holds.
type Held struct {
	TabID int         `json:"tab_id,omitzero"`
	Face  policy.Face `json:"face"`
	At    time.Time   `json:"at"`
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

// Register adds the handlers of what the pages request.
func (b *Backend) Register(m *rpc.Mux) {
	rpc.Handle(m, protocol.MethodUIView, func(ctx context.Context, _ protocol.Empty) (View, error) { return b.view(ctx) })
	rpc.Handle(m, protocol.MethodUIStop, func(ctx context.Context, p protocol.CallsStop) (View, error) {
		if err := b.stop(ctx, p.TabID, cmp.Or(policy.Face(p.Face), policy.FacePopup)); err != nil {
			return View{}, err
		}
		return b.view(ctx)
	})
	rpc.Handle(m, protocol.MethodUIGoOn, func(ctx context.Context, p protocol.CallsGoOn) (View, error) {
		if _, err := b.Path.GoOn(ctx, p.TabID, policy.FacePopup); err != nil {
			return View{}, err
		}
		return b.view(ctx)
	})
	rpc.Handle(m, protocol.MethodUISettings, func(ctx context.Context, p protocol.SettingsChange) (View, error) {
		if err := b.changeSettings(p.Changes); err != nil {
			return View{}, err
		}
		return b.view(ctx)
	})
	rpc.Handle(m, protocol.MethodUIStorage, func(context.Context, protocol.Empty) (Stored, error) { return b.stored(), nil })
	rpc.Handle(m, protocol.MethodUIImportChunk, func(_ context.Context, p protocol.ImportChunk) (protocol.Empty, error) {
		return protocol.Empty{}, b.upload.add(p)
	})
	rpc.Handle(m, protocol.MethodUIImport, func(ctx context.Context, p protocol.ImportStart) (Imported, error) {
		return b.importBundle(ctx, p.Import, p.Chunks)
	})
	rpc.Handle(m, protocol.MethodUIGrants, func(context.Context, protocol.Empty) (Grants, error) { return Grants{Grants: b.grants()}, nil })
	rpc.Handle(m, protocol.MethodUISkills, func(context.Context, protocol.Empty) (Skills, error) { return b.skills() })
	rpc.Handle(m, protocol.MethodUISkillChange, func(ctx context.Context, p protocol.SkillChange) (Skills, error) { return b.changeSkill(ctx, p) })
	rpc.Handle(m, protocol.MethodUISave, b.saveAction)
	rpc.Handle(m, protocol.MethodUIRun, b.runAction)
	rpc.Handle(m, protocol.MethodUIRepair, b.repairAction)
	rpc.Handle(m, protocol.MethodUIRevoke, func(ctx context.Context, p protocol.GrantsRevoke) (Revoked, error) { return b.revoke(ctx, p.IDs) })
}

// stop stops the calls of a tab, or of all. In a page the user stops all, so that nothing
// goes on in another tab; where no agent is at work there, the keys were meant for the page.
func (b *Backend) stop(ctx context.Context, tabID int, face policy.Face) error {
	if face == policy.FacePage {
		if !b.Path.IsAtWork(tabID) {
			return nil
		}
		tabID = 0
	}
	_, err := b.Path.Stop(ctx, tabID, face)
	return err
}

func (b *Backend) view(ctx context.Context) (View, error) {
	activity, err := b.activity(ctx)
	held := []Held{}
	for _, s := range b.Path.Held() {
		held = append(held, Held{TabID: s.TabID, Face: s.Face, At: s.At})
	}
	return View{
		Running: b.Path.Running(), Activity: activity, Settings: *b.settings.Load(), Granted: b.grantCounts(), Stops: held, Policy: b.policyProblem(),
		LogDamage: b.log.Damage().String(),
	}, err
}

func (b *Backend) policyProblem() PolicyProblem {
	rules := b.Path.Policy.FileRules()
	if rules == nil || rules.Problem == nil {
		return PolicyProblem{}
	}
	return PolicyProblem{Message: rules.Problem.Message, NothingRuns: rules.Unknown}
}

func (b *Backend) stored() Stored {
	s := Stored{Path: b.Store.Root(), Errors: append([]storage.MapError{}, b.Store.Errors()...)}
	s.Maps, s.More = b.Store.Overview()
	return s
}
