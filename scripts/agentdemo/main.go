// Command agentdemo runs the hosted agent in a real browser, for scripts/demo. By voice: a
// person's order is heard, a stored action runs, the page's server receives it, the agent
// speaks. In the side panel: a task of three steps, asked for in a chat.
//
// Rules of this package:
//   - Nothing of the user's own is touched: browser, home and shop are temporary.
//   - The voice service is a fake unless a real key is in the environment; a real
//     key goes to the real service only.
//   - What is printed is what was observed, not what was meant to happen.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/actionsjson/actions-host/pkg/key"
)

// playTimeout bounds the whole demo with a fake service.
const playTimeout = 3 * time.Minute

func main() {
	panel := flag.Bool("panel", false, "show the chat of the side panel, with a fake model")
	headed := flag.Bool("headed", false, "with a window to watch")
	fake := flag.Bool("fake", false, "use the fake voice service even where a real key is set")
	record := flag.String("record", "", "folder for a recording of the session")
	program := flag.String("host", "bin/actions-host", "the built program")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := run(ctx, *program, *record, *headed, *panel, *fake || os.Getenv(key.Environment(key.OpenAI)) == ""); err != nil {
		fmt.Fprintln(os.Stderr, "agentdemo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, program, record string, headed, panel, fake bool) (err error) {
	r := &reporter{}
	defer r.end(&err)
	s, err := newStage(r, program)
	if err != nil {
		return err
	}
	if record != "" {
		if err := s.record(record); err != nil {
			return err
		}
	}
	if !panel && !fake {
		return s.talk(ctx, headed)
	}
	limited, cancel := context.WithTimeout(ctx, playTimeout)
	defer cancel()
	if panel {
		return s.chat(limited, headed)
	}
	return s.play(limited, headed)
}

// talk lets a person talk with the real service.
func (s *stage) talk(ctx context.Context, headed bool) error {
	heading("A browser with the extension, the shop open, its tab handed over")
	if err := s.open(ctx, headed, !headed); err != nil {
		return err
	}
	if _, err := s.call(ctx, "overlay.menu.show", `{}`); err != nil {
		return err
	}
	heading("The agent starts: speak, and press Enter when you have done")
	state, err := s.call(ctx, "runtime.agent.start", `{"text_only":false}`)
	if err != nil {
		return err
	}
	fmt.Printf("%s\n", state)
	enter := make(chan error, 1)
	go func() {
		_, err := fmt.Scanln()
		enter <- err
	}()
	select {
	case <-enter: // an empty line is an error of Scanln's, and what is wanted
	case <-ctx.Done():
		return ctx.Err()
	}
	if _, err := s.call(ctx, "runtime.agent.stop", `{}`); err != nil {
		return err
	}
	return s.printVoiceReport(ctx)
}

func heading(text string) { fmt.Printf("\n\033[1m%s\033[0m\n", text) }
