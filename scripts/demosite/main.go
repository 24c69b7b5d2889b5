// Command demosite serves the sample shop on a loopback port for scripts/demo.
// It prints the page's URL, and then a line for each request that matters.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/actionsjson/actions-host/test/sites"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, "demosite:", err)
		os.Exit(1)
	}
	fmt.Printf("http://localhost:%d/\n", listener.Addr().(*net.TCPAddr).Port)
	shop := sites.Teahouse(sites.NewRecorder(func(r sites.Request) {
		fmt.Printf("%s %s %s\n", r.Method, r.Path, r.Body)
	}))
	if err := http.Serve(listener, shop); err != nil {
		fmt.Fprintln(os.Stderr, "demosite:", err)
		os.Exit(1)
	}
}
