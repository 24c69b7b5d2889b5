package testbrowser

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/maptest"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/storage"
)

// Mistake is one of a file of cases, or of its map.
type Mistake struct {
	File string `json:"file"`
	maptest.Problem
}

// ReadSuites reads the maps with their cases: those named, or below the folders that are named.
// base, if not empty, is the origin at which the sites are served. All mistakes of the files are
// returned; the error is that of names and files that are not there.
func ReadSuites(names []string, base string) (suites []Suite, mistakes []Mistake, err error) {
	if base != "" {
		at, err := origin.Parse(base)
		u, _ := url.Parse(base) // as that parsed, too
		if err != nil || u.Path != "" && u.Path != "/" || u.RawQuery != "" {
			return nil, nil, fmt.Errorf("--base takes an origin, such as http://localhost:8080, not %q", base)
		}
		base = at.String()
	}
	var files []string
	for _, name := range names {
		found, err := mapsBelow(name)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		suite, wrong := readSuite(file, base)
		suites, mistakes = append(suites, suite), append(mistakes, wrong...)
	}
	return suites, mistakes, nil
}

// mapsBelow returns the maps that are meant: the named one, or those of the folder that have
// cases.
func mapsBelow(name string) (files []string, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		folder := filepath.Dir(name)
		if filepath.Base(name) == maptest.FileName {
			name = filepath.Join(folder, storage.MapName)
		}
		if _, err := os.Stat(filepath.Join(folder, maptest.FileName)); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s has no cases: write %s beside it, or make one with actions-host test save", name, maptest.FileName)
		}
		return []string{name}, nil
	}
	err = filepath.WalkDir(name, func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && at != name:
			return fs.SkipDir
		case d.Name() == maptest.FileName && d.Type().IsRegular():
			files = append(files, filepath.Join(filepath.Dir(at), storage.MapName))
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no %s is in %s or below it", maptest.FileName, name)
	}
	return files, err
}

// readSuite reads one map with its cases.
func readSuite(file, base string) (suite Suite, mistakes []Mistake) {
	folder := filepath.Dir(file)
	cases := filepath.Join(folder, maptest.FileName)
	wrong := func(file string, message string) []Mistake {
		return []Mistake{{file, maptest.Problem{Line: 1, Column: 1, Message: message}}}
	}
	text, err := readAtMost(file, actionmap.MaxBytes)
	if err != nil {
		return suite, wrong(file, err.Error())
	}
	m, err := actionmap.Parse(text)
	if err != nil {
		return suite, wrong(file, fault.From(err).Message)
	}
	if text, err = readAtMost(cases, maptest.MaxBytes); err != nil {
		return suite, wrong(cases, err.Error())
	}
	parsed, problems := maptest.Parse(text)
	if len(problems) == 0 {
		problems = parsed.Check(text, m, os.DirFS(folder))
	}
	suite = Suite{Map: file, Name: "map"}
	site, home := "", ""
	if full, err := filepath.Abs(file); err == nil {
		if place, ok := storage.ParsePath(filepath.ToSlash(full), ""); ok {
			home, site = place.Host, "https://"+place.Host
			if below := path.Dir(place.Rest); below != "." {
				suite.Name = below
			}
		}
	}
	if base != "" {
		site = base
	}
	if home != "" {
		suite.Hosts = appendHost([]string{home}, base)
	}
	if parsed != nil && len(problems) == 0 {
		problems = parsed.Resolve(text, site, suite.Hosts, func(c *maptest.Case, address string) {
			one := Case{Case: c, Address: address}
			if c.PageKind() == maptest.PageFile {
				one.Saved = c.Page
			}
			suite.Cases = append(suite.Cases, one)
		})
	}
	if home == "" { // it lies in no folder of a site: its cases say where it counts
		for _, c := range suite.Cases {
			suite.Hosts = appendHost(suite.Hosts, c.Address)
		}
	}
	for _, p := range problems {
		mistakes = append(mistakes, Mistake{cases, p})
	}
	return suite, mistakes
}

// appendHost appends the host of an address that is not among the hosts yet.
func appendHost(hosts []string, address string) []string {
	at, err := origin.Parse(address)
	if err != nil || slices.Contains(hosts, at.Host) {
		return hosts
	}
	return append(hosts, at.Host)
}

// readAtMost reads a file that is not larger.
func readAtMost(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", name)
	case info.Size() > limit:
		return nil, fmt.Errorf("%s has %d bytes; %d are allowed", name, info.Size(), limit)
	}
	return os.ReadFile(name)
}
