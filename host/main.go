// Command actions-host lets agents operate the browser tabs that their user
// handed over. Started by the browser it is the native messaging host; started
// in a terminal it is the program that installs, launches, calls and explains.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as by nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	os.Exit(Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Run is the whole program; it returns the exit status.
func Run(ctx context.Context, args []string, stdin io.ReadCloser, stdout io.WriteCloser, stderr io.Writer) int {
	if len(args) > 0 && strings.HasPrefix(args[0], "chrome-extension://") {
		return runNative(ctx, args[0], stdin, stdout, stderr)
	}
	return runCommand(ctx, args, stdout, stderr)
}
