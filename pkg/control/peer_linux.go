package control

import (
	"fmt"
	"net"
	"os"
	"syscall"
)

// isOwnProgram reports whether the process at the other end of a connection runs this very program.
// Only such a one is taken at its word that a person has answered in its client's form.
func isOwnProgram(conn net.Conn) bool {
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return false
	}
	raw, err := unix.SyscallConn()
	if err != nil {
		return false
	}
	var peer *syscall.Ucred
	if failed := raw.Control(func(fd uintptr) {
		peer, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); failed != nil || err != nil {
		return false
	}
	theirs, err := os.Stat(fmt.Sprintf("/proc/%d/exe", peer.Pid))
	if err != nil {
		return false
	}
	own, err := os.Stat("/proc/self/exe")
	return err == nil && os.SameFile(theirs, own)
}
