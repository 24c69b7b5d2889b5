package storage

import "github.com/actionsjson/actions-host/pkg/fault"

// AddMap writes a map of a host into a folder of its own in the private scope and returns its
// path. The folder must hold no map yet: the error is install_conflict then, and otherwise one
// of those of [Store.Import].
func (s *Store) AddMap(host, folder string, text []byte) (string, error) {
	place := Place{Scope: ScopePrivate, Host: host, Rest: folder + "/" + MapName}
	name := place.Path()
	if why := unsafePath(name); why != "" {
		return "", fault.New(fault.StorageFilePathUnauthorized, "the path %.80q is not safe: %s", name, why).With("path", name)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	l := s.layout()
	s.mu.Unlock()
	w, exists, err := planOne(l, name, BundleEntry{Path: name, Content: string(text)})
	if err != nil {
		return "", err
	}
	if exists || w == nil {
		return "", fault.New(fault.InstallConflict, "%s exists already and was left alone", name).With("path", name).WithNextStep("Save it under another name.")
	}
	return name, commit([]write{*w})
}
