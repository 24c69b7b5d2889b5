package browsers

import (
	"errors"
	"maps"

	"golang.org/x/sys/windows/registry"
)

// registryPolicies reads the browser's key; the machine's policies
// override the user's.
func registryPolicies(b Browser) Policies {
	p := Policies{Place: `HKLM\` + b.RegistryPolicies + `, HKCU\` + b.RegistryPolicies, Values: map[string]any{}}
	for _, hive := range []registry.Key{registry.CURRENT_USER, registry.LOCAL_MACHINE} {
		values, err := registryTree(hive, b.RegistryPolicies)
		if err != nil && !errors.Is(err, registry.ErrNotExist) {
			p.Unread = append(p.Unread, b.RegistryPolicies+": "+err.Error())
		}
		for name, value := range values {
			values[name] = fromRegistry(name, value)
		}
		maps.Copy(p.Values, values)
	}
	return p
}

// registryTree reads a key with the keys below it: strings and numbers.
func registryTree(parent registry.Key, path string) (map[string]any, error) {
	key, err := registry.OpenKey(parent, path, registry.QUERY_VALUE|registry.ENUMERATE_SUB_KEYS)
	if err != nil {
		return nil, err
	}
	defer key.Close()
	tree := map[string]any{}
	names, err := key.ReadValueNames(-1)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if text, _, err := key.GetStringValue(name); err == nil {
			tree[name] = text
		} else if n, _, err := key.GetIntegerValue(name); err == nil {
			tree[name] = float64(n)
		}
	}
	below, err := key.ReadSubKeyNames(-1)
	if err != nil {
		return nil, err
	}
	for _, name := range below {
		branch, err := registryTree(key, name)
		if err != nil {
			return nil, err
		}
		tree[name] = branch
	}
	return tree, nil
}
