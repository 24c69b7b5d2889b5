package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/chat"
	"github.com/actionsjson/actions-host/pkg/endpoint"
	"github.com/actionsjson/actions-host/pkg/endpoint/token"
	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/model"
	"github.com/actionsjson/actions-host/pkg/paths"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func (a *app) serveCommand() *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use: "serve", Short: "Answer POST /v1/agent for programs of yours", Args: cobra.NoArgs,
		Long: "Answer POST /v1/agent: one message of a chat model for a page and a conversation, for those\n" +
			"who have a token of actions-host token new. It needs no browser and runs no tool. It listens\n" +
			"on the socket agent.http, which is yours alone, and with --listen on a loopback address too.",
		Example: "  actions-host serve --listen 127.0.0.1:8787",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if listen != "" {
				if err := endpoint.CheckAddress(listen); err != nil {
					return fmt.Errorf("--listen takes a loopback address with a port, such as 127.0.0.1:8787; other machines are not answered")
				}
			}
			return a.serve(cmd.Context(), listen)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "also listen on this loopback address, such as 127.0.0.1:8787")
	return cmd
}

func (a *app) serve(ctx context.Context, listen string) error {
	tools, err := chat.Tools(primitive.Load())
	if err != nil {
		return err
	}
	models, err := model.Open()
	if err != nil {
		return err
	}
	socket, err := paths.AgentSocket()
	if err != nil {
		return err
	}
	listening, err := endpoint.Listen(socket, listen)
	if err != nil {
		return err
	}
	defer listening.Close()
	a.printServing(listening)
	server := endpoint.New(endpoint.Config{Models: models, Tools: tools, Tokens: token.Default(), Version: version})
	if err := server.Serve(ctx, listening.Listeners...); err != nil {
		return fault.Wrap(err, fault.TransportFailed, "the server ended: %v", err)
	}
	return nil
}

func (a *app) printServing(l *endpoint.Listening) {
	if a.json {
		ready := map[string]any{"ready": true, "socket": l.Socket}
		if l.Address != "" {
			ready["address"] = l.Address
		}
		a.printJSON(ready)
		return
	}
	fmt.Fprintf(a.stdout, "✓ POST /v1/agent on the socket %s\n", l.Socket)
	if l.Address != "" {
		fmt.Fprintf(a.stdout, "✓ POST http://%s/v1/agent\n", l.Address)
	}
}

func (a *app) tokenCommand() *cobra.Command {
	create := &cobra.Command{
		Use: "new", Short: "Make a token and print it, this once", Args: cobra.NoArgs,
		Long: "Make a token for a program that asks actions-host serve, and print it. What is kept of it is\n" +
			"a hash: a token that is lost is removed, and another one made.",
		Example: "  TOKEN=$(actions-host token new)",
		RunE: func(*cobra.Command, []string) error {
			made, secret, err := token.Default().New(time.Now())
			if err != nil {
				return err
			}
			if a.json {
				a.printJSON(map[string]any{"ok": true, "id": made.ID, "created": made.Created, "token": secret})
				return nil
			}
			fmt.Fprintln(a.stdout, secret)
			fmt.Fprintf(a.stderr, "✓ token %s; take it back with actions-host token remove %s\n", made.ID, made.ID)
			return nil
		},
	}
	list := &cobra.Command{
		Use: "list", Short: "List the tokens by id and date", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.listTokens() },
	}
	remove := &cobra.Command{
		Use: "remove ID", Short: "Take a token back", Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := token.Default().Remove(args[0]); err != nil {
				return err
			}
			if a.json {
				a.printJSON(map[string]any{"ok": true, "id": args[0]})
				return nil
			}
			fmt.Fprintf(a.stdout, "✓ token %s is refused from now on\n", args[0])
			return nil
		},
	}
	return group("token", "Who may ask actions-host serve", create, list, remove)
}

func (a *app) listTokens() error {
	all, err := token.Default().List()
	if err != nil {
		return err
	}
	if a.json {
		if all == nil {
			all = []token.Token{}
		}
		a.printJSON(map[string]any{"ok": true, "tokens": all})
		return nil
	}
	if len(all) == 0 {
		fmt.Fprintln(a.stdout, "There is no token. Make one with actions-host token new.")
	}
	for _, t := range all {
		fmt.Fprintf(a.stdout, "%s  %s\n", t.ID, t.Created.Local().Format("2006-01-02 15:04"))
	}
	return nil
}
