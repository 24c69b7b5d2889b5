package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actionsjson/actions-host/pkg/fault"
	"github.com/actionsjson/actions-host/pkg/key"
)

// maxKeyInput bounds what is read as a key.
const maxKeyInput = 4096

func (a *app) keyCommand() *cobra.Command {
	provider := ""
	set := &cobra.Command{
		Use: "set", Short: "Store the key, read from standard input", Args: cobra.NoArgs,
		Long: "Store the key of a provider, read from standard input: a key among the\n" +
			"arguments would stand in the list of processes and in the shell's history.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file, ok := cmd.InOrStdin().(*os.File); ok {
				if info, err := file.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
					fmt.Fprintln(a.stderr, "Paste the key and press Enter, then Ctrl+D:")
				}
			}
			stdin := io.LimitReader(cmd.InOrStdin(), maxKeyInput)
			text, err := untilEnded(cmd.Context(), func() ([]byte, error) { return io.ReadAll(stdin) })
			if cmd.Context().Err() != nil {
				return fault.New(fault.Cancelled, "no key was stored")
			}
			if err != nil {
				return fault.Wrap(err, fault.InvalidInput, "the key cannot be read: %v", err)
			}
			from, err := key.Set(provider, strings.TrimSpace(string(text)))
			if err != nil {
				return err
			}
			return a.printKey(provider, string(from), "stored")
		},
	}
	show := &cobra.Command{
		Use: "show", Short: "Tell whether a key is set, and where", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.printKey(provider, "", "") },
	}
	remove := &cobra.Command{
		Use: "remove", Short: "Forget the stored key", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			gone, err := key.Remove(provider)
			if err != nil {
				return err
			}
			if !gone {
				fmt.Fprintln(a.stderr, "actions-host: the keychain does not answer, and may still hold a key")
				return a.printKey(provider, "", "removed from the file")
			}
			return a.printKey(provider, "", "removed")
		},
	}
	cmd := group("key", "The keys of the providers of models", set, show, remove)
	cmd.PersistentFlags().StringVar(&provider, "provider", key.OpenAI, "whose key; openai's is the voice's too")
	return cmd
}

// untilEnded returns what read returns, or the context's error where that ends first, as by Ctrl-C:
// a read of standard input ends with the program.
func untilEnded[T any](ctx context.Context, read func() (T, error)) (value T, err error) {
	done := make(chan struct{})
	var got T
	var failed error
	go func() {
		got, failed = read()
		close(done)
	}()
	select {
	case <-done:
		return got, failed
	case <-ctx.Done():
		return value, ctx.Err()
	}
}

// printKey shows what is set now; the key itself is never printed.
func (a *app) printKey(provider, stored, done string) error {
	secret, from, err := key.Get(provider)
	if err != nil && !fault.Is(err, fault.ModelKeyMissing) {
		return err
	}
	masked, flag := key.Mask(secret), ""
	if provider != key.OpenAI {
		flag = " --provider " + provider
	}
	switch {
	case a.json:
		a.printJSON(map[string]any{"ok": true, "provider": provider, "source": from, "masked": masked})
	case done == "stored" && string(from) != stored:
		fmt.Fprintf(a.stdout, "✓ stored in the %s; the one in the %s (%s) is used before it\n", stored, from, masked)
	case done == "stored":
		fmt.Fprintf(a.stdout, "✓ stored in the %s: %s\n", from, masked)
	case secret == "" && done == "removed":
		fmt.Fprintln(a.stdout, "✓ no key is set")
	case secret == "" && done == "removed from the file":
		fmt.Fprintln(a.stdout, "✓ no key is in the file")
	case secret == "":
		fmt.Fprintf(a.stdout, "No key is set. Store one with actions-host key set%s, or set %s.\n", flag, key.Environment(provider))
	default:
		fmt.Fprintf(a.stdout, "%s, from the %s\n", masked, from)
	}
	return nil
}
