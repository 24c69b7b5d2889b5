package storage

// AfterPlan runs between the checks of an import and its writes, where another
// program may change the folder.
func AfterPlan(s *Store, f func()) { s.afterPlan = f }
