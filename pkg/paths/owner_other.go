//go:build !unix

package paths

import "io/fs"

// ours: elsewhere the folders lie in the user's own profile, by access lists
// that no mode shows.
func ours(fs.FileInfo) bool { return true }

// OpenToOthers returns false: modes mean nothing here.
func OpenToOthers(fs.FileInfo) bool { return false }

// WritableByOthers returns false: modes mean nothing here.
func WritableByOthers(fs.FileInfo) bool { return false }

// Executable returns true: modes mean nothing here.
func Executable(fs.FileInfo) bool { return true }
