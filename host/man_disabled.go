//go:build !manpages

package main

import "github.com/spf13/cobra"

// packagerCommands are none in the program that users have; see man.go.
func (a *app) packagerCommands() []*cobra.Command { return nil }
