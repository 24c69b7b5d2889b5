package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/model"
)

// testOutputTokens leaves a model room to think before its one word.
const testOutputTokens = 1024

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
