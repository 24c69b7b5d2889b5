package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/lint"
	"github.com/actionsjson/actions-host/pkg/primitive"
)

// smallAction is an action of a click, with a step that finds its target.
func smallAction(i int) string {
	return fmt.Sprintf(`{"name":"board.action%d","description":"Presses the button %d.","input_schema":{"type":"object","properties":{"title":{"type":"string"}}},`+
		`"workflow":{"version":1,"expression_language":"jsonata","steps":[`+
		`{"id":"find","primitive":"locator.element_info","args":{"locator":{"selector":"#b%d"}}},`+
		`{"id":"press","primitive":"locator.click","args":{"locator":{"selector":"#b%d"}}}]}}`, i, i, i, i)
}

// BenchmarkManyMaps measures a storage folder with one map for each host.
func BenchmarkManyMaps(b *testing.B) {
	known := primitive.Load()
	for _, count := range []int{100, 1000, 10_000} {
		dir := b.TempDir()
		for i := range count {
			site := filepath.Join(dir, "scopes", "private", "sites", fmt.Sprintf("site%d.example", i))
			if err := os.MkdirAll(site, 0o700); err != nil {
				b.Fatal(err)
			}
			text := `{"protocol":"actions.json","version":1,"tools":[` + smallAction(0) + `]}`
			if err := os.WriteFile(filepath.Join(site, "actions.json"), []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			for b.Loop() {
				files, err := lint.Folder(b.Context(), os.DirFS(dir), []string{"scopes"}, known)
				if err != nil || len(files) != count {
					b.Fatal(len(files), err)
				}
			}
		})
	}
}

// BenchmarkManyActions measures one map with many actions, each with the check of its effect that
// makes the outcome of an action known.
func BenchmarkManyActions(b *testing.B) {
	known := primitive.Load()
	for _, count := range []int{30, 300, 3000} {
		var tools, checks []string
		for i := range count {
			tools = append(tools, smallAction(i))
			checks = append(checks, fmt.Sprintf(`"board.action%d":{"verify":{"expression":"state.pressed = %d"}}`, i, i))
		}
		text := []byte(`{"protocol":"actions.json","version":1,"tools":[` + strings.Join(tools, ",") +
			`],"state_projections":[{"id":"board","postconditions":{` + strings.Join(checks, ",") + `}}]}`)
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if found := lint.Map(text, lint.Place{}, known); len(found) > 3*count {
					b.Fatal(len(found), found[0])
				}
			}
		})
	}
}
