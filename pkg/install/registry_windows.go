package install

import (
	"errors"

	"golang.org/x/sys/windows/registry"

	"github.com/actionsjson/actions-host/pkg/browsers"
)

// hives are where a browser looks, in its order.
var hives = []struct {
	key    registry.Key
	name   string
	access uint32
	system bool
}{
	{registry.CURRENT_USER, `HKCU\`, registry.WOW64_32KEY, false},
	{registry.CURRENT_USER, `HKCU\`, registry.WOW64_64KEY, false},
	{registry.LOCAL_MACHINE, `HKLM\`, registry.WOW64_32KEY, true},
	{registry.LOCAL_MACHINE, `HKLM\`, registry.WOW64_64KEY, true},
}

// registered returns the keys of the host that are there.
func registered(b browsers.Browser, host string) []Place {
	var places []Place
	for _, parent := range b.Registry {
		for _, h := range hives {
			path := parent + `\` + host
			key, err := registry.OpenKey(h.key, path, registry.QUERY_VALUE|h.access)
			if err != nil {
				continue
			}
			file, _, err := key.GetStringValue("")
			key.Close()
			place := Place{File: file, Key: h.name + path, System: h.system}
			// The user's hive has one view only, which both names show.
			if err == nil && (len(places) == 0 || places[len(places)-1] != place) {
				places = append(places, place)
			}
		}
	}
	return places
}

// registeredOthers returns the manifests of other hosts.
func registeredOthers(b browsers.Browser, host string) []string {
	var files []string
	for _, parent := range b.Registry {
		for _, h := range hives {
			key, err := registry.OpenKey(h.key, parent, registry.ENUMERATE_SUB_KEYS|h.access)
			if err != nil {
				continue
			}
			names, err := key.ReadSubKeyNames(-1)
			key.Close()
			if err != nil {
				continue
			}
			for _, name := range names {
				if name == host {
					continue
				}
				for _, place := range registered(browsers.Browser{Registry: []string{parent}}, name) {
					files = append(files, place.File)
				}
			}
		}
	}
	return files
}

// register names the manifest in the user's registry.
func register(path, file string) error {
	key, _, err := registry.CreateKey(registry.CURRENT_USER, path, registry.SET_VALUE)
	if err != nil {
		return err
	}
	return errors.Join(key.SetStringValue("", file), key.Close())
}

// unregister removes the user's key, if it still names the file.
func unregister(path, file string) (removed bool, err error) {
	key, err := registry.OpenKey(registry.CURRENT_USER, path, registry.QUERY_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	value, _, err := key.GetStringValue("")
	key.Close()
	if err != nil || value != file {
		return false, nil
	}
	return true, registry.DeleteKey(registry.CURRENT_USER, path)
}
