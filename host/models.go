package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/model"
)

// testOutputTokens leaves a model room to think before its one word.
const testOutputTokens = 1024

func (a *app) modelsCommand() *cobra.Command {
	return group("models", "The chat models that the text agent can use", a.modelsListCommand(), a.modelsTestCommand())
}

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

func (a *app) modelsTestCommand() *cobra.Command {
	return &cobra.Command{
		Use: "test [NAME]", Short: "Ask a model for one word", Args: cobra.MaximumNArgs(1),
		Long: "Ask a model, provider/model or auto, for one word, and tell what came back and how long\n" +
			"it took. It costs what so few tokens cost, and nothing on this machine.",
		RunE: func(cmd *cobra.Command, args []string) error {
			models, err := model.Open()
			if err != nil {
				return err
			}
			request := model.Request{
				Model: strings.Join(args, ""), System: "You are being tested.", MaxOutputTokens: testOutputTokens,
				Messages: []model.Message{{Role: model.RoleUser, Content: []model.Content{{Type: model.TextContent, Text: "Answer with the single word: ready"}}}},
			}
			begin := time.Now()
			var text strings.Builder
			var first time.Duration
			message, err := models.Step(cmd.Context(), request, func(piece string) {
				if text.Len() == 0 {
					first = time.Since(begin)
				}
				text.WriteString(piece)
			})
			if err != nil {
				return err
			}
			took := time.Since(begin)
			if a.json {
				a.printJSON(map[string]any{
					"ok": true, "model": message.Model, "text": text.String(), "stop_reason": message.StopReason, "usage": message.Usage,
					"first_text_ms": first.Milliseconds(), "duration_ms": took.Milliseconds(),
				})
				return nil
			}
			answer := strings.TrimSpace(text.String())
			if answer == "" {
				answer = "(no text: " + string(message.StopReason) + ")"
			}
			fmt.Fprintf(a.stdout, "✓ %s answered: %s\n  first text after %s, all after %s; %d tokens in, %d out\n",
				message.Model, answer, first.Round(time.Millisecond), took.Round(time.Millisecond), message.Usage.Input+message.Usage.CacheRead, message.Usage.Output)
			return nil
		},
	}
}
