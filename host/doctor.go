package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/manifest"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/paths"
)

// hop is one link of the chain from this program to the page.
type hop struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitzero"`
}

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Look at every hop from here to the page and name the broken one", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			hops := a.examine(cmd.Context())
			ok := true
			for _, h := range hops {
				ok = ok && h.OK
			}
			if a.json {
				a.printJSON(map[string]any{"ok": ok, "hops": hops})
			} else {
				a.printHops(hops)
			}
			if !ok {
				return status(exitBroken)
			}
			return nil
		},
	}
}

func (a *app) printHops(hops []hop) {
	for _, h := range hops {
		mark := "✓"
		if !h.OK {
			mark = "✗"
		}
		fmt.Fprintf(a.stdout, "%s %-10s %s\n", mark, h.Name, h.Message)
		if h.Fix != "" {
			fmt.Fprintf(a.stdout, "  %-10s → %s\n", "", h.Fix)
		}
	}
}

// examine checks the hops in order. A connected host proves those before it,
// so a manifest is only missed when nothing is connected.
func (a *app) examine(ctx context.Context) []hop {
	hops := []hop{checkBinary()}
	wait, cancel := context.WithTimeout(ctx, a.wait)
	defer cancel()
	clients, err := control.Await(wait, paths.Sockets())
	for _, c := range clients {
		defer c.Close()
	}
	hops = append(hops, checkManifest(len(clients) > 0))
	if err != nil {
		return append(hops, checkBrowserProgram(), hop{
			Name: "socket", Message: fmt.Sprintf("no host answers in %s", paths.Sockets()),
			Fix: "Start the browser with the extension loaded and switched on; its popup says what it misses. Or run actions-host launch.",
		})
	}
	for _, c := range clients {
		hops = append(hops, checkConnected(ctx, c)...)
	}
	return hops
}

func checkBinary() hop {
	self, err := ownPath()
	if err != nil {
		return hop{Name: "binary", Message: err.Error(), Fix: "Put the program at a place that this user can read."}
	}
	info, err := os.Stat(self)
	switch {
	case err != nil:
		return hop{Name: "binary", Message: err.Error(), Fix: "Put the program at a place that this user can read."}
	case info.Mode().Perm()&0o022 != 0:
		return hop{Name: "binary", Message: self + " can be changed by other users", Fix: "chmod go-w " + self}
	}
	return hop{Name: "binary", OK: true, Message: fmt.Sprintf("%s, version %s", self, version)}
}

// checkManifest looks for a browser that knows this very program. A browser of
// actions-host launch has its manifest in its own folder, which only shows by
// its being connected.
func checkManifest(connected bool) hop {
	kinds, err := browserKinds()
	if err != nil {
		return hop{Name: "manifest", Message: err.Error()}
	}
	self, err := ownPath()
	if err != nil {
		return hop{Name: "manifest", Message: err.Error()}
	}
	problem := ""
	for _, k := range kinds {
		path, err := k.manifestPath()
		if err != nil {
			return hop{Name: "manifest", Message: err.Error()}
		}
		m, err := readManifest(path)
		switch {
		case os.IsNotExist(err):
		case err != nil:
			problem = fmt.Sprintf("%s is not readable: %v", path, err)
		case m.Path != self:
			problem = fmt.Sprintf("%s starts another program: %s", path, m.Path)
		default:
			return hop{Name: "manifest", OK: true, Message: k.Label + ": " + path}
		}
	}
	switch {
	case connected:
		return hop{Name: "manifest", OK: true, Message: "a connected browser found the program"}
	case problem != "":
		return hop{Name: "manifest", Message: problem, Fix: "actions-host install --browser NAME"}
	default:
		return hop{Name: "manifest", Message: "no browser knows this program", Fix: "actions-host install --browser NAME, or actions-host launch for a browser of its own"}
	}
}

func checkBrowserProgram() hop {
	kinds, err := browserKinds()
	if err != nil {
		return hop{Name: "browser", Message: err.Error()}
	}
	for _, k := range kinds {
		if k.installed() {
			return hop{Name: "browser", OK: true, Message: k.Label + " is on this machine"}
		}
	}
	return hop{Name: "browser", Message: "no Chromium browser is on this machine", Fix: "Install Chromium, Chrome, Edge, Brave or Vivaldi."}
}

// checkConnected looks at a running host: its extension, its socket, and a ping
// through the extension's worker.
func checkConnected(ctx context.Context, c *control.Client) []hop {
	s := c.Status
	hops := []hop{
		{Name: "browser", OK: true, Message: fmt.Sprintf("%s %s, profile %s (%s)", s.Browser, s.BrowserVersion, s.ProfileLabel, s.ProfileID[:8])},
		{Name: "extension", OK: s.DictionaryMatch, Message: fmt.Sprintf("version %s, protocol %d, id %s", s.ExtensionVersion, s.Protocol, manifest.ExtensionID)},
		{Name: "socket", OK: true, Message: fmt.Sprintf("host %s, pid %d, %s", s.HostVersion, s.PID, filepath.Base(s.Database))},
	}
	if !s.DictionaryMatch {
		hops[1].Message += ": its primitives differ from the host's"
		hops[1].Fix = "Update the older of the two and restart the browser; until then only what both know is offered."
	}
	ping, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	var pong control.Pong
	if err := c.Call(ping, control.MethodPing, control.Empty{}, &pong); err != nil {
		f := fault.From(err)
		return append(hops, hop{Name: "ping", Message: "the extension's worker does not answer: " + f.Message, Fix: "Reload the extension, then run doctor again."})
	}
	return append(hops, hop{Name: "ping", OK: true, Message: fmt.Sprintf("through host and worker in %.1f ms; %d claimed tabs", pong.RoundTripMS, s.ClaimedTabs)})
}
