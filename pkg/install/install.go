// Package install registers this program with a browser, places the extension
// where the browser can load it, and takes both away again.
//
// Rules of this package:
//   - One browser at a time. What another program wrote is never overwritten and
//     never removed.
//   - All that is written is reported and kept in a record; uninstall removes
//     exactly that.
//   - Files and folders are replaced in one step: a browser that reads meanwhile
//     sees the old or the new.
package install

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/browsers"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// Result lists what Install wrote.
type Result struct {
	Written
	Extension Folder
	// Copied reports that the extension was written; one of the same content stays.
	Copied bool
	Record string // the file that says what is to be removed again
}

// Install registers the program with the browser and places the extension that
// is built in the folder source.
func Install(p browsers.Platform, b browsers.Browser, program, source string) (Result, error) {
	record, err := ReadRecord()
	if err != nil {
		return Result{}, err
	}
	file := manifestFile(p, b)
	if err := free(file); err != nil {
		return Result{}, err
	}
	if err := freeKeys(p, b, file); err != nil {
		return Result{}, err
	}
	placed, copied, err := placeExtension(source)
	if err != nil {
		return Result{}, err
	}
	record.Extension = &placed
	written, err := record.register(p, b, program)
	// What was done is on record even when the rest failed.
	return Result{Written: written, Extension: placed, Copied: copied, Record: recordFile()}, errors.Join(err, record.save())
}

// Register writes the browser's manifest alone, as it is on record.
func Register(p browsers.Platform, b browsers.Browser, program string) (Written, error) {
	record, err := ReadRecord()
	if err != nil {
		return Written{}, err
	}
	if err := freeKeys(p, b, manifestFile(p, b)); err != nil {
		return Written{}, err
	}
	if err := paths.MakePrivate(paths.Data()); err != nil {
		return Written{}, err
	}
	written, err := record.register(p, b, program)
	return written, errors.Join(err, record.save())
}

// PlaceExtension brings the placed extension up to date.
func PlaceExtension(source string) (Folder, error) {
	record, err := ReadRecord()
	if err != nil {
		return Folder{}, err
	}
	placed, _, err := placeExtension(source)
	if err != nil {
		return Folder{}, err
	}
	record.Extension = &placed
	return placed, record.save()
}

// manifestFile is where the user's manifest goes. The registry can name a file
// anywhere; there all browsers have one, since some share a key.
func manifestFile(p browsers.Platform, b browsers.Browser) string {
	folder := p.UserManifests(b)
	if folder == "" {
		folder = filepath.Join(paths.Data(), "native-messaging")
	}
	return filepath.Join(folder, manifest.HostName+".json")
}

// freeKeys refuses registry keys of the user that name another program's manifest.
func freeKeys(p browsers.Platform, b browsers.Browser, file string) error {
	for _, place := range Places(p, b) {
		if place.Key == "" || place.System || place.File == file {
			continue
		}
		if err := free(place.File); err != nil {
			return fault.New(fault.InstallConflict, "the registry key %s names %s, which another program wrote; both were left alone", place.Key, place.File).
				With("path", place.File).With("key", place.Key)
		}
	}
	return nil
}

// register writes the manifest and notes what was written. After a failure what an earlier call
// noted still holds.
func (r *Record) register(p browsers.Platform, b browsers.Browser, program string) (w Written, err error) {
	file := manifestFile(p, b)
	w = Written{Program: program, Files: []string{}}
	defer func() {
		if _, earlier := r.Browsers[b.Name]; err == nil || !earlier {
			r.Browsers[b.Name] = w
		}
	}()
	missing := missingFolders(filepath.Dir(file))
	if err := WriteManifest(file, program); err != nil {
		return w, err
	}
	r.Folders = append(r.Folders, missing...)
	w.Files = append(w.Files, file)
	if p.OS != "windows" {
		return w, nil
	}
	for _, parent := range b.Registry {
		key := parent + `\` + manifest.HostName
		if err := register(key, file); err != nil {
			return w, fault.Wrap(err, fault.StorageUnavailable, `the registry key HKCU\%s cannot be written: %v`, key, err)
		}
		w.Keys = append(w.Keys, key)
	}
	return w, nil
}

// missingFolders lists the folder and those above it that are not there, the
// innermost first.
func missingFolders(dir string) []string {
	var missing []string
	for {
		if _, err := os.Lstat(dir); err == nil || filepath.Dir(dir) == dir {
			return missing
		}
		missing = append(missing, dir)
		dir = filepath.Dir(dir)
	}
}
