package model

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actionsjson/actions-host/pkg/key"
	"github.com/actionsjson/actions-host/pkg/paths"
	fakemodel "github.com/actionsjson/actions-host/test/fakes/model"
)

// BenchmarkStep is one step with a conversation of 40 messages and 20 tools, against a service
// on loopback that answers at once: what it costs beside the model.
func BenchmarkStep(b *testing.B) {
	for _, api := range apis {
		b.Run(string(api), func(b *testing.B) {
			server := fakemodel.New(b)
			server.Otherwise = func(fakemodel.Request) fakemodel.Step {
				return fakemodel.Step{Text: "Well, then.", Calls: []fakemodel.Call{{Name: "look0", Arguments: `{"what":"door"}`}}}
			}
			b.Setenv(paths.EnvHome, b.TempDir())
			b.Setenv(key.Environment("test"), fakemodel.Key)
			if err := os.MkdirAll(paths.Data(), 0o700); err != nil {
				b.Fatal(err)
			}
			text := fmt.Sprintf(`{"providers":{"test":{"base":%q,"api":%q}}}`, server.Base, api)
			if err := os.WriteFile(filepath.Join(paths.Data(), FileName), []byte(text), 0o600); err != nil {
				b.Fatal(err)
			}
			m, err := Open()
			if err != nil {
				b.Fatal(err)
			}
			request := ask("")
			for range 8 {
				request.Messages = append(request.Messages, conversation()...)
			}
			for i := range 20 {
				tool := lookTool
				tool.Name += fmt.Sprint(i)
				tool.Description = strings.Repeat("Looks. ", 50)
				request.Tools = append(request.Tools, tool)
			}
			for b.Loop() {
				if _, err := m.Step(b.Context(), request, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
