package journal

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Files lists the logs whose path begins as the given one does before its .db, the one written last
// first. A log that is gone is one of them while its checkpoint is left. The folder is listed, not
// globbed: its path may hold any character.
func Files(path string) ([]string, error) {
	start := strings.TrimSuffix(path, ".db")
	entries, err := os.ReadDir(filepath.Dir(start))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	written := map[string]time.Time{}
	for _, e := range entries {
		path := filepath.Join(filepath.Dir(start), e.Name())
		name := strings.TrimSuffix(path, checkpointPath(""))
		if !strings.HasPrefix(name, start) || filepath.Ext(name) != ".db" || name != path && LastWritten(name) == 0 {
			continue
		}
		at := written[name]
		if info, err := e.Info(); err == nil && info.ModTime().After(at) { // gone meanwhile: it sorts last
			at = info.ModTime()
		}
		written[name] = at
	}
	return slices.SortedFunc(maps.Keys(written), func(a, b string) int {
		return cmp.Or(written[b].Compare(written[a]), strings.Compare(a, b))
	}), nil
}
