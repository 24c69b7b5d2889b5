package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// console reports whether the file is a terminal that takes colours, and how wide
// it is, 0 where nobody knows.
func console(file *os.File) (is bool, width int) {
	handle := windows.Handle(file.Fd())
	var mode uint32
	if windows.GetConsoleMode(handle, &mode) != nil {
		return false, 0
	}
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(handle, &info) == nil {
		width = int(info.Window.Right-info.Window.Left) + 1
	}
	return windows.SetConsoleMode(handle, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil, width
}
