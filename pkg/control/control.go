// Package control is the local socket by which the terminal, MCP servers and other
// programs of the same user reach the host of a profile.
//
// Rules of this package:
//   - A unix socket for each profile, folder 0700 and socket 0600; no TCP.
//   - JSON-RPC 2.0 in length-prefixed frames (pkg/rpc), one connection a client.
//   - No message here can claim a tab: only the user can, in the browser.
//   - A client that disconnects cancels its calls, one that stands still is disconnected.
//   - What a client asks for above the limits (limits.go) is refused with rate_limited before
//     anything is done or kept of it. Each connection always has a place for its first calls.
package control

import (
	"context"
	"encoding/json"

	"github.com/actionsjson/actions-host/manifest/protocol"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/recording"
	"github.com/actionsjson/actions-host/pkg/runhistory"
	"github.com/actionsjson/actions-host/pkg/session"
	"github.com/actionsjson/actions-host/pkg/strictjson"
	"github.com/actionsjson/actions-host/pkg/tabs"
)

// Names of the methods.
const (
	MethodCall          = "call"
	MethodExplain       = "policy_explain"
	MethodStatus        = "status"
	MethodPing          = "ping"
	MethodTabs          = "tabs"
	MethodLog           = "log_read"
	MethodLogSessions   = "log_sessions"
	MethodLogSessionIDs = "log_session_ids"
	MethodLogVerify     = "log_verify"
	MethodApprovals     = "approvals_list"
	MethodAnswer        = "approvals_answer"
	MethodFormAnswer    = "approvals_form"
	MethodRevoke        = "approvals_revoke"
	MethodStop          = "calls_stop"
	MethodGoOn          = "calls_go_on"
	MethodCopyPage      = "page_copy"
	MethodLastRuns      = "last_runs"
	MethodRecord        = "record"
	MethodRepair        = "map_repair"
)

// MaxFrame bounds a message on the socket, in bytes.
const MaxFrame = 64 << 20

// CallParams requests one call.
type CallParams struct {
	Session   SessionParams   `json:"session"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments,omitzero"`
	Target    TargetParams    `json:"target,omitzero"`
	TimeoutMS int             `json:"timeout_ms,omitzero"`
	// MaxOutputChars is the caller's own budget, below that of the primitive.
	MaxOutputChars int `json:"max_output_chars,omitzero"`
	// Progress, above 0, requests notifications of the steps under this number.
	Progress uint64 `json:"progress,omitzero"`
}

// callRequest is [CallParams] as the server decodes it: with checked arguments.
type callRequest struct {
	CallParams
	Arguments strictjson.Value `json:"arguments,omitzero"`
}

// SessionParams identifies the caller. The host keeps one session for each id, until
// the last connection that used it is closed.
type SessionParams struct {
	Kind      policy.SessionKind `json:"kind"`
	ID        string             `json:"id,omitzero"` // empty: the kind's shared session
	Mode      policy.Mode        `json:"mode,omitzero"`
	AllowCode bool               `json:"allow_code,omitzero"`
	// AllowAPI lets a grant for an origin cover requests to it that write; without it the user is
	// asked about each of them.
	AllowAPI bool `json:"allow_api,omitzero"`
	// Client is the calling program, as it names itself, for the log alone.
	Client string `json:"client,omitzero"`
	// Origins restricts the pages that the session may operate to those whose
	// origin matches one of the patterns; none: all that are claimed.
	Origins []string `json:"origins,omitzero"`
	// StoredOnly refuses direct primitives from this call on, until one without
	// it: a map is retested by its stored actions alone.
	StoredOnly bool `json:"stored_only,omitzero"`
	// Form says that the client can ask its user itself.
	Form bool `json:"form,omitzero"`
	// NoLoopGuard lets a script repeat calls that lead nowhere.
	NoLoopGuard bool `json:"no_loop_guard,omitzero"`
}

// TargetParams names a tab; at most one member is set.
type TargetParams struct {
	TabID       int    `json:"tab_id,omitzero"`
	RuntimeID   string `json:"runtime_id,omitzero"`
	URLContains string `json:"url_contains,omitzero"`
}

func (t TargetParams) target() tabs.Target {
	return tabs.Target{TabID: t.TabID, RuntimeID: t.RuntimeID, URLContains: t.URLContains}
}

