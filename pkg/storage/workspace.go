package storage

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// Protocol and ProtocolVersion are the values of "protocol" and "version" in
// storage.json.
const (
	Protocol        = "actions.json.storage"
	ProtocolVersion = "0.1.0"
)

const (
	workspaceName     = "storage.json"
	maxWorkspaceBytes = 1 << 20
)

// workspaceFile is the storage folder's storage.json.
type workspaceFile struct {
	stamp
	workspace
}

// workspace is the content of storage.json. Its zero value, except for the default
// scope, is a folder without one.
type workspace struct {
	mounts       map[string]mount // by scope
	audiences    []string         // of the shared mounts, sorted
	packages     map[string]packageFile
	defaultScope string
	problems     []MapError
}

// mount maps a scope to a folder.
type mount struct {
	Path       string `json:"path"`
	Type       string `json:"mount_type"`
	Visibility string `json:"visibility"`
	Default    bool   `json:"default"`
}

// packageFile places a loaded package: the path of its map's file.
type packageFile struct {
	Path string `json:"path"`
}

// settings returns the current storage.json. An invalid file counts as none, so that
// the maps in use never depend on an earlier version.
func (s *Store) settings() *workspaceFile {
	at := s.rooted(workspaceName)
	info, err := os.Stat(at.path)
	if err != nil {
		s.workspace = workspaceFile{workspace: workspace{defaultScope: ScopePrivate}}
		if !errors.Is(err, fs.ErrNotExist) {
			s.workspace.problem("it cannot be read: %v", reason(err))
		}
		return &s.workspace
	}
	if s.workspace.unchanged(info) {
		return &s.workspace
	}
	s.workspace = workspaceFile{stamp: stamp{info: info, readAt: time.Now()}}
	s.workspace.workspace = readWorkspace(at, info)
	return &s.workspace
}

func readWorkspace(at location, info fs.FileInfo) workspace {
	none := workspace{defaultScope: ScopePrivate}
	if _, inside := at.resolve(anyName); !inside || !info.Mode().IsRegular() || info.Size() > maxWorkspaceBytes {
		none.problem("it is not a plain file of at most %d bytes in the storage folder", maxWorkspaceBytes)
		return none
	}
	text, err := os.ReadFile(at.path)
	if err != nil {
		none.problem("it cannot be read: %v", reason(err))
		return none
	}
	w, err := parseWorkspace(text)
	if err != nil {
		none.problem("the usual folders are used: %s", fault.From(err).Message)
		return none
	}
	return w
}

func (w *workspace) problem(format string, args ...any) {
	w.problems = append(w.problems, MapError{Path: workspaceName, Message: fmt.Sprintf(format, args...)})
}

// parseWorkspace parses a storage.json. It ignores unknown members; one
// unusable mount does not affect the others. The error is invalid_message.
func parseWorkspace(text []byte) (workspace, error) {
	var file struct {
		Protocol     string                 `json:"protocol"`
		Version      json.RawMessage        `json:"version"`
		DefaultMount string                 `json:"default_mount"`
		Mounts       map[string]mount       `json:"mounts"`
		Packages     map[string]packageFile `json:"packages"`
	}
	if err := strictjson.DecodeOpen(text, &file, strictjson.Limits{MaxBytes: maxWorkspaceBytes, MaxDepth: 50}); err != nil {
		return workspace{}, err
	}
	if file.Protocol != Protocol {
		return workspace{}, fault.New(fault.InvalidMessage, "its protocol is not %q", Protocol)
	}
	w := workspace{mounts: map[string]mount{}, packages: map[string]packageFile{}, defaultScope: ScopePrivate}
	if v := string(file.Version); v != "" && v != `"`+ProtocolVersion+`"` {
		w.problem("its version is %.40s, this program knows %q", v, ProtocolVersion)
	}
	var defaults []string
	for _, name := range slices.Sorted(maps.Keys(file.Mounts)) {
		m := file.Mounts[name]
		if !isScope(name) {
			w.problem("the mount %.80q is not used: mounts are named private, public or shared:AUDIENCE", name)
			continue
		}
		if m.Path == "" {
			w.problem("the mount %s is not used: it has no path", name)
			continue
		}
		w.check(name, m)
		w.mounts[name] = m
		if audience, ok := strings.CutPrefix(name, sharedPrefix); ok {
			w.audiences = append(w.audiences, audience)
		}
		if m.Default {
			defaults = append(defaults, name)
		}
	}
	if file.DefaultMount != "" {
		defaults = []string{file.DefaultMount}
	}
	switch {
	case len(defaults) > 1:
		w.problem("several mounts are the default: %s; private is used", strings.Join(defaults, ", "))
	case len(defaults) == 1 && !isScope(defaults[0]):
		w.problem("the default mount %.80q does not exist; private is used", defaults[0])
	case len(defaults) == 1:
		w.defaultScope = defaults[0]
	}
	for _, id := range slices.Sorted(maps.Keys(file.Packages)) {
		p := file.Packages[id]
		if unsafePath(id) != "" || strings.Contains(id, "/") || p.Path == "" {
			w.problem("the package %.80q is not loaded: its id is one plain name and its path names the map's file", id)
			continue
		}
		w.packages[id] = p
	}
	return w, nil
}

// check reports claims of a mount about itself that contradict its name or the format.
// The name decides.
func (w *workspace) check(name string, m mount) {
	kind, _, _ := strings.Cut(name, ":")
	if m.Visibility != "" && m.Visibility != kind {
		w.problem("the mount %s says the visibility %.40q; its name decides", name, m.Visibility)
	}
	switch m.Type {
	case "", "git_submodule", "local", "git_clone":
	default:
		w.problem("the mount %s has the unknown type %.40q", name, m.Type)
	}
}

// isScope reports whether a name is private, public or shared:AUDIENCE.
func isScope(name string) bool {
	audience, shared := strings.CutPrefix(name, sharedPrefix)
	return name == ScopePrivate || name == ScopePublic ||
		shared && unsafePath(audience) == "" && !strings.Contains(audience, "/") && followed(audience)
}
