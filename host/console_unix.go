//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// console reports whether the file is a terminal, and how wide it is;
// 0 where nobody knows.
func console(file *os.File) (is bool, width int) {
	size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return false, 0
	}
	return true, int(size.Col)
}
