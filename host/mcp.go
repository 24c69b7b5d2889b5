package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/mcpserver"
	"github.com/actionsjson/actions-host/pkg/origin"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/policy"
)

func (a *app) mcpCommand() *cobra.Command {
	var tools, mode string
	var approval time.Duration
	session := control.SessionParams{Kind: policy.SessionMCP, ID: strings.ToLower(rand.Text()[:8])}
	cmd := &cobra.Command{
		Use: "mcp", Short: "Serve a coding agent over MCP on stdin and stdout", Args: cobra.NoArgs,
		Long: "Serve one MCP client on stdin and stdout. It finds every browser that runs with the\n" +
			"extension and offers the tabs that you handed over. Coding agents start it themselves: the\n" +
			"first example registers it with Claude Code; Codex, VS Code and Cursor are described in\n" +
			"clients.md of the documentation. Without --wait a call waits 5 s for a browser.",
		Example: "  claude mcp add actions-host -- actions-host mcp\n" +
			"  actions-host mcp --mode ask\n" +
			"  actions-host mcp --origin https://shop.example --origin 'http://localhost:*'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			session.Mode = policy.Mode(mode)
			if session.Mode != policy.ModeAct && session.Mode != policy.ModeAsk {
				return errors.New("--mode is act or ask")
			}
			if tools != "core" && tools != "all" {
				return errors.New("--tools is core or all")
			}
			for _, pattern := range session.Origins {
				if err := origin.CheckPattern(pattern); err != nil {
					return err
				}
			}
			return a.serveMCP(cmd.Context(), mcpserver.Options{
				Wait: a.browserWait(cmd), Session: session, All: tools == "all", ApprovalWait: approval,
			})
		},
	}
	cmd.Flags().StringVar(&tools, "tools", "core", "core: few tools in few bytes; all: every primitive as a tool of its own")
	cmd.Flags().StringVar(&mode, "mode", "act", "act, or ask to read only")
	cmd.Flags().StringArrayVar(&session.Origins, "origin", nil, "operate pages of this origin only, such as https://*.example.com; may be repeated")
	cmd.Flags().DurationVar(&approval, "approval-wait", 0, "how long a call waits for your approval before it fails, such as 60s")
	cmd.Flags().BoolVar(&session.NoLoopGuard, "no-loop-guard", false, "for scripts: refuse no call for going round in circles; the log says so")
	cmd.Flags().BoolVar(&session.AllowAPI, "allow-api", false, "let your approval of an origin cover net.send_url too, which else asks each time")
	cmd.Flags().BoolVar(&session.AllowCode, "allow-code", false, "run JavaScript too, where the user's settings allow it")
	return cmd
}

// browserWait is how long a call waits for a browser: longer than in a terminal,
// where a person sees that nothing runs.
func (a *app) browserWait(cmd *cobra.Command) time.Duration {
	if cmd.Flags().Changed("wait") {
		return a.wait
	}
	return mcpserver.DefaultBrowserTimeout
}

func (a *app) serveMCP(ctx context.Context, options mcpserver.Options) error {
	options.Version, options.Sockets, options.Wants = version, paths.Sockets(), a.wants
	keepHeapSmall()
	server, err := mcpserver.New(options)
	if err != nil {
		return err
	}
	err = server.Run(ctx, &mcpserver.Stdio{In: os.Stdin, Out: os.Stdout})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil // the client has ended it
	}
	return err
}
