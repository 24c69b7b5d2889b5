package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/key"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// maxNamed bounds the broken maps that one message names.
const maxNamed = 5

// storage are the folders of the maps that the running hosts read, else the one
// that the next will read, and whether each map can be used.
func (e *examiner) storage() {
	var roots []string
	for _, c := range e.clients {
		if root := c.Status.StorageRoot; root != "" && !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	if len(roots) == 0 {
		roots = []string{paths.Storage()}
	}
	for _, root := range roots {
		e.addIndependent(storageAt(root))
	}
}

func storageAt(root string) Hop {
	h := Hop{Name: HopStorage, Status: Broken}
	store, err := storage.Open(root)
	_, missing := os.Stat(root)
	switch {
	case err != nil:
		h.Message, h.Fix = fault.From(err).Message, "Move what lies there away, or name another folder with "+paths.EnvStorage+"."
	case errors.Is(missing, fs.ErrNotExist) && os.Getenv(paths.EnvStorage) != "":
		h.Message, h.Fix = "the folder "+root+", which "+paths.EnvStorage+" names, does not exist", "Make it (actions-host storage init), or correct the name."
	case errors.Is(missing, fs.ErrNotExist):
		h.Status, h.Message = OK, "the folder "+root+" is not there yet; the host makes it"
		h.repair = func() (string, error) {
			_, err := storage.FirstRun(root)
			return "made the storage folder " + root, err
		}
	default:
		h = maps(h, store)
	}
	return h
}

func maps(h Hop, store *storage.Store) Hop {
	var problems []string
	for _, p := range store.Errors() {
		problems = append(problems, strings.TrimPrefix(p.Path+": "+p.Message, ": "))
	}
	found, more := store.Overview()
	for _, m := range found {
		if len(m.Errors) > 0 {
			problems = append(problems, m.Path+": "+m.Errors[0])
		}
	}
	if len(problems) == 0 {
		count := fmt.Sprintf("%d maps", len(found))
		switch {
		case more:
			count = "more than " + count
		case len(found) == 1:
			count = "1 map"
		}
		h.Status, h.Message = OK, count+" in "+store.Root()
		return h
	}
	count := len(problems)
	if count > maxNamed {
		problems = append(problems[:maxNamed], fmt.Sprintf("and %d more", count-maxNamed))
	}
	h.Message = fmt.Sprintf("%d problems in %s: %s", count, store.Root(), strings.Join(problems, "; "))
	h.Fix = "Correct the files; actions-host validate FILE tells line by line what is wrong."
	return h
}

// key is the voice service's key, of which only the end is shown.
func (e *examiner) key() {
	if e.broken == HopFolders {
		e.skip(Hop{Name: HopKey}) // it may lie in one of them
		return
	}
	secret, from, err := key.Get(key.OpenAI)
	h := Hop{Name: HopKey, Status: OK, Message: fmt.Sprintf("%s, from the %s", key.Mask(secret), from)}
	switch {
	case fault.Is(err, fault.ModelKeyMissing):
		h.Message = "none; only the hosted agent needs one (actions-host key set)"
	case err != nil:
		f := fault.From(err)
		h.Status, h.Message, h.Fix = Broken, f.Message, f.NextStep
		name := key.File(key.OpenAI)
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && paths.OpenToOthers(info) {
			h.repair = chmod(name, 0o600)
		}
	}
	e.addIndependent(h)
}
