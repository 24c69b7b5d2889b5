//go:build !unix

package paths

import "io/fs"

// ours: elsewhere the folders lie in the user's own profile, by access lists
// that no mode shows.
func ours(fs.FileInfo) bool { return true }

// OpenToOthers, WritableByOthers and Executable ask for modes, which mean
// nothing here.
func OpenToOthers(fs.FileInfo) bool     { return false }
func WritableByOthers(fs.FileInfo) bool { return false }
func Executable(fs.FileInfo) bool       { return true }
