//go:build unix

package paths

import (
	"io/fs"
	"os"
	"syscall"
)

// ours reports whether a file belongs to the user of this process.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}

// OpenToOthers reports whether other users have any access to the file.
func OpenToOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 != 0 }

// WritableByOthers reports whether other users can change the file.
func WritableByOthers(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

// Executable reports whether the file's owner can start it.
func Executable(info fs.FileInfo) bool { return info.Mode().Perm()&0o100 != 0 }
