package storage

// AfterPlan runs between the checks of an import and its writes, where another
// program may change the folder.
func AfterPlan(s *Store, f func()) { s.afterPlan = f }

// Compose adds the imports again to the maps of a page.
func Compose(s *Store, site *Site) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.layout()
	for _, e := range site.Maps {
		s.compose(site, l, e)
	}
}
