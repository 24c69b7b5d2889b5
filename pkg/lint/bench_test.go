package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/actionmap"
	"github.com/actionsjson/actions-host/pkg/lint"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// bigMap has 100 actions of eight steps each and 280 KB, as the largest map
// known.
func bigMap() string {
	var tools []string
	for i := range 100 {
		var steps []string
		for j := range 8 {
			steps = append(steps, fmt.Sprintf(`{"id":"find%d","primitive":"locator.element_info","args":{"locator":{"selector":"[data-testid='card-%d-%d']","text_contains":"{%% input.title & ' %s' %%}"}},"on_error":"continue"}`,
				j, i, j, strings.Repeat("x", 125)))
		}
		tools = append(tools, fmt.Sprintf(`{"name":"board.action%d","description":"%s","input_schema":{"type":"object","properties":{"title":{"type":"string"}}},"workflow":{"version":1,"expression_language":"jsonata","steps":[%s]}}`,
			i, strings.Repeat("What it does. ", 20), strings.Join(steps, ",")))
	}
	return `{"protocol":"actions.json","version":1,"tools":[` + strings.Join(tools, ",") + `]}`
}

// BenchmarkBigMap measures what a host does when such a map changes, and what
// its author waits for.
func BenchmarkBigMap(b *testing.B) {
	text := []byte(bigMap())
	if len(text) < 280_000 || len(text) > 300_000 {
		b.Fatalf("the map has %d bytes", len(text))
	}
	known := primitive.Load()
	for name, run := range map[string]func() int{
		"load": func() int {
			m, err := actionmap.Parse(text)
			if err != nil {
				b.Fatal(err)
			}
			return len(m.Tools)
		},
		"validate": func() int { return 100 + len(actionmap.Validate(text, known)) },
		"lint":     func() int { return 100 + len(lint.Map(text, lint.Place{}, known)) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if got := run(); got != 100 {
					b.Fatal(got)
				}
			}
		})
	}
}
