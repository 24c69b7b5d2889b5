package main

import "github.com/spf13/cobra"

func (a *app) modelsCommand() *cobra.Command {
	return group("models", "The chat models that the text agent can use", a.modelsListCommand(), a.modelsTestCommand())
}
