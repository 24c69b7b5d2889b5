package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/agent"
	"github.com/actionsjson/actions-host/pkg/control"
	"github.com/actionsjson/actions-host/pkg/dispatch"
	"github.com/actionsjson/actions-host/pkg/mcpserver"
	"github.com/actionsjson/actions-host/pkg/policy"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

func (a *app) primitivesCommand() *cobra.Command {
	var face, mode string
	cmd := &cobra.Command{
		Use:   "primitives [WORD…]",
		Short: "List the primitives that have all the words; one name alone shows its schemas",
		Example: "  actions-host primitives upload file\n" +
			"  actions-host primitives locator.click\n" +
			"  actions-host primitives --for mcp --mode ask",
		RunE: func(cmd *cobra.Command, words []string) error {
			if face != "" && len(words) > 0 {
				return errors.New("--for shows all that a model gets, and takes no words")
			}
			if face != "" || cmd.Flags().Changed("mode") {
				return a.printOffer(face, mode)
			}
			catalogue := primitive.Load()
			if len(words) == 1 {
				if r, ok := catalogue.Public(words[0]); ok {
					a.printPrimitive(r)
					return nil
				}
			}
			found := catalogue.Find(strings.Join(words, " "))
			if a.json {
				a.printJSON(map[string]any{"primitives": append([]*primitive.Record{}, found...)})
				return nil
			}
			if len(found) == 0 {
				fmt.Fprintln(a.stdout, "No primitive has all these words; without words all are listed.")
				return nil
			}
			table := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
			for _, r := range found {
				fmt.Fprintf(table, "%s\t%s\t%s\n", r.Name, r.Effect, r.Summary)
			}
			return table.Flush()
		},
	}
	cmd.Flags().StringVar(&face, "for", "", "what a model gets over mcp, or in a voice session, its bytes first")
	cmd.Flags().StringVar(&mode, "mode", "act", "with --for: act, or ask to read only")
	return cmd
}

func (a *app) printPrimitive(r *primitive.Record) {
	if a.json {
		a.printJSON(r)
		return
	}
	fmt.Fprintf(a.stdout, "%s (%s)\n%s\n\ninput:  %s\n\noutput: %s\n\nerrors: %s\n",
		r.Name, r.Effect, r.Summary, pretty(r.InputSchema), pretty(r.OutputSchema), strings.Join(r.Errors, ", "))
}

// offer is what a model of a face gets before its first call.
type offer struct {
	Bytes        int               `json:"bytes"` // of tools and instructions, as they are sent
	Tools        []json.RawMessage `json:"tools"`
	Instructions string            `json:"instructions"`
}

func (o *offer) add(tool any) error {
	raw, err := primitive.Output(tool)
	o.Tools = append(o.Tools, raw)
	return err
}

// toolBytes is the size of the list of tools as JSON.
func (o *offer) toolBytes() int {
	size := len("[]") + max(0, len(o.Tools)-1)
	for _, tool := range o.Tools {
		size += len(tool)
	}
	return size
}

// offerOf returns what a face offers in a mode, before a tab is handed over.
func offerOf(face string, mode policy.Mode) (offer, error) {
	if mode != policy.ModeAct && mode != policy.ModeAsk {
		return offer{}, errors.New("--mode is act or ask")
	}
	var o offer
	var err error
	switch face {
	case "mcp":
		err = o.fillMCP(mode)
	case "voice":
		err = o.fillVoice(mode)
	default:
		return o, errors.New("--for is mcp or voice")
	}
	o.Bytes = o.toolBytes() + len(o.Instructions)
	return o, err
}

func (o *offer) fillMCP(mode policy.Mode) error {
	server, err := mcpserver.New(mcpserver.Options{Session: control.SessionParams{Kind: policy.SessionMCP, Mode: mode}})
	if err != nil {
		return err
	}
	tools, instructions := server.Offer()
	o.Instructions = instructions
	for _, tool := range tools {
		if err := o.add(tool); err != nil {
			return err
		}
	}
	return nil
}

func (o *offer) fillVoice(mode policy.Mode) error {
	a := &agent.Agent{
		Catalogue: primitive.Load(), Session: &dispatch.Session{SessionKind: policy.SessionVoice, Mode: mode},
		HasPagePrimitive: func(string) bool { return true },
		Page:             func() agent.Page { return agent.Page{} },
	}
	set, err := a.ToolSet(context.Background())
	if err != nil {
		return err
	}
	o.Instructions = set.Instructions
	for _, function := range set.Functions {
		if err := o.add(function); err != nil {
			return err
		}
	}
	return nil
}

// printOffer prints what a face offers, its size first and one tool a line.
func (a *app) printOffer(face, mode string) error {
	o, err := offerOf(face, policy.Mode(mode))
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(o)
		return nil
	}
	fmt.Fprintf(a.stdout, "%d bytes: %d in %d tools, %d in the instructions\n\n%s\n\n",
		o.Bytes, o.toolBytes(), len(o.Tools), len(o.Instructions), strings.TrimSpace(o.Instructions))
	for _, tool := range o.Tools {
		fmt.Fprintf(a.stdout, "%s\n", tool)
	}
	return nil
}
