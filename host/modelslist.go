package main

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/model"
)

func (a *app) modelsListCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "The models, in the order in which auto tries them", Args: cobra.NoArgs,
		Long: "The models of models.json in the data folder and the built-in ones. A model that is in\n" +
			"no table can be named too, as provider/model. auto is the first one of each provider\n" +
			"that is ready: it has a key, or is a server on this machine that listens.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			models, err := model.Open()
			if err != nil {
				return err
			}
			all := models.List(cmd.Context())
			if a.json {
				a.printJSON(map[string]any{"ok": true, "default": models.Default(), "models": all})
				return nil
			}
			w := tabwriter.NewWriter(a.stdout, 0, 4, 2, ' ', 0)
			fmt.Fprintln(w, "MODEL\tREADY\tCONTEXT\tIMAGES\tPRICE (USD per million tokens)")
			for _, info := range all {
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", info.Name, readyWord(info), contextWord(info), yesNo(info.Images), priceWord(info.Price))
			}
			if err := w.Flush(); err != nil {
				return err
			}
			fmt.Fprintf(a.stdout, "The default is %s. Keys: actions-host key set --provider NAME.\n", models.Default())
			return nil
		},
	}
}

func readyWord(info model.Info) string {
	if info.Ready {
		return "yes"
	}
	return info.Missing
}

func contextWord(info model.Info) string {
	if info.Context == 0 {
		return "-"
	}
	return fmt.Sprintf("%dk", (info.Context+500)/1000)
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

func priceWord(p *model.Price) string {
	if p == nil {
		return "-"
	}
	return fmt.Sprintf("%.2f in, %.2f out", p.Input, p.Output)
}
