package launch

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// passPipe passes the browser its two ends of the debugging pipe, as inherited
// handles that an argument names.
func passPipe(cmd *exec.Cmd, in, out *os.File) error {
	handles := []syscall.Handle{syscall.Handle(in.Fd()), syscall.Handle(out.Fd())}
	for _, h := range handles {
		if err := syscall.SetHandleInformation(h, syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT); err != nil {
			return err
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: handles}
	// Before the pages, which end the arguments.
	pipes := fmt.Sprintf("--remote-debugging-io-pipes=%d,%d", handles[0], handles[1])
	cmd.Args = append([]string{cmd.Args[0], pipes}, cmd.Args[1:]...)
	return nil
}
