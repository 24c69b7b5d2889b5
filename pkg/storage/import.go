package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/origin"
)

// ImportResult is the result of an import. Every entry of the bundle is counted
// once: updated, preserved or ignored.
type ImportResult struct {
	EntryCount     int       `json:"entry_count"`
	Merged         bool      `json:"merged"`          // some of the paths existed before
	UpdatedCount   int       `json:"updated_count"`   // written: new, or newer than the existing file
	PreservedCount int       `json:"preserved_count"` // unchanged: not newer, or the same
	Ignored        []string  `json:"ignored,omitzero"`
	SyncedAtMS     int64     `json:"synced_at_ms"`
	ImportedAt     time.Time `json:"imported_at"`
}

// write is one file that an import will write.
type write struct {
	path    string // canonical
	dir     string // the folder that bounds the write, absolute, without links
	name    string // below dir, in the system's form
	content string
	at      int64 // milliseconds; 0: now
	isNew   bool
	number  int // in its staging folder
}

// Import merges a bundle into the storage, path by path: the newer text wins,
// and nothing is deleted. Paths without a scope go to the default one. All
// paths and maps are checked before anything is written, and either all of the
// bundle is merged or nothing. The errors are invalid_input, invalid_map,
// payload_too_large, storage_file_path_unauthorized and storage_unavailable.
func (s *Store) Import(text []byte) (ImportResult, error) {
	b, err := decodeBundle(text)
	if err != nil {
		return ImportResult{}, err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	l := s.layout()
	s.mu.Unlock()
	result := ImportResult{EntryCount: len(b.Entries), SyncedAtMS: b.SyncedAtMS, ImportedAt: time.Now().UTC()}
	writes, err := s.plan(l, b, &result)
	if err != nil {
		return ImportResult{}, err
	}
	if s.afterPlan != nil {
		s.afterPlan()
	}
	if err := commit(writes); err != nil {
		return ImportResult{}, err
	}
	result.UpdatedCount = len(writes)
	return result, nil
}

// wantBundle is the next step for a file that is not a bundle.
const wantBundle = "Name a file that actions-host storage export wrote."

// ImportFile imports the bundle in a file.
func (s *Store) ImportFile(name string) (ImportResult, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return ImportResult{}, fault.Wrap(err, fault.InvalidInput, "the bundle %s cannot be read: %v", name, reason(err)).WithNextStep(wantBundle)
	case info.IsDir():
		return ImportResult{}, fault.New(fault.InvalidInput, "%s is a folder, and import takes the file of a bundle", name).
			WithNextStep("Copy the folder's scopes into the storage folder, which actions-host storage list names, or import it in the extension's options.")
	case !info.Mode().IsRegular():
		return ImportResult{}, fault.New(fault.InvalidInput, "the bundle %s is not a file", name).WithNextStep(wantBundle)
	case info.Size() > maxBundleBytes: // before it is read into memory
		return ImportResult{}, fault.New(fault.PayloadTooLarge, "the bundle has %d bytes; %d are allowed", info.Size(), maxBundleBytes)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return ImportResult{}, fault.Wrap(err, fault.InvalidInput, "the bundle %s cannot be read: %v", name, reason(err))
	}
	return s.Import(text)
}

// plan returns the files to write and writes nothing.
func (s *Store) plan(l *layout, b Bundle, result *ImportResult) ([]write, error) {
	var writes []write
	// The places that entries name themselves. Bundles of a storage hold it so: what stands outside
	// of its scopes is no map there, and never takes the place of what stands in them.
	own := map[string]bool{}
	for _, e := range b.Entries {
		if _, _, ok := canonicalScope(slashed(e.Path)); ok {
			own[strings.ToLower(slashed(e.Path))] = true
		}
	}
	seen, into := map[string]string{}, targets{}
	defer into.close()
	for _, e := range b.Entries {
		name, ignored, why := s.importPath(l, e.Path, len(own) > 0)
		if why != "" {
			return nil, fault.New(fault.StorageFilePathUnauthorized, "the path %.80q of the bundle is not safe: %s", e.Path, why).With("path", e.Path)
		}
		// File systems that ignore case would let the second overwrite the first.
		folded := strings.ToLower(name)
		if ignored || own[folded] && folded != strings.ToLower(slashed(e.Path)) {
			result.Ignored = append(result.Ignored, e.Path)
			continue
		}
		if other, twice := seen[folded]; twice {
			return nil, fault.New(fault.InvalidInput, "the bundle holds %.80q and %.80q, which have one place", other, e.Path).With("path", e.Path)
		}
		seen[folded] = e.Path
		w, exists, err := planOne(l, into, name, e)
		if err != nil {
			return nil, err
		}
		result.Merged = result.Merged || exists
		if w == nil {
			result.PreservedCount++
			continue
		}
		writes = append(writes, *w)
	}
	for folded := range seen {
		for dir := path.Dir(folded); dir != "."; dir = path.Dir(dir) {
			if other, ok := seen[dir]; ok {
				return nil, fault.New(fault.InvalidInput, "the bundle holds %.80q as a file and as a folder", other).With("path", other)
			}
		}
	}
	return writes, nil
}