// Status describes a running host.
type Status struct {
	HostVersion      string `json:"host_version"`
	PID              int    `json:"pid"`
	BrowserPID       int    `json:"browser_pid"` // the process that started the host
	ProfileID        string `json:"profile_id"`
	ProfileLabel     string `json:"profile_label"`
	Browser          string `json:"browser"`
	BrowserSession   string `json:"browser_session"` // one run of the browser, to which tab ids belong
	BrowserVersion   string `json:"browser_version"`
	ExtensionVersion string `json:"extension_version"`
	Protocol         int    `json:"protocol"`
	DictionaryMatch  bool   `json:"dictionary_match"`
	StorageRoot      string `json:"storage_root"`
	Database         string `json:"database"`
	ClaimedTabs      int    `json:"claimed_tabs"`
	LogDamage        string `json:"log_damage,omitzero"` // what was found wrong with the database

	// MissingPrimitives are those that the connected extension does not know.
	MissingPrimitives []string `json:"missing_primitives,omitzero"`

	Sessions []session.Named `json:"sessions,omitzero"` // those that have a name
}

// Pong is the answer to a ping that went through the extension's worker.
type Pong struct {
	ExtensionVersion string  `json:"extension_version"`
	WorkerUptimeMS   int     `json:"worker_uptime_ms"`
	RoundTripMS      float64 `json:"round_trip_ms"`

	Dropped protocol.DroppedMessages `json:"dropped,omitzero"` // by the worker
	Spent   Spent                    `json:"spent,omitzero"`
}

// Spent is where the time of all calls went since the host, or the worker, started, in milliseconds.
// Calls side by side count each for itself.
type Spent struct {
	LogMS       float64            `json:"log_ms"`       // the host's wait for the log on disk
	ExtensionMS float64            `json:"extension_ms"` // the host's wait for the extension
	Worker      protocol.SpentTime `json:"worker"`       // of that, in the extension's worker; zero for older extensions
}

// Tabs lists a profile's claimed tabs.
type Tabs struct {
	ProfileID    string          `json:"profile_id"`
	ProfileLabel string          `json:"profile_label"`
	Tabs         json.RawMessage `json:"tabs"`
}

// LastRuns is how the stored actions fared, those that failed most first.
type LastRuns struct {
	Actions []runhistory.Fared `json:"actions"`
}

// PageCopy is the copy of a claimed page for a file: see page.copy. URL is the tab's, the copy
// has one without what was typed.
type PageCopy struct {
	URL  string `json:"url"`
	Copy struct {
		HTML  string         `json:"html"`
		URL   string         `json:"url"`
		Title string         `json:"title"`
		Taken map[string]int `json:"taken"` // what stays behind, by kind
	} `json:"copy"`
}

// Approvals lists the requests that wait for the user, and the grants and denials.
type Approvals struct {
	Approvals []policy.Approval `json:"approvals"`
	Grants    []policy.Grant    `json:"grants"`
}

// Revoke revokes what is allowed of an effect on an origin. A refusal is taken back by a
// person in the extension only: an agent may speak on this socket.
type Revoke struct {
	Origin string        `json:"origin"`
	Effect policy.Effect `json:"effect,omitzero"` // empty: all
}

func (r Revoke) matches(g policy.Grant) bool {
	return !g.Deny && g.Origin == r.Origin && (r.Effect == "" || g.Effect == r.Effect)
}

// Revoked are the grants that were revoked.
type Revoked struct {
	Revoked []policy.Grant `json:"revoked"`
}

// Answer decides a waiting approval for a person in a terminal.
type Answer struct {
	ID    string       `json:"id"`
	Allow bool         `json:"allow"`
	Scope policy.Scope `json:"scope,omitzero"` // empty: once
	// Code is the one that the question shows where only a person looks; a denial needs none.
	Code string `json:"code,omitzero"`
}

// FormAnswer is what the user chose in the form of the client whose call asked: once, session or deny.
// Anything else is refused and logged. It is taken from an MCP server alone.
type FormAnswer struct {
	Session SessionParams `json:"session"`
	ID      string        `json:"id"`
	Answer  string        `json:"answer"`
}

// Record is what a person at a terminal wants of the recording of a tab.
type Record struct {
	Target TargetParams `json:"target,omitzero"`
	Do     string       `json:"do"` // as in protocol.RecordControl
	Name   string       `json:"name,omitzero"`
}

// Recorded is the state of the recording of a tab.
type Recorded struct {
	TabID int `json:"tab_id"`
	recording.State
}

// Empty is for no parameters or no result.
type Empty struct{}

// Service is implemented by a host for its clients.
type Service interface {
	Session(SessionParams) (*dispatch.Session, error)
	// EndSessions ends sessions, of which only kind and id are set. None of their calls
	// runs, and no other client waits for it to return.
	EndSessions([]SessionParams)
	Dispatcher() *dispatch.Dispatcher
	Status() Status
	TabList(*dispatch.Session) (Tabs, error)
	Record(context.Context, protocol.RecordControl) (recording.State, error)
}
