package install

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/browsers"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// setting is a machine of the test's own, with a built extension.
func setting(t *testing.T) (p browsers.Platform, all []browsers.Browser, source string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv(paths.EnvHome, filepath.Join(dir, "ah"))
	all, err := browsers.All()
	if err != nil {
		t.Fatal(err)
	}
	source = filepath.Join(dir, "built")
	write(t, filepath.Join(source, "manifest.json"), `{"version":"1.2.3","key":"`+manifest.ExtensionKey+`"}`)
	write(t, filepath.Join(source, "icons", "16.png"), "png")
	return browsers.Platform{OS: "linux", Home: filepath.Join(dir, "home"), Root: filepath.Join(dir, "root")}, all, source
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tree lists the files and folders below a folder.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	if err := filepath.Walk(dir, func(path string, _ os.FileInfo, err error) error {
		names = append(names, path)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return names
}

func TestInstallLeavesNothing(t *testing.T) {
	// Ensure that after uninstall everything is as it was before install, for each browser and for several in turn.
	platform, all, source := setting(t)
	if err := os.MkdirAll(paths.Data(), 0o700); err != nil {
		t.Fatal(err)
	}
	top := filepath.Dir(source)
	before := tree(t, top)
	for _, b := range all {
		if _, err := Install(platform, b, "/bin/actions-host", source); err != nil {
			t.Fatal(err)
		}
	}
	for i, b := range all {
		removed, err := Uninstall(platform, b)
		if err != nil || len(removed.Files) != 1 || (removed.Extension != "") != (i == len(all)-1) {
			t.Errorf("%s: %+v, %v", b.Name, removed, err)
		}
	}
	if after := tree(t, top); !slices.Equal(before, after) {
		t.Errorf("left behind: %q", after)
	}
}

func TestInstallAgainThatFails(t *testing.T) {
	// Ensure that uninstall still removes the manifest of an earlier install after a later one could not write it.
	if runtime.GOOS == "windows" {
		t.Skip("a link takes the place of the folder")
	}
	platform, all, source := setting(t)
	b := all[0]
	if _, err := Install(platform, b, "/bin/actions-host", source); err != nil {
		t.Fatal(err)
	}
	folder := platform.UserManifests(b)
	if err := errors.Join(os.Rename(folder, folder+".aside"), os.Symlink(folder+".none", folder)); err != nil {
		t.Fatal(err)
	}
	if _, err := Install(platform, b, "/bin/actions-host", source); err == nil {
		t.Error("the manifest was written into a folder that is not there")
	}
	if err := errors.Join(os.Remove(folder), os.Rename(folder+".aside", folder)); err != nil {
		t.Fatal(err)
	}
	if removed, err := Uninstall(platform, b); err != nil || !slices.Equal(removed.Files, []string{manifestFile(platform, b)}) {
		t.Errorf("removed %+v, %v", removed, err)
	}
}

func TestInstallReportsAll(t *testing.T) {
	// Ensure that the result names every file that was written, and that a manifest in all users' place is none of ours to change.
	platform, all, source := setting(t)
	b := all[0]
	system := filepath.Join(platform.SystemManifests(b)[0], manifest.HostName+".json")
	write(t, system, `{"name":"another"}`)
	r, err := Install(platform, b, "/bin/actions-host", source)
	if err != nil {
		t.Fatal(err)
	}
	want := append(slices.Clone(r.Files), r.Record)
	for _, name := range r.Extension.Files {
		want = append(want, filepath.Join(r.Extension.Path, name))
	}
	for _, dir := range []string{platform.Home, paths.Data()} {
		for _, name := range tree(t, dir) {
			if info, err := os.Stat(name); err != nil || !info.IsDir() && !slices.Contains(want, name) {
				t.Errorf("%s was written and not reported: %v", name, err)
			}
		}
	}
	if text, err := os.ReadFile(system); err != nil || string(text) != `{"name":"another"}` {
		t.Errorf("%s became %s, %v", system, text, err)
	}
	if places := Places(platform, b); len(places) != 2 || places[0].System || !places[1].System {
		t.Errorf("places %+v", places)
	}
}

func TestReplacedWhole(t *testing.T) {
	// Ensure that a newer extension takes the place of the older one with all its files, by the exchange and by the renames of systems without it, and that an interrupted one is taken back.
	_, _, source := setting(t)
	if _, changed, err := placeExtension(source); err != nil || !changed {
		t.Fatalf("%t, %v", changed, err)
	}
	write(t, filepath.Join(source, "new.js"), "new")
	if err := os.RemoveAll(filepath.Join(source, "icons")); err != nil {
		t.Fatal(err)
	}
	placed, changed, err := placeExtension(source)
	if err != nil || !changed || !slices.Equal(placed.Files, []string{"manifest.json", "new.js"}) {
		t.Errorf("%+v, %t, %v", placed, changed, err)
	}
	if _, err := os.Stat(filepath.Join(ExtensionPath(), "icons")); err == nil {
		t.Error("an old folder stayed")
	}
	if left, err := filepath.Glob(filepath.Join(paths.Data(), ".extension-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "to", "old"), "old")
	if err := exchange(filepath.Join(dir, "missing"), filepath.Join(dir, "to"), filepath.Join(dir, "aside")); err == nil {
		t.Error("nothing was exchanged without an error")
	}
	if _, err := os.Stat(filepath.Join(dir, "to", "old")); err != nil {
		t.Errorf("the old one is gone: %v", err)
	}
}

func TestForeignExtension(t *testing.T) {
	// Ensure that neither another extension is placed nor another's folder replaced.
	platform, all, source := setting(t)
	write(t, filepath.Join(source, "manifest.json"), `{"version":"1","key":"other"}`)
	if _, err := Install(platform, all[0], "/bin/x", source); !fault.Is(err, fault.InvalidInput) {
		t.Errorf("another extension: %v", err)
	}
	if _, err := Install(platform, all[0], "/bin/x", filepath.Join(source, "icons")); !fault.Is(err, fault.StorageUnavailable) {
		t.Errorf("no extension: %v", err)
	}
	if _, err := os.Stat(platform.Home); err == nil {
		t.Error("something was written all the same")
	}
}

func TestRecordOfAnyContent(t *testing.T) {
	// Ensure that a record that is not valid stops install and uninstall with what to do, and that one which names files elsewhere removes nothing there.
	platform, all, source := setting(t)
	for _, text := range []string{`{`, `[]`, `{"browsers":{},"browsers":{}}`, `{"other":1}`} {
		write(t, recordFile(), text)
		_, installed := Install(platform, all[0], "/bin/x", source)
		_, removed := Uninstall(platform, all[0])
		for _, err := range []error{installed, removed} {
			if f := fault.From(err); f == nil || f.Code != fault.InvalidInput || !strings.Contains(f.NextStep, "Remove the file") {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	keep := filepath.Join(t.TempDir(), "keep")
	write(t, keep, "kept")
	text, err := json.Marshal(Record{Browsers: map[string]Written{all[0].Name: {Files: []string{keep}}}})
	if err != nil {
		t.Fatal(err)
	}
	write(t, recordFile(), string(text))
	if _, err := Uninstall(platform, all[0]); !fault.Is(err, fault.InstallConflict) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(keep); err != nil {
		t.Error(err)
	}
}
