package testbrowser

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/maptest"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// Bounds of a map's folder that is copied.
const (
	maxFiles = 1000
	maxBytes = 64 << 20
)

// install makes the suite's map the only one of the storage.
func (r *runner) install(s Suite) error {
	sites := filepath.Join(paths.StorageIn(r.home), "scopes", "private", "sites")
	if err := os.RemoveAll(sites); err != nil {
		return fault.Wrap(err, fault.StorageUnavailable, "the last map cannot be removed: %v", err)
	}
	for _, host := range s.Hosts {
		if err := copyMap(s.Map, filepath.Join(sites, host, filepath.FromSlash(s.Name))); err != nil {
			return fault.Wrap(err, fault.StorageUnavailable, "the map %s cannot be copied: %v", s.Map, err)
		}
	}
	return nil
}

// copyMap copies a map with the files that it may declare: those of its folder and below it,
// but for hidden ones, links, the cases and folders with a map of their own.
func copyMap(file, to string) error {
	from := filepath.Dir(file)
	root, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer root.Close()
	files, bytes := 0, int64(0)
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case strings.HasPrefix(d.Name(), "."), d.Name() == maptest.FileName:
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			if _, err := fs.Stat(root.FS(), name+"/"+storage.MapName); err == nil {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular(), filepath.Base(name) == storage.MapName && name != storage.MapName:
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if files, bytes = files+1, bytes+info.Size(); files > maxFiles || bytes > maxBytes {
			return fault.New(fault.PayloadTooLarge, "its folder has more than %d files or %d MiB", maxFiles, maxBytes>>20)
		}
		return copyFile(root, name, filepath.Join(to, filepath.FromSlash(name)))
	})
	if err != nil {
		return err
	}
	// A map under test may have another name.
	return copyFile(root, filepath.Base(file), filepath.Join(to, storage.MapName))
}

func copyFile(root *os.Root, name, to string) error {
	in, err := root.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	return err
}