// importPath returns the canonical path of an entry. ignored is set for files
// that configure one storage folder, and for hidden files: the mounts and the
// repository settings are up to the folder's owner. A copy of a storage is stored as it is: one in a
// proof or archive folder, and in a bundle of a whole storage one in any folder.
func (s *Store) importPath(l *layout, name string, whole bool) (canonical string, ignored bool, why string) {
	name = slashed(name)
	base := path.Base(name)
	if strings.HasPrefix(base, ".") && strings.Trim(base, ".") != "" && unsafePath(strings.TrimSuffix(name, base)+"x"+base) == "" {
		return "", true, ""
	}
	if why := unsafePath(name); why != "" {
		return "", false, why
	}
	if name == workspaceName || name == readmeName {
		return "", true, ""
	}
	place, ok := ParsePath(name, l.defaultScope)
	copied := len(place.above) > 0 && (whole || slices.ContainsFunc(place.above, func(name string) bool { return !followed(name) }))
	if ok && !copied {
		return s.spelled(l, place), false, ""
	}
	_, _, known := canonicalScope(name)
	switch first, _, _ := strings.Cut(name, "/"); {
	case known:
		return name, false, ""
	case first == "scopes" || first == "packages":
		return "", false, "it names no scope and no package"
	}
	return scopePath(l.defaultScope) + "/" + name, false, ""
}

// spelled returns the path of the place below the folder of its host that is there, which may be spelled
// otherwise: a page's maps are in both, and of two the older one could win.
func (s *Store) spelled(l *layout, place Place) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	host, _ := origin.Canonical(place.folder)
	var present []string
	for _, sc := range l.scopes {
		for _, b := range sc.bases {
			if sc.name != place.Scope {
				continue
			}
			sites := s.list(location{b.sites, b.bounds})
			if slices.Contains(sites.folders, place.folder) {
				return place.written()
			}
			present = append(present, sites.ofHost(host)...)
		}
	}
	if len(present) > 0 && !slices.Contains(present, place.Host) {
		place.Host = present[0]
	}
	return place.Path()
}

// slashed returns a path of a bundle with forward slashes, also of one made on Windows.
func slashed(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// planOne plans one entry; a nil write leaves the existing file.
func planOne(l *layout, known targets, name string, e BundleEntry) (w *write, exists bool, err error) {
	refuse := func(format string, args ...any) error {
		return fault.New(fault.StorageFilePathUnauthorized, "%s is not written: %s", name, fmt.Sprintf(format, args...)).With("path", e.Path)
	}
	at, _ := l.locate(name)
	into := known[at.bounds]
	if into == nil {
		into = l.writable(at.bounds)
		known[at.bounds] = into
	}
	dir, below, problem := into.dir, "", into.problem
	if problem == "" {
		if below, err = filepath.Rel(into.at, at.path); err != nil || !filepath.IsLocal(below) {
			problem = "it lies outside of the storage folder"
		}
	}
	if problem != "" {
		return nil, false, refuse("%s", problem)
	}
	w = &write{path: name, dir: dir, name: below, content: e.Content, at: e.ModifiedAtMS}
	info, old, err := into.present(below)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.isNew = true
	case err != nil:
		return nil, false, refuse("%v", reason(err))
	case !info.Mode().IsRegular():
		return nil, false, refuse("a folder or a link has its name")
	case e.ModifiedAtMS <= info.ModTime().UnixMilli() || old == e.Content:
		return nil, true, nil
	}
	// A map in use is never replaced by one that does not load.
	if path.Base(name) == MapName && executable(name) {
		if _, err := actionmap.Parse([]byte(e.Content)); err != nil {
			return nil, false, fault.Wrap(err, fault.InvalidMap, "the bundle's %s does not load: %s", e.Path, fault.From(err).Message).With("path", e.Path)
		}
	}
	return w, !w.isNew, nil
}

// target is a folder below which files are written.
type target struct {
	at      string // absolute
	dir     string // the same without links
	problem string // why nothing can be written there; "" if it can

	root *os.Root // of dir, once it was opened
}

// targets are the folders of an import. Most entries share one: its links are followed, and it
// is opened, once.
type targets map[bounds]*target

func (t targets) close() {
	for _, one := range t {
		if one.root != nil {
			one.root.Close()
		}
	}
}

// present returns the existing file of the name, without following a link out of dir.
func present(dir, name string) (info fs.FileInfo, text string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", err
	}
	defer root.Close()
	return presentIn(root, name)
}

// present is the same below the target.
func (t *target) present(name string) (info fs.FileInfo, text string, err error) {
	if t.root == nil {
		if t.root, err = os.OpenRoot(t.dir); err != nil {
			return nil, "", err
		}
	}
	return presentIn(t.root, name)
}

func presentIn(root *os.Root, name string) (info fs.FileInfo, text string, err error) {
	if info, err = root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return info, "", err
	}
	old, err := root.ReadFile(name)
	return info, string(old), err
}

// writable returns the folder of the bounds as a target.
func (l *layout) writable(within bounds) *target {
	if within.limit == l.root.path {
		// The default folder of a scope is created for its first file, and so is the
		// storage folder itself.
		if _, err := os.Stat(within.dir); errors.Is(err, fs.ErrNotExist) {
			within = l.root.bounds
		}
		if _, err := os.Stat(within.dir); errors.Is(err, fs.ErrNotExist) {
			return &target{at: within.dir, dir: within.dir}
		}
	}
	resolved, inside := location{within.dir, within}.resolve(anyName)
	if !inside {
		return &target{problem: "the folder " + within.dir + " does not exist, or a link leads it elsewhere"}
	}
	return &target{at: within.dir, dir: resolved}
}
