package storage

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/strictjson"
)

// The kinds of an import. website is known and rejected: nothing is fetched.
const (
	kindWebsite = "website"
	kindLocal   = "local"
	kindStorage = "storage"
	kindShared  = "shared"
	kindPublic  = "public"
	kindPackage = "package"
)

// The policies for a name that both a map and its import define.
const (
	preferLocal    = "prefer_local"
	preferImported = "prefer_imported"
	refuseConflict = "error"
)

// Import is the source of an imported tool.
type Import struct {
	ID         string          `json:"id"`
	Kind       string          `json:"kind"`
	URI        string          `json:"uri"`
	Namespace  string          `json:"namespace,omitempty"`
	Trust      string          `json:"trust"` // claimed by the importing map; it grants nothing
	Provenance json.RawMessage `json:"provenance,omitempty"`
	Path       string          `json:"path"` // canonical path of the imported map
	By         string          `json:"by"`   // canonical path of the map that imports it
}

// composition is a map's declaration of its imports.
type composition struct {
	imports  []Import // enabled ones, without Path and By
	policy   string
	problems []string // of composition as a whole
	refused  map[string]string
	order    []string // the rejected ids, in the order of the map
}

// identifier matches every name of the format.
var identifier = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]*(\.[a-zA-Z][a-zA-Z0-9_-]*)*$`)

// maxIdentifier is the maximum length of a namespace: names get its prefix at every depth.
const maxIdentifier = 128

// readImports reads imports and composition from a map's strict text. Like the rest of
// a map they are read leniently: an unusable import is rejected with a reason and does
// not affect the others.
func readImports(raw json.RawMessage) composition {
	c := composition{policy: preferLocal, refused: map[string]string{}}
	// The keys of a Go map match exactly: "Imports" is another member.
	var root map[string]json.RawMessage
	if err := json.Unmarshal(raw, &root); err != nil {
		return c // unreachable: the text has been parsed as a map
	}
	var how struct {
		Policy    string `json:"default_conflict_policy"`
		Namespace *bool  `json:"namespace_required"`
	}
	if text := root["composition"]; len(text) > 0 && strictjson.DecodeOpen(text, &how, strictjson.Limits{}) != nil {
		c.problems = append(c.problems, "/composition does not have the declared shape")
	}
	switch how.Policy {
	case "":
	case preferLocal, preferImported, refuseConflict:
		c.policy = how.Policy
	default:
		c.problems = append(c.problems, fmt.Sprintf("/composition/default_conflict_policy %.40q is unknown; %s is used", how.Policy, preferLocal))
	}
	var elements []json.RawMessage
	if text := root["imports"]; len(text) > 0 && json.Unmarshal(text, &elements) != nil {
		c.problems = append(c.problems, "/imports is not an array")
	}
	ids := map[string]bool{}
	for i, e := range elements {
		var spec struct {
			Import
			Enabled *bool `json:"enabled"`
		}
		if err := strictjson.DecodeOpen(e, &spec, strictjson.Limits{}); err != nil {
			c.reject(fmt.Sprintf("/imports/%d", i), "it does not have the declared shape")
			continue
		}
		if spec.Enabled != nil && !*spec.Enabled {
			continue
		}
		im := spec.Import
		im.Path, im.By = "", ""
		if im.ID == "" {
			c.reject(fmt.Sprintf("/imports/%d", i), "it has no id")
			continue
		}
		if ids[im.ID] {
			c.reject(fmt.Sprintf("/imports/%d", i), "an earlier import has the id "+im.ID)
			continue
		}
		ids[im.ID] = true
		if why := im.check(how.Namespace); why != "" {
			c.reject(im.ID, why)
			continue
		}
		c.imports = append(c.imports, im)
	}
	return c
}

// empty reports whether there are no imports and no problems.
func (c *composition) empty() bool {
	return len(c.imports) == 0 && len(c.order) == 0 && len(c.problems) == 0
}

func (c *composition) reject(id, reason string) {
	if _, seen := c.refused[id]; !seen {
		c.order = append(c.order, id)
	}
	c.refused[id] = reason
}

// check completes an import and returns why it cannot be used, if so. The namespace
// defaults to the id, unless the map requires an explicit one or none.
func (im *Import) check(namespaceRequired *bool) string {
	switch im.Trust {
	case "":
		im.Trust = "unknown"
	case "website", "private", "shared", "public", "local", "unknown":
	default:
		return fmt.Sprintf("its trust %.40q is unknown", im.Trust)
	}
	if im.Namespace == "" && namespaceRequired != nil && *namespaceRequired {
		return "it has no namespace, which this map requires"
	}
	if im.Namespace == "" && namespaceRequired == nil {
		im.Namespace = im.ID
	}
	if im.Namespace != "" && (!identifier.MatchString(im.Namespace) || len(im.Namespace) > maxIdentifier) {
		return fmt.Sprintf("its namespace %.80q is no identifier", im.Namespace)
	}
	switch im.Kind {
	case kindWebsite:
		return "a website's map is never fetched; save a copy in the storage and import that"
	case kindLocal, kindStorage, kindShared, kindPublic, kindPackage:
		return ""
	}
	return fmt.Sprintf("its kind %.40q is unknown", im.Kind)
}

// target returns the canonical path of the imported map's file, relative to the
// map that imports it, or the problem that prevents its use.
func (im *Import) target(from string, packages map[string]string) (name, problem string) {
	switch im.Kind {
	case kindLocal:
		name, problem = localTarget(im.URI, from)
	case kindPackage:
		if why := unsafePath(im.URI); why != "" || strings.Contains(im.URI, "/") {
			return "", fmt.Sprintf("%.80q is no package's id", im.URI)
		}
		name = packages[im.URI]
		if name == "" {
			name = "packages/" + im.URI + "/" + MapName
		}
	default:
		name, problem = storageTarget(im.Kind, im.URI)
	}
	if problem != "" {
		return "", problem
	}
	if why := unsafePath(name); why != "" {
		return "", fmt.Sprintf("its path %.80q is not safe: %s", name, why)
	}
	if !executable(name) {
		return "", fmt.Sprintf("%.80q is no map in use: maps are .json files outside of proof, archive and hidden folders", name)
	}
	scope, _, _ := canonicalScope(from)
	if to, _, ok := canonicalScope(name); !ok || !reaches(scope, to) {
		return "", fmt.Sprintf("%.80q lies where a map of %s cannot reach", name, scope)
	}
	return name, ""
}

// localTarget resolves a path relative to the importing map's folder. It may
// contain .., but not leave the map's own scope or package.
func localTarget(uri, from string) (name, problem string) {
	if uri == "" || strings.ContainsAny(uri, "\\:\x00") || path.IsAbs(uri) {
		return "", fmt.Sprintf("%.80q is no relative path", uri)
	}
	// Counted segment by segment: Clean would hide leaving the scope and coming back.
	segments := strings.Split(path.Dir(from), "/")
	floor := 2 // scopes/private or packages/<id>
	if strings.HasPrefix(from, "scopes/shared/") {
		floor = 3
	}
	for segment := range strings.SplitSeq(uri, "/") {
		switch segment {
		case ".":
		case "..":
			if len(segments) <= floor {
				return "", fmt.Sprintf("%.80q leaves the scope of the map", uri)
			}
			segments = segments[:len(segments)-1]
		default:
			segments = append(slices.Clip(segments), segment)
		}
	}
	return strings.Join(segments, "/"), ""
}

// storageTarget resolves a path in the storage: whole, from scopes/ on, or
// below the scope that the kind names.
func storageTarget(kind, uri string) (name, problem string) {
	name = uri
	if !strings.HasPrefix(uri, "scopes/") {
		name = map[string]string{kindStorage: "scopes/private/", kindShared: "scopes/shared/", kindPublic: "scopes/public/"}[kind] + uri
	}
	if why := unsafePath(name); why != "" {
		return "", fmt.Sprintf("its path %.80q is not safe: %s", uri, why)
	}
	scope, _, _ := canonicalScope(name)
	switch {
	case kind == kindPublic && scope != ScopePublic, kind == kindShared && !strings.HasPrefix(scope, sharedPrefix):
		return "", fmt.Sprintf("%.80q is not in a %s scope", uri, kind)
	}
	return name, ""
}
