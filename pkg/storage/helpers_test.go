package storage_test

import "slices"

func sorted(in []string) []string {
	out := slices.Clone(in)
	slices.Sort(out)
	return out
}
