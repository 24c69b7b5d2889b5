// Command bridge is a native messaging host that hands the browser's stream to
// the test that started the browser: the test itself plays the host.
package main

import (
	"io"
	"net"
	"os"
)

func main() {
	conn, err := net.Dial("unix", os.Getenv("ACTIONS_TEST_SOCKET"))
	if err != nil {
		os.Exit(1)
	}
	go func() {
		// The end of either direction is the end of the bridge.
		_, _ = io.Copy(conn, os.Stdin)
		os.Exit(0)
	}()
	_, _ = io.Copy(os.Stdout, conn)
}
