//go:build unix

package launch

import (
	"os"
	"os/exec"
)

// passPipe passes the browser its two ends of the debugging pipe, as descriptors
// 3 and 4.
func passPipe(cmd *exec.Cmd, in, out *os.File) error {
	cmd.ExtraFiles = []*os.File{in, out}
	return nil
}
