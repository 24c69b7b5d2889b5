package main

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

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
			catalogue, err := primitive.Load()
			if err != nil {
				return err
			}
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
